/** The model of a page's chat looks up what its view hides: in every API, people see that it did, and it goes on from there. */
import { afterEach, describe, expect, it } from "vitest";
import { type ChatEvent, type Lookup, routes } from "../../src/gateway/api.ts";
import {
  type FakeProvider,
  type FakeReplier,
  type FakeReply,
  type FaultName,
  startFakeProvider,
} from "../../src/testing/fake-provider/index.ts";
import { apiOf } from "./api-support.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;
const { call, events, raw } = apiOf(() => gateway.url);
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

const TOOL = "precis_recall";
const SECRET = "amber-7741";
/** Less than the talk below. */
const WINDOW = 6_000;
const MODEL = "some-model";
/** Longer than any test waits (milliseconds). */
const FOREVER_MS = 60_000;
const QUERY = "staging database";
const QUESTION = "What is the staging database called?";
const talk = [
  `The staging database is called ${SECRET}. Remember it.`,
  "I will.",
  ...Array.from(
    { length: 58 },
    (_, n) => `Part ${n}: ${"we looked at this and that once more. ".repeat(12)}`,
  ),
];

const roleOf = (n: number): "user" | "assistant" => (n % 2 === 0 ? "user" : "assistant");
/** The talk as a file of each wire format. */
const files = {
  "openai-chat": talk.map((content, n) => ({ role: roleOf(n), content })),
  "anthropic-messages": {
    system: "Be brief.",
    messages: talk.map((text, n) => ({ role: roleOf(n), content: [{ type: "text", text }] })),
  },
  "openai-responses": {
    input: talk.map((text, n) => ({
      type: "message",
      role: roleOf(n),
      content: [{ type: n % 2 === 0 ? "input_text" : "output_text", text }],
    })),
  },
  "gemini-contents": {
    contents: talk.map((text, n) => ({ role: n % 2 === 0 ? "user" : "model", parts: [{ text }] })),
  },
} as const;
type Dialect = keyof typeof files;
const dialects = Object.keys(files) as readonly Dialect[];

/** Recalls once for each question of the user, with words before it; the answer quotes what came back. */
const recalling: FakeReplier = ({ messages }) => {
  const last = messages.at(-1)!;
  if (last.role !== "tool") return { text: "Let me look.", calls: [{ name: TOOL, args: { query: QUERY } }] };
  return `It is ${/amber-\d+/.exec(last.text)?.[0] ?? "unknown"}.`;
};

async function start(
  reply: FakeReply | readonly FakeReply[] | FakeReplier,
  {
    upstream = {},
    faults = [],
    ...config
  }: {
    readonly upstream?: object;
    readonly faults?: readonly (FaultName | undefined)[];
    readonly tools?: readonly string[];
  } = {},
): Promise<void> {
  provider = await startFakeProvider({ window: 1_000_000, reply, faults });
  gateway = await startGateway({
    ...upstreamAt(provider.url, upstream),
    window: WINDOW,
    summarizer: "extractive",
    tools: ["recall"],
    ...config,
  });
}

async function imported(own: Dialect = "openai-chat"): Promise<string> {
  const body = { name: "talk.json", text: JSON.stringify(files[own]) };
  const { conversations } = await call(routes.importFile, { body });
  const { id, dialect } = conversations[0]!;
  expect(dialect).toBe(own);
  await call(routes.changeConversation, { params: { id }, body: { model: MODEL } });
  return id;
}

async function say(id: string, text: string): Promise<ChatEvent[]> {
  const told = await events(routes.chat, { params: { id }, body: { text } });
  expect(told.filter(({ type }) => type === "failed")).toEqual([]);
  return told;
}

const textIn = (told: readonly ChatEvent[]): string =>
  told.flatMap((event) => (event.type === "text" ? [event.text] : [])).join("");
const lookupsIn = (told: readonly ChatEvent[]): readonly Lookup[] =>
  told.flatMap((event) => (event.type === "lookup" ? [event.lookup] : []));
async function newest(id: string, count = 1) {
  const { messages, total } = await call(routes.messages, { params: { id }, query: { from: talk.length } });
  expect(total).toBe(talk.length + messages.length);
  return messages.slice(-count);
}

