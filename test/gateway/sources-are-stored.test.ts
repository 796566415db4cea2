import { afterEach, expect, it } from "vitest";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { type OwnUpstream, post, startUpstream } from "./own-upstream.ts";

/** Passages and question in one message, as retrieval hosts send them. */
const asked = (question: string, passages: readonly (readonly [number, string, string])[]) => ({
  role: "user",
  content: [
    ...passages.map(([n, source, text]) => `<document index="${n}" source="${source}">${text}</document>`),
    question,
  ].join("\n"),
});

let upstream: OwnUpstream;
let gateway: Awaited<ReturnType<typeof startGateway>>;
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

async function start(answers: readonly string[], config: object = {}): Promise<void> {
  let turn = 0;
  upstream = await startUpstream((_, __, response) => {
    const message = { role: "assistant", content: answers[turn++] };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] }));
  });
  gateway = await startGateway({ ...upstreamAt(upstream.url), summarizer: "extractive", ...config });
}

async function talk(turns: readonly (readonly [object, string])[]): Promise<void> {
  const messages: object[] = [];
  for (const [question, answer] of turns) {
    messages.push(question);
    const body = { model: "gpt-4o", messages };
    expect((await post(`${gateway.url}/v1/chat/completions`, body)).status).toBe(200);
    messages.push({ role: "assistant", content: answer });
  }
}

async function stored() {
  const { gateway: parts } = gateway;
  await parts.citations.settled();
  const [one] = (await parts.store.conversations.list("default")).conversations;
  return parts.store.citations.list("default", one!.id);
}

it("what answers cite is in the store, under the numbers that the host gave", async () => {
  const turns = [
    [
      asked("How hot may it get?", [
        [1, "manual.pdf", "The housing may reach 70 °C."],
        [2, "faq.html", "Fans are sold apart."],
        [3, "datasheet.pdf", "Storage: -20 to 85 °C."],
      ]),
      "Up to 70 °C in use [1], 85 °C in storage [3].",
    ],
    [{ role: "user", content: "And does it come with a fan?" }, "No, fans are sold apart [2]."],
    // The next search counts from one again: another document has that number already.
    [asked("Who repairs it?", [[1, "service.html", "Any dealer does."]]), "Any dealer [1]."],
  ] as const;
  await start(turns.map(([, answer]) => answer));
  await talk(turns);
  expect(await stored()).toEqual([
    { number: 1, source: "manual.pdf" },
    { number: 2, source: "faq.html" },
    { number: 3, source: "datasheet.pdf" },
    { number: 4, source: "service.html" },
  ]);
});

it("brackets in code cite nothing, and secrets of an address aren't kept", async () => {
  const secret = "sk-abcdefghijklmnopqrstuvwxyz0123456789ABCD";
  const turns = [
    [{ role: "user", content: "First item of a list?" }, "`items[0]`, and the last is `items[9]`."],
    [
      asked("Where is the log?", [[1, `https://logs.example/?key=${secret}`, "In /var/log."]]),
      "In /var/log [1].",
    ],
  ] as const;
  await start(
    turns.map(([, answer]) => answer),
    { redact: true },
  );
  await talk(turns);
  const [one, ...others] = await stored();
  expect(others).toEqual([]);
  expect(one?.source).toContain("https://logs.example/");
  expect(one?.source).not.toContain(secret);
});

it("a client that names new sources in every message can't fill the store with them", async () => {
  const many = (site: string) =>
    asked(
      "?",
      Array.from({ length: 700 }, (_, n) => [n + 1, `https://${site}/${n}`, "text"] as const),
    );
  const cites = Array.from({ length: 700 }, (_, n) => `[${n + 1}]`).join(" ");
  const turns = [
    [many("a"), cites],
    [many("b"), cites],
    [many("c"), cites],
  ] as const;
  await start(turns.map(([, answer]) => answer));
  await talk(turns);
  const sources = await stored();
  expect(sources).toHaveLength(1_000);
  expect(sources[699]).toEqual({ number: 700, source: "https://a/699" });
});
