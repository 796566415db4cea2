import { afterEach, expect, it } from "vitest";
import type { ApiCitations, ApiView, ConversationPage } from "../../src/gateway/api.ts";
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

const get = async (path: string) => (await fetch(`${gateway.url}/api/conversations${path}`)).json();

async function citations() {
  const { id } = ((await get("")) as ConversationPage).conversations[0]!;
  return (await get(`/${id}/citations`)) as ApiCitations;
}

it("what an answer cites is what its number meant then, though the host counts anew later", async () => {
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
  const { sources, cited } = await citations();
  const told = cited.map(({ message, as, number }) => {
    const of = sources.find((one) => one.number === number);
    return [message, as, of?.source];
  });
  expect(told).toEqual([
    [1, "1", "manual.pdf"],
    [1, "3", "datasheet.pdf"],
    [3, "2", "faq.html"],
    [5, "1", "service.html"],
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
  const [one, ...others] = (await citations()).sources;
  expect(others).toEqual([]);
  expect(one?.source).toContain("https://logs.example/");
  expect(one?.source).not.toContain(secret);
});

it("every number of an answer and of a summary leads to its source, although the host counts anew in every turn", async () => {
  const TURNS = 14;
  const filler = "It must be rinsed with clear water after use. ".repeat(12);
  const turns = Array.from({ length: TURNS }, (_, turn) => {
    const passages = [1, 2, 3].map(
      (n) => [n, `manual-${turn}-${n}.pdf`, `Pump-${turn} runs at ${n}00 rpm. ${filler}`] as const,
    );
    return [asked(`How fast is Pump-${turn}?`, passages), `Pump-${turn} runs at 200 rpm [2].`] as const;
  });
  await start(
    turns.map(([, answer]) => answer),
    { profile: "rag", window: 16_000 },
  );
  await talk(turns);
  const { id } = ((await get("")) as ConversationPage).conversations[0]!;
  const { sources, cited } = (await get(`/${id}/citations`)) as ApiCitations;
  const sourceOf = (number: string) => sources.find((one) => one.number === number);
  // What answers say.
  for (let turn = 0; turn < TURNS; turn++) {
    const { number } = cited.find((one) => one.message === 2 * turn + 1 && one.as === "2")!;
    expect(sourceOf(number)).toMatchObject({ source: `manual-${turn}-2.pdf`, message: 2 * turn });
    expect(sourceOf(number)?.passage).toContain(`Pump-${turn} runs at 200 rpm.`);
  }
  // What precis writes.
  const { entries } = (await get(`/${id}/view`)) as ApiView;
  const written = entries.flatMap((entry) => (entry.type === "insert" ? [entry.text] : [])).join("\n");
  const claims = [...written.matchAll(/Pump-(\d+) runs at 200 rpm \[(\d+)\]/g)];
  expect(claims.length).toBeGreaterThan(2);
  for (const [, turn, number] of claims) expect(sourceOf(number!)?.source).toBe(`manual-${turn}-2.pdf`);
});
