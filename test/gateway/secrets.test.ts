import { pino } from "pino";
import { afterEach, expect, it } from "vitest";
import { redactSecrets } from "../../src/gateway/compaction/redact-secrets.ts";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post, startUpstream } from "./own-upstream.ts";

const KEY = "sk-proj-abcdefghijklmnop1234567890";
const WINDOW = 6_000;

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

async function everything(): Promise<string> {
  const lines: string[] = [];
  for await (const line of gateway.gateway.store.upkeep.exportAll()) lines.push(line);
  return lines.join("\n");
}

it.each(["extractive", "same"] as const)(
  "leaves no secret in anything that is derived from a transcript (%s)",
  async (summarizer) => {
    // A model that repeats the secret when it is asked for a summary.
    provider = await startFakeProvider({
      window: WINDOW,
      reply: `Noted: ${KEY}. ${"All of it is noted. ".repeat(5)}`,
    });
    gateway = await startGateway({ ...upstreamAt(provider.url), window: WINDOW, redact: true, summarizer });
    const messages = [{ role: "user", content: `My key is ${KEY}.` }];
    const actions: (string | null)[] = [];
    for (let turn = 0; turn < 16; turn++) {
      const response = await post(`${gateway.url}/v1/chat/completions`, { model: "gpt-4o", messages });
      expect(response.status).toBe(200);
      actions.push(response.headers.get("x-precis-action"));
      const { choices } = (await response.json()) as { choices: { message: (typeof messages)[0] }[] };
      messages.push(choices[0]!.message, {
        role: "user",
        content: `Turn ${turn} with ${KEY}: ${"please say more about it. ".repeat(80)}`,
      });
    }
    await gateway.gateway.compactors.settled();
    expect(actions).toContain("compacted");
    // The views that came after stand on what was stored.
    expect(actions).toContain("view");
    expect(provider.requests.at(-1)!.lastUser).toContain(KEY);
    const stored = await everything();
    expect(stored).toContain("[secret]");
    expect(stored).not.toContain(KEY);
    const { conversations } = await gateway.gateway.store.conversations.list("default");
    expect(conversations.map(({ length }) => length)).toEqual([messages.length - 1]);
  },
);

it("knows keys and passwords, and keeps JSON whole", async () => {
  provider = await startFakeProvider();
  gateway = await startGateway(upstreamAt(provider.url));
  for (const [text, left] of [
    [`key ${KEY} here`, "key [secret] here"],
    ["postgres://me:hunter2@db/x", "postgres://me:[secret]@db/x"],
    ['{"password": "hunter2!"}', '{"password": "[secret]"}'],
    ["PASSWORD=correct-horse next", "PASSWORD=[secret] next"],
    ["password: string; passwd", "password: string; passwd"],
    ["the password is in the safe", "the password is in the safe"],
    ["https://host:8080/a@b", "https://host:8080/a@b"],
  ] as const) {
    expect(JSON.parse(redactSecrets(JSON.stringify({ text })))).toEqual({ text: left });
    expect(JSON.parse(redactSecrets(JSON.stringify(JSON.stringify({ text }))))).toBe(
      JSON.stringify({ text: left }),
    );
  }
});

it("logs no words of requests, not even of broken ones", async () => {
  provider = await startFakeProvider();
  const lines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => void lines.push(line) });
  gateway = await startGateway(upstreamAt(provider.url), { log });
  const words = "hippopotamus-4711";
  const told = await (await post(`${gateway.url}/v1/chat/completions`, `{"messages": ${words}}`)).text();
  expect(told).toContain("isn't valid JSON");
  for (const body of [
    { model: "m", messages: words },
    { model: "m", messages: [{ role: words, content: words }] },
    { model: "m", messages: [{ role: "user", content: words }] },
  ])
    await (await post(`${gateway.url}/v1/chat/completions`, body, { authorization: `Bearer ${KEY}` })).text();
  await (await post(`${gateway.url}/v1/chat/completions`, "{}", { "x-precis-strategy": words })).text();
  expect(lines.length).toBeGreaterThan(4);
  for (const line of lines) expect(JSON.parse(line)).toHaveProperty("msg");
  expect(lines.join("")).not.toContain("hippo");
  expect(lines.join("")).not.toContain(KEY);
});

it("what is changed on the page is stored without its secrets", async () => {
  provider = await startFakeProvider();
  gateway = await startGateway({ ...upstreamAt(provider.url), redact: true });
  const made = await post(`${gateway.url}/api/conversations`, { title: "Pump" });
  const { id } = (await made.json()) as { id: string };
  const changed = await fetch(`${gateway.url}/api/conversations/${id}`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      system: `Use the key ${KEY}.`,
      title: `Title ${KEY}`,
      settings: { preface: `Preface ${KEY}` },
    }),
  });
  expect(changed.status).toBe(200);
  const settings = await fetch(`${gateway.url}/api/settings`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ preface: `For all: ${KEY}` }),
  });
  expect(settings.status).toBe(200);
  await post(`${gateway.url}/api/conversations`, { title: `New ${KEY}`, system: `And ${KEY}.` });
  const stored = await everything();
  expect(stored).toContain("Use the key");
  expect(stored).not.toContain(KEY);
});

it("logs no words of a conversation that an upstream quotes when it refuses a summary", async () => {
  provider = await startFakeProvider();
  const words = "hippopotamus-4711";
  const refusing = await startUpstream((request, body, response) => {
    if (request.method !== "POST") return void response.writeHead(404).end();
    const { messages } = JSON.parse(body.toString()) as { messages?: { content: unknown }[] };
    const isSummary = !String(messages?.at(-1)?.content).startsWith("QUESTION");
    response.writeHead(isSummary ? 400 : 200, { "content-type": "application/json" });
    response.end(
      JSON.stringify(
        isSummary
          ? { error: { message: `You said ${words}; the key was ${KEY}`, code: "x" } }
          : { choices: [{ index: 0, message: { role: "assistant", content: "word ".repeat(200) } }] },
      ),
    );
  });
  const lines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => void lines.push(line) });
  gateway = await startGateway({ ...upstreamAt(refusing.url), window: WINDOW, summarizer: "same" }, { log });
  const chat: { role: string; content: string }[] = [];
  for (let turn = 0; turn < 14; turn++) {
    chat.push({ role: "user", content: `QUESTION ${turn} ${words} ${"word ".repeat(200)}` });
    await (await post(`${gateway.url}/v1/chat/completions`, { model: "m", messages: chat })).text();
    chat.push({ role: "assistant", content: "word ".repeat(200) });
  }
  await expect.poll(() => lines.join("")).toContain("a summary failed");
  await refusing.close();
  expect(lines.join("")).not.toContain("hippo");
  expect(lines.join("")).not.toContain(KEY);
});
