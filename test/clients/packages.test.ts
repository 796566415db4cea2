/** Packages that programs are written with, through the gateway: Google's and Ollama's own. */
import { afterEach, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "../gateway/gateway-process.ts";

const ROUNDS = 40;
const WINDOW = 12_000;
const CODE_WORD = "marmalade-17";

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

async function start(): Promise<void> {
  provider = await startFakeProvider({
    window: WINDOW,
    reply: ({ number }) =>
      number % 7 === 6
        ? `That was number ${number}. ${"It says a good deal about this and that. ".repeat(5)}`
        : {
            text: number % 4 === 0 ? `Reading number ${number} now, as you asked me to do.` : "",
            calls: [
              { name: "read", args: { n: number } },
              ...(number % 3 === 0 ? [{ name: "read", args: { n: -number } }] : []),
            ],
          },
  });
  // No model is asked for summaries, so every request that the provider gets is one of the client.
  gateway = await startGateway({ ...upstreamAt(provider.url), window: WINDOW, summarizer: "extractive" });
}

const fileText = (n: number) => `File ${n}: ${`line ${n} of the file. `.repeat(140)}`;

/** Nothing was refused, it was compacted several times, and one conversation has it all. */
async function expectGoodRun(rounds: number): Promise<void> {
  expect(provider.requests.map(({ error }) => error).filter(Boolean)).toEqual([]);
  expect(provider.requests).toHaveLength(rounds);
  expect(Math.max(...provider.requests.map(({ tokens }) => tokens.input))).toBeLessThanOrEqual(WINDOW);
  expect(JSON.stringify(provider.requests.at(-1)!.body)).toContain(CODE_WORD);
  const { conversations } = (await (await fetch(`${gateway.url}/api/conversations`)).json()) as {
    conversations: { id: string; compactions?: number }[];
  };
  expect(conversations).toHaveLength(1);
  const lengths = provider.requests.map(({ tokens }) => tokens.input);
  const drops = lengths.filter((tokens, at) => at > 0 && tokens < lengths[at - 1]! * 0.8);
  expect(drops.length).toBeGreaterThan(2);
}

interface GoogleCall {
  readonly id?: string;
  readonly name: string;
  readonly args: { readonly n: number };
}
interface GoogleChunk {
  readonly functionCalls?: readonly GoogleCall[];
}
interface GoogleChat {
  sendMessage(asked: { readonly message: unknown }): Promise<GoogleChunk>;
  sendMessageStream(asked: { readonly message: unknown }): Promise<AsyncIterable<GoogleChunk>>;
}
interface GooglePackage {
  readonly GoogleGenAI: new (
    options: object,
  ) => {
    readonly chats: { create(options: object): GoogleChat };
    readonly models: {
      countTokens(options: object): Promise<{ readonly totalTokens: number }>;
      list(): Promise<AsyncIterable<{ readonly name: string }>>;
    };
  };
}

/** Packages are installed beside this file only, so the compiler of the repository doesn't know them. */
const load = async <T>(name: string): Promise<T> => (await import(name)) as T;

it.each([
  ["gemini-3-pro-preview", true],
  ["gemini-3-pro-preview", false],
  ["gemini-2.5-flash", true],
] as const)("@google/genai: a chat of forty rounds with %s, streamed %s", async (model, streamed) => {
  await start();
  const { GoogleGenAI } = await load<GooglePackage>("@google/genai");
  const ai = new GoogleGenAI({ apiKey: "client-key", httpOptions: { baseUrl: gateway.url } });
  const tools = [
    { functionDeclarations: [{ name: "read", parametersJsonSchema: { type: "object", properties: {} } }] },
  ];
  const chat = ai.chats.create({ model, config: { tools, systemInstruction: "Be brief." } });
  let message: unknown = `Read all files, one by one. The code word is ${CODE_WORD}.`;
  for (let round = 0; round < ROUNDS; round++) {
    const calls: GoogleCall[] = [];
    if (streamed)
      for await (const chunk of await chat.sendMessageStream({ message }))
        calls.push(...(chunk.functionCalls ?? []));
    else calls.push(...((await chat.sendMessage({ message })).functionCalls ?? []));
    message =
      calls.length === 0
        ? `Go on with number ${round}.`
        : calls.map(({ id, name, args }) => ({
            functionResponse: {
              ...(id !== undefined && { id }),
              name,
              response: { output: fileText(args.n) },
            },
          }));
  }
  await expectGoodRun(ROUNDS);
  expect((await ai.models.countTokens({ model, contents: "How long is this?" })).totalTokens).toBeGreaterThan(
    3,
  );
  const names: string[] = [];
  for await (const { name } of await ai.models.list()) names.push(name);
  expect(names).toContain("models/gemini-3-pro-preview");
});

interface OllamaMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_name?: string;
  readonly tool_calls?: {
    readonly function: { readonly name: string; readonly arguments: { readonly n: number } };
  }[];
}
interface OllamaPackage {
  readonly Ollama: new (options: {
    readonly host: string;
  }) => {
    chat(options: object): Promise<AsyncIterable<{ readonly message: OllamaMessage }>>;
    list(): Promise<{ readonly models: readonly { readonly name: string }[] }>;
    show(options: { readonly model: string }): Promise<{ readonly capabilities: readonly string[] }>;
    version(): Promise<{ readonly version: string }>;
  };
}

it("ollama: a chat of forty rounds", async () => {
  await start();
  const { Ollama } = await load<OllamaPackage>("ollama");
  const ollama = new Ollama({ host: `${gateway.url}/ollama` });
  const tools = [
    {
      type: "function",
      function: { name: "read", description: "Reads.", parameters: { type: "object", properties: {} } },
    },
  ];
  const messages: OllamaMessage[] = [
    { role: "user", content: `Read all files. The code word is ${CODE_WORD}.` },
  ];
  for (let round = 0; round < ROUNDS; round++) {
    let content = "";
    const calls: NonNullable<OllamaMessage["tool_calls"]> = [];
    for await (const { message } of await ollama.chat({ model: "qwen3:8b", messages, tools, stream: true })) {
      content += message.content;
      calls.push(...(message.tool_calls ?? []));
    }
    messages.push({ role: "assistant", content, ...(calls.length > 0 && { tool_calls: calls }) });
    if (calls.length === 0) messages.push({ role: "user", content: `Go on with number ${round}.` });
    for (const { function: fn } of calls)
      messages.push({ role: "tool", tool_name: fn.name, content: fileText(fn.arguments.n) });
  }
  await expectGoodRun(ROUNDS);
  expect((await ollama.list()).models.map(({ name }) => name)).toContain("gpt-4o");
  expect((await ollama.show({ model: "gpt-4o" })).capabilities).toContain("tools");
  expect((await ollama.version()).version).toMatch(/^\d/);
});
