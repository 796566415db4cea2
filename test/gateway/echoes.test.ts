/** Clients don't send answers back byte for byte, and people begin with the same words at the same time. */
import { afterEach, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

const chats = async () => (await gateway.gateway.store.conversations.list("default")).conversations;

async function post(path: string, body: object): Promise<Record<string, never>> {
  const response = await fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o", ...body }),
  });
  expect(response.status).toBe(200);
  return response.json() as Promise<Record<string, never>>;
}

interface Call {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}
interface Reply {
  readonly role: "assistant";
  readonly content: string | null;
  readonly tool_calls?: readonly Call[];
}

const spaced = (json: string) => JSON.stringify(JSON.parse(json), undefined, 2);
const ECHOES: Readonly<Record<string, (reply: Reply) => object>> = {
  "other spaces in arguments": ({ tool_calls = [], ...reply }) => ({
    ...reply,
    tool_calls: tool_calls.map((call) => ({
      ...call,
      function: { ...call.function, arguments: spaced(call.function.arguments) },
    })),
  }),
  "empty content": (reply) => ({ ...reply, content: "" }),
  "no content": ({ content: _, ...reply }) => reply,
};

it.each(Object.keys(ECHOES))("an answer that comes back with %s is the same answer", async (name) => {
  provider = await startFakeProvider({
    reply: ({ number }) => ({ calls: [{ name: "read", args: { path: `file ${number}`, lines: [1, 2] } }] }),
  });
  gateway = await startGateway({ ...upstreamAt(provider.url), summarizer: "extractive" });
  const messages: object[] = [{ role: "user", content: "Read all files." }];
  const tools = [{ type: "function", function: { name: "read", parameters: { type: "object" } } }];
  for (let turn = 0; turn < 5; turn++) {
    const { choices } = (await post("/v1/chat/completions", { messages, tools })) as unknown as {
      choices: readonly { readonly message: Reply }[];
    };
    const reply = choices[0]!.message;
    messages.push(ECHOES[name]!(reply), {
      role: "tool",
      tool_call_id: reply.tool_calls![0]!.id,
      content: `Text ${turn}`,
    });
  }
  expect((await chats()).map(({ length }) => length)).toEqual([10]);
});

it("trimmed answers are the same answers", async () => {
  provider = await startFakeProvider({ reply: ({ number }) => `\n Answer ${number}. \n` });
  gateway = await startGateway({ ...upstreamAt(provider.url), summarizer: "extractive" });
  const messages: { role: string; content: string }[] = [];
  for (let turn = 0; turn < 4; turn++) {
    messages.push({ role: "user", content: `Question ${turn}` });
    const { choices } = (await post("/v1/chat/completions", { messages })) as unknown as {
      choices: readonly { readonly message: { readonly content: string } }[];
    };
    messages.push({ role: "assistant", content: choices[0]!.message.content.trim() });
  }
  expect((await chats()).map(({ length }) => length)).toEqual([8]);
});

it("an answer that comes back without its reasoning is the same answer", async () => {
  provider = await startFakeProvider({
    reply: ({ number }) => ({ text: `Answer ${number}.`, reasoning: `Thought ${number}.` }),
  });
  gateway = await startGateway({ ...upstreamAt(provider.url), summarizer: "extractive" });
  const input: object[] = [];
  for (let turn = 0; turn < 5; turn++) {
    input.push({ role: "user", content: `Question ${turn}` });
    const { output } = (await post("/v1/responses", { model: "gpt-5", input, store: false })) as unknown as {
      output: readonly { readonly type: string }[];
    };
    expect(output.map(({ type }) => type)).toEqual(["reasoning", "message"]);
    input.push({ role: "assistant", content: `Answer ${turn}.` });
  }
  const [chat, ...others] = await chats();
  expect(others).toEqual([]);
  const stored = await gateway.gateway.store.conversations.read("default", chat!.id);
  expect(stored.map(({ role }) => role)).toEqual(
    Array.from({ length: 5 }, () => ["user", "assistant", "assistant"]).flat(),
  );
});

it("people who begin with the same words at the same time have a conversation each", async () => {
  let answerAll = () => {};
  const bothAreThere = new Promise<void>((resolve) => (answerAll = resolve));
  provider = await startFakeProvider({ reply: () => bothAreThere.then(() => "Hi.") });
  gateway = await startGateway({ ...upstreamAt(provider.url), summarizer: "extractive" });
  const hello = { messages: [{ role: "user", content: "Hello" }] };
  const first = post("/v1/chat/completions", hello);
  // The first request is in the store, its answer isn't.
  await expect.poll(async () => (await chats()).map(({ length }) => length)).toEqual([1]);
  const second = post("/v1/chat/completions", hello);
  await expect.poll(() => provider.requests.length).toBe(2);
  answerAll();
  await Promise.all([first, second]);
  expect((await chats()).map(({ length, branched }) => ({ length, branched }))).toEqual([
    { length: 2, branched: false },
    { length: 2, branched: false },
  ]);
});

it("a client that ends each request with a message that no later one has keeps one conversation, which grows with what is said", async () => {
  provider = await startFakeProvider({
    reply: ({ number }) => ({ calls: [{ name: "read", args: { n: number } }] }),
  });
  gateway = await startGateway({ ...upstreamAt(provider.url), summarizer: "extractive" });
  const messages: object[] = [{ role: "user", content: "Read all files." }];
  const TURNS = 20;
  for (let turn = 0; turn < TURNS; turn++) {
    const { choices } = (await post("/v1/chat/completions", {
      messages: [...messages, { role: "user", content: `<context>Now it is ${turn} o'clock.</context>` }],
      tools: [{ type: "function", function: { name: "read", parameters: { type: "object" } } }],
    })) as unknown as { choices: readonly { readonly message: Reply }[] };
    const reply = choices[0]!.message;
    messages.push(reply, { role: "tool", tool_call_id: reply.tool_calls![0]!.id, content: `Text ${turn}` });
  }
  expect((await chats()).map(({ length }) => length)).toEqual([2 * TURNS + 1]);
  // The answer twice, its result, and the message that comes and goes.
  const { counts } = await gateway.gateway.store.upkeep.stats("default");
  expect(counts.messages).toBeLessThanOrEqual(4 * TURNS + 1);
});
