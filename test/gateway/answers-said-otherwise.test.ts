/** Clients that don't send an answer back word for word had a conversation for every turn. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { sharedPostgres, type TestDatabases } from "../support/postgres.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { type OwnUpstream, startUpstream } from "./own-upstream.ts";

type Gateway = Awaited<ReturnType<typeof startGateway>>;
type Json = Readonly<Record<string, unknown>>;

let postgres: TestDatabases;
let provider: FakeProvider | OwnUpstream;
let nodes: Gateway[] = [];
const folder = mkdtempSync(join(tmpdir(), "precis-echoes-"));
beforeAll(async () => {
  postgres = await sharedPostgres();
});
afterEach(async () => {
  for (const node of nodes) await node.close();
  nodes = [];
  await provider.close();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
});

let files = 0;
const STORES: Readonly<Record<string, () => Promise<string> | string>> = {
  memory: () => "memory",
  SQLite: () => join(folder, `${files++}.db`),
  PostgreSQL: () => postgres.database(),
};

/** Nodes that share a store; a store in memory has one. */
async function start(
  store: string,
  of: Parameters<typeof startFakeProvider>[0] | OwnUpstream,
): Promise<void> {
  provider = of && "seen" in of ? of : await startFakeProvider(of);
  const db = await STORES[store]!();
  const config = { ...upstreamAt(provider.url), summarizer: "extractive", db };
  for (let node = 0; node < (store === "memory" ? 1 : 2); node++) nodes.push(await startGateway(config));
}

