/** Declarations on demand: the model gets names, asks for what it needs, and the prompt's beginning changes only then. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  type FakeApi,
  type FakeProvider,
  type FakeReplier,
  type FakeReply,
  startFakeProvider,
} from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";

type Json = Readonly<Record<string, unknown>>;

const LOADER = "precis_load_tools";
/** Sixty functions of a few MCP servers, as long as those are. */
const FUNCTIONS = Array.from({ length: 60 }, (_, n) => ({
  name: `${["tracker", "calendar", "drive"][n % 3]}_${["find", "make", "move", "list"][n % 4]}_${n}`,
  description: `Does job ${n} of the server. It takes names and numbers as the server has them, and answers with a list. ${"Give an exact name, or leave it out. ".repeat(6)}`,
  parameters: {
    type: "object",
    properties: {
      name: { type: "string", description: "An exact name, as the server's own list has it." },
      limit: { type: "integer", description: "At most so many, the newest first." },
    },
    required: ["name"],
  },
}));
const [A, B, C] = [FUNCTIONS[7]!.name, FUNCTIONS[20]!.name, FUNCTIONS[33]!.name];
const loads = (...names: string[]) => ({ name: LOADER, args: { names } });

/** A client of one API: how it asks, and what it keeps of an answer. */
interface Client {
  readonly name: string;
  readonly api: FakeApi;
  path(streamed: boolean): string;
  user(text: string): unknown;
  /** Results of its own tools, for the calls of an answer. */
  results(kept: readonly unknown[]): readonly unknown[];
  body(messages: readonly unknown[], streamed: boolean): Json;
  /** What an answer holds, whole or in events. */
  read(text: string, streamed: boolean): Told;
  readonly more: { readonly none: Json; readonly required: Json; readonly named: Json };
}
interface Told {
  readonly text: string;
  readonly calls: readonly string[];
  readonly kept: readonly unknown[];
}

const eventsIn = (text: string): readonly Json[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice("data: ".length)) as Json);

const chat: Client = {
  name: "Chat Completions",
  api: "chat",
  path: () => "/v1/chat/completions",
  user: (content) => ({ role: "user", content }),
  results: (kept) =>
    (kept as readonly { tool_calls?: readonly { id: string }[] }[]).flatMap(({ tool_calls = [] }) =>
      tool_calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "Done." })),
    ),
  body: (messages, stream) => ({
    model: "gpt-4o",
    messages,
    stream,
    tools: FUNCTIONS.map((one) => ({ type: "function", function: one })),
  }),
  read(text, streamed) {
    interface Call {
      readonly index: number;
      readonly id: string;
      readonly function: { readonly name: string; readonly arguments: string };
    }
    interface Said {
      readonly content?: string | null;
      readonly tool_calls?: readonly Call[];
    }
    const said = (streamed ? eventsIn(text) : [JSON.parse(text) as Json]).flatMap(({ choices }) =>
      (choices as readonly { delta?: Said; message?: Said }[]).map(({ delta, message }) => delta ?? message!),
    );
    const content = said.map((one) => one.content ?? "").join("");
    const calls: Call[] = [];
    for (const piece of said.flatMap((one) => one.tool_calls ?? [])) {
      const before = calls[piece.index];
      calls[streamed ? piece.index : calls.length] = before
        ? {
            ...before,
            function: {
              ...before.function,
              arguments: before.function.arguments + piece.function.arguments,
            },
          }
        : piece;
    }
    const tool_calls = calls.map(({ index: _, ...call }) => call);
    return {
      text: content,
      calls: calls.map((call) => call.function.name),
      kept: [{ role: "assistant", content, ...(calls.length > 0 && { tool_calls }) }],
    };
  },
  more: {
    none: { tool_choice: "none" },
    required: { tool_choice: "required" },
    named: { tool_choice: { type: "function", function: { name: A } } },
  },
};

const clients = [chat];

async function start(reply: FakeReply | readonly FakeReply[] | FakeReplier, config: Json = {}) {
  const folder = await mkdtemp(join(tmpdir(), "precis-tools-"));
  const db = join(folder, "precis.db");
  const provider = await startFakeProvider({ window: 1_000_000, reply });
  const given = { ...upstreamAt(provider.url), window: 200_000, summarizer: "extractive", db };
  const open = () => startGateway({ ...given, tools: ["defer"], ...config });
  let gateway = await open();
  onTestFinished(async () => {
    await gateway.close();
    await provider.close();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    provider,
    gateway: () => gateway,
    async restart() {
      await gateway.close();
      gateway = await open();
    },
    async ask(
      client: Client,
      messages: readonly unknown[],
      { streamed = false, headers = {}, ...more }: Json & { streamed?: boolean; headers?: Json } = {},
    ): Promise<Told & { readonly headers: Headers }> {
      const response = await fetch(`${gateway.url}${client.path(streamed)}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...(headers as Record<string, string>) },
        body: JSON.stringify({ ...client.body(messages, streamed), ...more }),
      });
      const text = await response.text();
      expect(response.status, text).toBe(200);
      expect(text).not.toContain(LOADER);
      return { ...client.read(text, streamed), headers: response.headers };
    },
  };
}

const sent = ({ requests }: FakeProvider) => requests.map(({ tools }) => tools);

describe.each(
  clients.flatMap((client) => [
    { ...client, streamed: false },
    { ...client, name: `${client.name}, streamed`, streamed: true },
  ]),
)("$name", (client) => {
  const { streamed } = client;

  it("what the model asks for is declared from then on, also after a restart", async () => {
    const { provider, ask, restart } = await start([
      { calls: [loads(A)] },
      { text: "I do it.", calls: [{ name: A, args: { name: "x" } }] },
      "It is done.",
      { calls: [loads(B, C)] },
      "All loaded.",
      "Going on.",
    ]);
    const messages = [client.user("Do job 7.")];
    const first = await ask(client, messages, { streamed });
    expect(first.calls).toEqual([A]);
    expect(sent(provider)).toEqual([[LOADER], [LOADER, A]]);
    messages.push(...first.kept, ...client.results(first.kept));
    const second = await ask(client, messages, { streamed });
    expect(second.text).toBe("It is done.");
    messages.push(...second.kept, client.user("Now the others."));
    await restart();
    const third = await ask(client, messages, { streamed });
    expect(third.text).toBe("All loaded.");
    messages.push(...third.kept, client.user("Go on."));
    await restart();
    await ask(client, messages, { streamed });
    expect(sent(provider).slice(2)).toEqual([
      [LOADER, A],
      [LOADER, A],
      [LOADER, A, B, C],
      [LOADER, A, B, C],
    ]);
    const { requests } = provider;
    // What was sent stays as it was: the provider's prompt cache is hit.
    expect(requests[2]!.messages.slice(0, requests[1]!.messages.length)).toEqual(requests[1]!.messages);
    expect(requests[5]!.messages.slice(0, requests[4]!.messages.length)).toEqual(requests[4]!.messages);
  });
});