describe.each(dialects)("a chat in %s", (own) => {
  it.each(dialects)("at an upstream that speaks %s", async (spoken) => {
    await start(recalling, { upstream: { dialects: [spoken] } });
    const id = await imported(own);
    const told = await say(id, QUESTION);
    expect(textIn(told)).toMatch(new RegExp(`^Let me look\\.\\s*It is ${SECRET}\\.$`));
    const [lookup] = lookupsIn(told);
    expect(lookup!.query).toBe(QUERY);
    expect(lookup!.found).toContain(0);
    expect(provider.requests.map(({ status }) => status)).toEqual([200, 200]);
    expect(provider.requests[0]!.tools).toEqual([TOOL]);

    // The person's chat holds the words, and beside them what was looked up.
    const { messages } = await call(routes.messages, { params: { id }, query: { from: talk.length } });
    const answer = messages.slice(1);
    expect(new Set(answer.map(({ role }) => role))).toEqual(new Set(["assistant"]));
    // The model reads all of it, so all of it counts: the quotation, too, which takes more than the words that are shown.
    expect(answer.reduce((sum, { tokens }) => sum + tokens, 0)).toBeGreaterThan(50);
    expect(answer.flatMap(({ lookups = [] }) => lookups)).toEqual([lookup]);
    const parts = answer.flatMap((message) => message.parts);
    expect(parts.map(({ type }) => type)).not.toContain("tool-call");
    expect(JSON.stringify(parts)).not.toContain("Quotations");

    // The next turn goes on from what the model saw, word for word.
    provider.setReply("Fine.");
    await say(id, "Good. Go on.");
    const [, second, third] = provider.requests;
    expect(third!.status).toBe(200);
    expect(third!.messages.slice(0, second!.messages.length)).toEqual(second!.messages);
    expect(third!.tools).toEqual([TOOL]);
  });
});

describe("what is asked for", () => {
  it("nobody asked for tools: none are offered", async () => {
    await start("Hello.", { tools: [] });
    await say(await imported(), QUESTION);
    expect(provider.requests[0]!.tools).toEqual([]);
  });

  it("they are set for one chat, for all, or not at all, and what is nearest holds", async () => {
    await start("Hello.", { tools: [] });
    const offered = async (id: string) => {
      await say(id, "Hi.");
      return provider.requests.at(-1)!.tools;
    };
    const one = await imported();
    const params = { id: one };
    await call(routes.changeConversation, { params, body: { settings: { tools: ["recall", "compact"] } } });
    expect(await offered(one)).toEqual([TOOL, "precis_compact"]);
    await call(routes.changeSettings, { body: { tools: ["recall"] } });
    expect(await offered(await imported())).toEqual([TOOL]);
    await call(routes.changeConversation, { params, body: { settings: { tools: [] } } });
    expect(await offered(one)).toEqual([]);
    await call(routes.changeConversation, { params, body: { settings: { tools: null } } });
    expect(await offered(one)).toEqual([TOOL]);
  });

  it("the settings say what the config offers, and the meter counts it", async () => {
    await start("Hello.");
    const { given } = await call(routes.settings);
    expect(given.config.tools).toEqual(["recall"]);
    expect(given.builtIn.tools).toEqual([]);
    const id = await imported();
    const { budget } = await call(routes.pressure, { params: { id } });
    expect(budget.tools).toBeGreaterThan(50);
    const { body } = await call(routes.request, { params: { id } });
    expect(JSON.stringify(body)).toContain(TOOL);
  });
});

describe("what is kept", () => {
  it("the request that people are shown is the one that is sent", async () => {
    await start(recalling);
    const id = await imported();
    await say(id, QUESTION);
    provider.setReply("Fine.");
    await say(id, "Good. Go on.");
    const { body } = await call(routes.request, { params: { id } });
    const { messages, tools } = body as { messages: readonly unknown[]; tools: unknown };
    const sent = provider.requests.at(-1)!.body as { messages: readonly unknown[]; tools: unknown };
    expect(tools).toEqual(sent.tools);
    expect(messages.slice(0, sent.messages.length)).toEqual(sent.messages);
  });

  it("a fork has what was looked up, and its model goes on from it", async () => {
    await start(recalling);
    const id = await imported();
    await say(id, QUESTION);
    const fork = await call(routes.fork, { params: { id }, body: { length: talk.length + 2 } });
    expect((await newest(fork.id))[0]!.lookups).toHaveLength(1);
    provider.setReply("Fine.");
    await say(fork.id, "Good. Go on.");
    const [, second, third] = provider.requests;
    expect(third!.messages.slice(0, second!.messages.length)).toEqual(second!.messages);
  });

  it("an answer that is asked for again is looked up again", async () => {
    await start(recalling);
    const id = await imported();
    await say(id, QUESTION);
    const told = await events(routes.regenerate, { params: { id }, body: {} });
    expect(lookupsIn(told)).toHaveLength(1);
    expect(provider.requests).toHaveLength(4);
    expect(provider.requests[2]!.messages).toEqual(provider.requests[0]!.messages);
  });

  it("a client that goes on with the chat at /v1 has the model's rounds, too", async () => {
    await start(recalling);
    const id = await imported();
    await say(id, QUESTION);
    const [question, answer] = await newest(id, 2);
    const textOf = (message: typeof question) =>
      message!.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
    provider.setReply("Fine.");
    const messages = [
      ...files["openai-chat"],
      { role: "user", content: textOf(question) },
      { role: "assistant", content: textOf(answer) },
      { role: "user", content: "Good. Go on." },
    ];
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: MODEL, messages }),
    });
    expect(response.status).toBe(200);
    await response.text();
    const [, second, third] = provider.requests;
    expect(third!.messages.slice(0, second!.messages.length)).toEqual(second!.messages);
  });
});