let asked = 0;
/** Each request goes to the next node. */
async function post(path: string, body: object): Promise<Json> {
  const response = await fetch(`${nodes[asked++ % nodes.length]!.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
    body: JSON.stringify({ model: path === RESPONSES ? "gpt-5" : "gpt-4o", ...body }),
  });
  expect(response.status).toBe(200);
  return response.json() as Promise<Json>;
}
const chats = async () => (await nodes[0]!.gateway.store.conversations.list("default")).conversations;
const stored = async (id: string) => nodes[0]!.gateway.store.conversations.read("default", id);

const CHAT = "/v1/chat/completions";
const RESPONSES = "/v1/responses";
const MESSAGES = "/v1/messages";

interface Client {
  readonly path: string;
  readonly first: object;
  body(transcript: readonly object[]): object;
  /** What the client sends back of an answer, with the results of its calls. */
  echo(answer: Json, turn: number): readonly object[];
}

const listOf = (value: unknown) => value as Json[];
const chatTools = [{ type: "function", function: { name: "read", parameters: { type: "object" } } }];
const chatClient = (say: (message: Json) => object): Client => ({
  path: CHAT,
  first: { role: "user", content: "Read all files." },
  body: (messages) => ({ messages, tools: chatTools }),
  echo(answer, turn) {
    const message = listOf(answer["choices"])[0]!["message"] as Json;
    const said = say(message) as Json;
    const [call] = listOf(said["tool_calls"]);
    return [said, { role: "tool", tool_call_id: call!["id"], content: `Text ${turn}` }];
  },
});
const responsesClient = (say: (item: Json) => object | undefined): Client => ({
  path: RESPONSES,
  first: { role: "user", content: "Read all files." },
  body: (input) => ({ input, tools: [{ type: "function", name: "read", parameters: { type: "object" } }] }),
  echo(answer, turn) {
    const output = listOf(answer["output"]);
    const { call_id } = output.find(({ type }) => type === "function_call")!;
    return [
      ...output.flatMap((item) => say(item) ?? []),
      { type: "function_call_output", call_id, output: `Text ${turn}` },
    ];
  },
});
const messagesClient = (say: (blocks: readonly Json[]) => readonly object[]): Client => ({
  path: MESSAGES,
  first: { role: "user", content: "Read all files." },
  body: (messages) => ({
    model: "claude-opus-5",
    max_tokens: 1_000,
    messages,
    tools: [{ name: "read", input_schema: { type: "object" } }],
  }),
  echo(answer, turn) {
    const blocks = listOf(answer["content"]);
    const { id } = blocks.find(({ type }) => type === "tool_use")!;
    return [
      { role: "assistant", content: say(blocks) },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: `Text ${turn}` }] },
    ];
  },
});

/** Goes on from items that the provider keeps. */
const BY_NAME = "Responses: items named by their ids";
const CLIENTS: Readonly<Record<string, Client>> = {
  "Chat Completions: text beside calls left out": chatClient(({ content: _, ...message }) => ({
    ...message,
    content: "",
  })),
  "Chat Completions: text wrapped and calls with other ids": chatClient((message) => ({
    ...message,
    content: `Thought: ${String(message["content"])} Action follows.`,
    tool_calls: listOf(message["tool_calls"]).map((call, index) => ({
      ...call,
      id: `own${index}${String(call["id"]).slice(-5)}`,
    })),
  })),
  [BY_NAME]: responsesClient(({ id }) => ({ type: "item_reference", id })),
  "Responses: the message left out": responsesClient((item) =>
    item["type"] === "message" ? undefined : item,
  ),
  "Responses: calls without their ids, reasoning left out": responsesClient(({ id: _, ...item }) =>
    item["type"] === "reasoning" ? undefined : item,
  ),
  "Messages: text beside calls left out": messagesClient((blocks) =>
    blocks.filter(({ type }) => type === "tool_use"),
  ),
  "Messages: text cut": messagesClient((blocks) =>
    blocks.flatMap((block) => {
      if (block["type"] === "thinking") return [];
      return block["type"] === "text"
        ? [{ type: "text", text: String(block["text"]).slice(0, 12) }]
        : [block];
    }),
  ),
};

const ROUNDS = 8;
const working = ({ number }: { readonly number: number }) => ({
  text: `Now I read part ${number} of it, which is long.`,
  reasoning: `Part ${number} comes next.`,
  calls: [{ name: "read", args: { path: `file ${number}` } }],
});

/** A provider that knows its own items by their ids. */
function startKeeping(): Promise<OwnUpstream> {
  let number = 0;
  return startUpstream((_, __, response) => {
    const { text, reasoning, calls } = working({ number });
    const id = String(number++);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        id: `resp_${id}`,
        object: "response",
        status: "completed",
        output: [
          { type: "reasoning", id: `rs_${id}`, summary: [{ type: "summary_text", text: reasoning }] },
          {
            type: "message",
            id: `msg_${id}`,
            role: "assistant",
            content: [{ type: "output_text", text, annotations: [] }],
          },
          {
            type: "function_call",
            id: `fc_${id}`,
            call_id: `call_${id}`,
            name: "read",
            arguments: JSON.stringify(calls[0]?.args),
          },
        ],
      }),
    );
  });
}

for (const store of Object.keys(STORES))
  it.each(Object.keys(CLIENTS))(`${store}: one conversation (%s)`, async (name) => {
    await start(store, name === BY_NAME ? await startKeeping() : { reply: working });
    const client = CLIENTS[name]!;
    const transcript: object[] = [client.first];
    for (let turn = 0; turn < ROUNDS; turn++)
      transcript.push(...client.echo(await post(client.path, client.body(transcript)), turn));
    const [chat, ...others] = await chats();
    expect(others).toEqual([]);
    const messages = await stored(chat!.id);
    // Nothing is lost: each text that was given stands in the transcript, or in a branch beside what the client said instead.
    let all = "";
    for await (const line of nodes[0]!.gateway.store.upkeep.exportAll()) all += line;
    for (let turn = 0; turn < ROUNDS; turn++) expect(all).toContain(`Now I read part ${turn} of it`);
    // Every result has its place once, in order.
    const results = messages.flatMap(({ wire }) => /Text \d+/.exec(wire)?.[0] ?? []);
    expect(results).toEqual(Array.from({ length: ROUNDS - 1 }, (_, turn) => `Text ${turn}`));
    // All but the newest answer stand as the client says them, or say all that it says.
    expect(messages.length).toBeLessThanOrEqual(4 * ROUNDS);
  });

const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });
const chat = async (...messages: object[]) =>
  String((listOf((await post(CHAT, { messages }))["choices"])[0]!["message"] as Json)["content"]);
const lines = async () =>
  Promise.all(
    (await chats()).map(async ({ id }) =>
      (await stored(id)).map(({ wire }) => (JSON.parse(wire) as { content: string }).content).join(" | "),
    ),
  );

it.each(Object.keys(STORES))(
  "%s: an answer that was asked for again is a branch of its own",
  async (store) => {
    await start(store, { reply: ({ number }) => `Answer number ${number} about cats.` });
    const first = await chat(user("Cats?"));
    const again = await chat(user("Cats?"));
    expect(again).not.toBe(first);
    // Back to the first one, which comes back shortened; then to the second one, which does, too.
    await chat(user("Cats?"), assistant("Answer number 0"), user("More on the first."));
    await chat(user("Cats?"), assistant("Answer number 1"), user("More on the second."));
    expect((await lines()).sort()).toEqual([
      "Cats? | Answer number 0 | More on the first. | Answer number 2 about cats.",
      "Cats? | Answer number 1 | More on the second. | Answer number 3 about cats.",
    ]);
  },
);

it.each(Object.keys(STORES))(
  "%s: a person's edit of the newest answer goes on with the conversation",
  async (store) => {
    await start(store, { reply: ({ number }) => `Answer ${number}.` });
    await chat(user("One?"));
    await chat(user("One?"), assistant("Answer 0."), user("Two?"));
    await chat(
      user("One?"),
      assistant("Answer 0."),
      user("Two?"),
      assistant("I say: something else."),
      user("Three?"),
    );
    expect(await lines()).toEqual(["One? | Answer 0. | Two? | I say: something else. | Three? | Answer 2."]);
    const [only] = await chats();
    const messages = await stored(only!.id);
    expect(messages.map(({ rewritten }) => rewritten)).toEqual([
      undefined,
      undefined,
      undefined,
      true,
      undefined,
      undefined,
    ]);
    // What was given can still be read.
    const { behind } = nodes[0]!.gateway.store.conversations;
    const given = (await behind("default", messages[2]!.hash)).map((branch) => branch.messages[0]!.wire);
    expect(given).toContainEqual(expect.stringContaining("Answer 1."));
  },
);

it.each(Object.keys(STORES))("%s: other words of the client's own make a branch", async (store) => {
  await start(store, { reply: ({ number }) => `Answer ${number}.` });
  await chat(user("One?"));
  await chat(user("One?"), assistant("Answer 0."), user("Two?"));
  await chat(user("One?"), assistant("Answer 0!"), user("Something else?"));
  expect(await lines()).toEqual(["One? | Answer 0! | Something else? | Answer 2."]);
  await chat(user("One?"), assistant("Answer 0."), user("Two?"), assistant("Answer 1."), user("Three?"));
  expect(await lines()).toEqual(["One? | Answer 0. | Two? | Answer 1. | Three? | Answer 3."]);
});

it("chats that begin with the same words and have nothing else in common are two", async () => {
  await start("memory", { reply: ({ number }) => `Answer ${number}.` });
  await chat(user("Hello"));
  await chat(user("Hello"), assistant("The weather is fine today in Oslo"), user("And in Rome?"));
  expect((await lines()).sort()).toEqual([
    "Hello | Answer 0.",
    "Hello | The weather is fine today in Oslo | And in Rome? | Answer 1.",
  ]);
});