it("what the model looked up for a client at /v1 is shown on the page, too", async () => {
  await start(recalling);
  const messages = [...files["openai-chat"], { role: "user", content: QUESTION }];
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: MODEL, messages }),
  });
  expect(await response.text()).toContain(SECRET);
  const { conversations } = await call(routes.conversations);
  const [answer] = await newest(conversations[0]!.id);
  expect(answer!.lookups).toMatchObject([{ query: QUERY, found: expect.arrayContaining([0]) as number[] }]);
  expect(answer!.parts.map(({ type }) => type)).toEqual(["text"]);
});

describe("what may go wrong", () => {
  it("a person stops the answer after the model looked something up: the words that came are kept", async () => {
    await start((request) =>
      request.messages.at(-1)!.role === "tool"
        ? { text: "Never said.", delayMs: FOREVER_MS }
        : recalling(request),
    );
    const id = await imported();
    const answer = await raw(routes.chat, { params: { id }, body: { text: QUESTION } });
    let told = "";
    for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
      const isFirst = !told.includes('"lookup"');
      told += piece;
      if (isFirst && told.includes('"lookup"')) await call(routes.stop, { params: { id } });
    }
    expect(told).toContain('"stopped"');
    const [kept] = await newest(id);
    expect(kept).toMatchObject({ role: "assistant", unfinished: "stopped" });
    expect(kept).not.toHaveProperty("lookups");
    provider.setReply("Fine.");
    await say(id, "Never mind.");
    expect(provider.requests.at(-1)!.status).toBe(200);
  });

  it("until something is hidden, the tool says so, and the line says that nothing was found", async () => {
    await start((request) =>
      request.messages.at(-1)!.role === "tool"
        ? request.messages.at(-1)!.text
        : { calls: [{ name: TOOL, args: { query: "anything" } }] },
    );
    const { id } = await call(routes.createConversation, { body: { model: MODEL } });
    const told = await say(id, "Hello.");
    expect(textIn(told)).toContain("Nothing is hidden yet");
    expect(lookupsIn(told)).toEqual([{ query: "anything", found: [] }]);
  });

  it("the numbers of messages leave out leading system messages, as everywhere on the page", async () => {
    await start(recalling);
    const id = await imported();
    await call(routes.changeConversation, { params: { id }, body: { system: "Be brief." } });
    const told = await say(id, QUESTION);
    expect(lookupsIn(told)[0]!.found).toContain(0);
    expect(told.find(({ type }) => type === "lookup")).toMatchObject({ lead: 1 });
  });

  it("an upstream that refuses the second round: the words that came are kept, and the chat can be asked again", async () => {
    await start(recalling, { faults: [undefined, "server-error"] });
    const id = await imported();
    const told = await events(routes.chat, { params: { id }, body: { text: QUESTION } });
    expect(told.at(-1)).toMatchObject({ type: "failed" });
    const [broken] = await newest(id);
    expect(broken).toMatchObject({ role: "assistant", unfinished: "broken" });
    const again = await events(routes.regenerate, { params: { id }, body: {} });
    expect(again.at(-1)).toMatchObject({ type: "done" });
    expect(textIn(again)).toContain(SECRET);
    expect((await newest(id))[0]).not.toHaveProperty("unfinished");
  });

  it("a model that asks for a compaction in a chat gets it, and the timeline tells", async () => {
    await start(
      ({ messages }) =>
        messages.at(-1)!.role === "tool"
          ? "Done."
          : { calls: [{ name: "precis_compact", args: { upTo: "#40" } }] },
      { tools: ["compact"] },
    );
    const id = await imported();
    await call(routes.changeConversation, { params: { id }, body: { settings: { window: 200_000 } } });
    const told = await say(id, QUESTION);
    expect(textIn(told)).toBe("Done.");
    expect(lookupsIn(told)).toEqual([]);
    const { events: timeline } = await call(routes.timeline, { params: { id } });
    expect(timeline.map(({ type }) => type)).toContain("compacted");
    const { dividers } = await call(routes.messages, { params: { id } });
    expect(dividers).toHaveLength(1);
  });
});
