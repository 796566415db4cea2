/** Declarations on demand: the model gets names, asks for what it needs, and the prompt's beginning changes only then. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  type FakeProvider,
  type FakeReplier,
  type FakeReply,
  startFakeProvider,
} from "../../src/testing/fake-provider/index.ts";
import { modelInfo, spendOf } from "../../src/tokens/model-info.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { type Declared, toolClients } from "./tool-clients.ts";
import { totalsOf } from "./totals-of.ts";

type Json = Readonly<Record<string, unknown>>;

const LOADER = "precis_load_tools";
const SERVERS = ["tracker", "calendar", "drive"];
const VERBS = ["find", "make", "move", "list"];
/** Functions of a few MCP servers, as long as those are. */
const FUNCTIONS: readonly Declared[] = Array.from({ length: 60 }, (_, n) => ({
  name: `${SERVERS[n % 3]}_${VERBS[n % 4]}_${n}`,
  description: `Does job ${n} of the server. It takes names and numbers as the server has them. ${"Give an exact name, or leave it out. ".repeat(6)}`,
  parameters: {
    type: "object",
    properties: {
      name: { type: "string", description: "An exact name, as the server's own list has it." },
      limit: { type: "integer", description: "At most so many, the newest first." },
    },
    required: ["name"],
  },
}));
const NAMES = FUNCTIONS.map(({ name }) => name);
const [A, B, C] = [NAMES[7]!, NAMES[20]!, NAMES[33]!];
const loads = (...names: string[]) => ({ name: LOADER, args: { names } });
const calls = (name: string) => ({ name, args: { name: "x" } });

let url = "";
const { chatClient, messagesClient, responsesClient, geminiClient, ollamaClient } = toolClients(() => url);
const clients = [false, true].flatMap((streamed) => [
  chatClient(streamed),
  messagesClient(streamed),
  messagesClient(streamed, true),
  responsesClient(streamed),
  geminiClient(streamed, "gemini-3-pro-preview"),
  ollamaClient(streamed),
]);

/** A gateway on a file, which can be started anew. */
async function start(reply: FakeReply | readonly FakeReply[] | FakeReplier, config: Json = {}) {
  const folder = await mkdtemp(join(tmpdir(), "precis-tools-"));
  const provider = await startFakeProvider({ window: 1_000_000, reply });
  const given = {
    ...upstreamAt(provider.url),
    window: 200_000,
    summarizer: "extractive",
    db: join(folder, "precis.db"),
    tools: ["defer"],
    ...config,
  };
  const running = [await startGateway(given)];
  url = running[0]!.url;
  onTestFinished(async () => {
    for (const gateway of running) await gateway.close();
    await provider.close();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    provider,
    gateway: () => running.at(-1)!.gateway,
    /** Another server on the same database, which knows nothing but what is stored; the one before ends or goes on. */
    async another({ ends }: { readonly ends: boolean }) {
      if (ends) await running.pop()!.close();
      running.push(await startGateway(given));
      url = running.at(-1)!.url;
    },
  };
}

const sent = ({ requests }: FakeProvider) => requests.map(({ tools }) => tools);
/** What the model was answered last. */
const result = ({ requests }: FakeProvider) => requests.at(-1)!.messages.at(-1)!.text;

describe.each(clients)("$name", (client) => {
  const tools = client.tools(FUNCTIONS);
  const ask = (messages: readonly unknown[], more: Json = {}) => client.ask(messages, { tools, ...more });

  it("what the model asks for is declared from then on, by any server", async () => {
    const { provider, another } = await start([
      { text: "I load it.", reasoning: "Job 7.", calls: [loads(A)] },
      { text: "I do it.", reasoning: "Now.", calls: [calls(A)] },
      { text: "It is done.", reasoning: "Fine." },
      { reasoning: "Two more.", calls: [loads(B), loads(C)] },
      { text: "All loaded.", reasoning: "Good." },
      "Going on.",
    ]);
    const messages = [client.say("user", "Do job 7.")];
    const first = await ask(messages);
    expect(first.calls).toEqual([A]);
    expect(first.text.replaceAll("\n", "")).toBe("I load it.I do it.");
    expect(sent(provider)).toEqual([[LOADER], [LOADER, A]]);
    messages.push(...first.kept, ...client.results(first.kept, "Done."));
    await another({ ends: false });
    const second = await ask(messages);
    expect(second.text).toBe("It is done.");
    messages.push(...second.kept, client.say("user", "Now the others."));
    await another({ ends: true });
    const third = await ask(messages);
    expect(third.text).toBe("All loaded.");
    messages.push(...third.kept, client.say("user", "Go on."));
    await another({ ends: true });
    await ask(messages);
    expect(sent(provider).slice(2)).toEqual([
      [LOADER, A],
      [LOADER, A],
      [LOADER, A, B, C],
      [LOADER, A, B, C],
    ]);
    const { requests } = provider;
    expect(requests.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    // What was sent stays as it was: the provider's prompt cache is hit.
    for (const [earlier, later] of [
      [1, 2],
      [2, 3],
      [4, 5],
    ] as const) {
      const shared = requests[earlier]!.messages;
      expect(requests[later]!.messages.slice(0, shared.length)).toEqual(shared);
    }
  });

  it("the loader beside a call of the client's, and what it is answered for every kind of name", async () => {
    const { provider } = await start([
      { text: "Both.", reasoning: "At once.", calls: [loads(A, B), calls(C)] },
      { reasoning: "Again.", calls: [loads(A, NAMES[1]!, "tracker_find_nothing")] },
      { text: "Fine.", reasoning: "Done." },
    ]);
    const messages = [client.say("user", "Do some jobs.")];
    const first = await ask(messages);
    expect(first.calls).toEqual([C]);
    expect(sent(provider)).toEqual([[LOADER]]);
    const second = await ask([...messages, ...first.kept, ...client.results(first.kept, "Done.")]);
    expect(second.text).toBe("Fine.");
    // What was called without having been loaded is declared as well.
    expect(sent(provider).slice(1)).toEqual([
      [LOADER, A, B, C],
      [LOADER, A, B, C, NAMES[1]],
    ]);
    expect(result(provider)).toContain(`Loaded: ${NAMES[1]}.`);
    expect(result(provider)).toContain(`You had these already: ${A}.`);
    expect(result(provider)).toContain(`There is no tool "tracker_find_nothing". Similar: tracker_find_0,`);
    expect(provider.requests.map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

const GEMINI = "/v1beta/models/gemini-3-pro-preview:generateContent";
const PATHS = {
  chat: "/v1/chat/completions",
  messages: "/v1/messages",
  responses: "/v1/responses",
  gemini: GEMINI,
} as const;
type Api = keyof typeof PATHS;
const TOOLS: Readonly<Record<Api, readonly unknown[]>> = {
  chat: chatClient(false).tools(FUNCTIONS),
  messages: messagesClient(false).tools(FUNCTIONS),
  responses: responsesClient(false).tools(FUNCTIONS),
  gemini: geminiClient(false, "").tools(FUNCTIONS),
};
const bodyOf = (api: Api, more: Json): string =>
  JSON.stringify({
    ...(api === "gemini"
      ? { contents: [{ role: "user", parts: [{ text: "Hello." }] }] }
      : {
          model: api === "messages" ? "claude-opus-5" : "gpt-5",
          [api === "responses" ? "input" : "messages"]: [{ role: "user", content: "Hello." }],
        }),
    ...(api === "messages" && { max_tokens: 500 }),
    tools: TOOLS[api],
    ...more,
  });
async function post(api: Api, body: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${url}${PATHS[api]}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  expect(response.status, await response.clone().text()).toBe(200);
  return { why: response.headers.get("x-precis-tools"), json: (await response.json()) as Json };
}

describe("what stays as it is, to the byte", () => {
  const few = FUNCTIONS.slice(0, 8);
  const searched = { ...(TOOLS.messages[0] as Json), defer_loading: true };
  const forGemini = (functionCallingConfig: Json) => ({ toolConfig: { functionCallingConfig } });
  it.each<readonly [why: string, Api, Json]>([
    ["named-tool", "chat", { tool_choice: "required" }],
    ["named-tool", "chat", { tool_choice: { type: "function", function: { name: A } } }],
    [
      "named-tool",
      "chat",
      { tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [] } } },
    ],
    ["named-tool", "responses", { tool_choice: { type: "function", name: A } }],
    ["named-tool", "messages", { tool_choice: { type: "any" } }],
    ["named-tool", "messages", { tool_choice: { type: "tool", name: A } }],
    ["named-tool", "gemini", forGemini({ mode: "ANY" })],
    ["named-tool", "gemini", forGemini({ mode: "AUTO", allowedFunctionNames: [A] })],
    ["named-tool", "gemini", forGemini({ mode: "A_MODE_OF_TOMORROW" })],
    ["named-tool", "gemini", { tool_config: { function_calling_config: { mode: "ANY" } } }],
    ["few-tools", "chat", { tools: chatClient(false).tools(few) }],
    ["few-tools", "messages", { tools: messagesClient(false).tools(few) }],
    ["few-tools", "responses", { tools: responsesClient(false).tools(few) }],
    ["few-tools", "gemini", { tools: geminiClient(false, "").tools(few) }],
    ["few-tools", "chat", { tools: undefined }],
    ["few-tools", "chat", { tools: [...TOOLS.chat, TOOLS.chat[0]] }],
    ["own-search", "messages", { tools: [...TOOLS.messages.slice(1), searched] }],
    ["own-search", "responses", { tools: [...TOOLS.responses, { type: "tool_search" }] }],
    ["bound-thinking", "messages", { model: "claude-opus-5-5" }],
    ["functions", "chat", { tools: undefined, functions: FUNCTIONS }],
    ["provider-tools", "gemini", { tools: [...TOOLS.gemini, { googleSearch: {} }] }],
  ])("%s: %s", async (why, api, more) => {
    const { provider } = await start("Fine.");
    // The fake doesn't know of each of these; what left for it is what counts.
    const body = bodyOf(api, more);
    const response = await fetch(`${url}${PATHS[api]}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(response.headers.get("x-precis-tools")).toBe(`none; why=${why}`);
    expect(provider.requests[0]?.raw ?? provider.otherRequests[0]!.raw).toBe(body);
  });

  it.each<readonly [string, Json, Readonly<Record<string, string>>]>([
    ["auto-off", { auto: false }, {}],
    ["auto-off", {}, { "x-precis-options": '{"auto":false}' }],
    ["not-seen", {}, { "x-precis-off": "1" }],
    ["not-seen", { observe: true }, {}],
    ["no-store", { store: false }, {}],
  ])("%s", async (why, config, headers) => {
    const { provider } = await start("Fine.", config);
    for (const api of Object.keys(PATHS) as Api[]) {
      const body = bodyOf(api, {});
      expect((await post(api, body, headers)).why).toBe(`none; why=${why}`);
      expect(provider.requests.at(-1)!.raw).toBe(body);
    }
  });
});

describe("what is asked for", () => {
  it("a request, an upstream, or the whole server", async () => {
    const { provider } = await start("Fine.", { tools: undefined });
    await post("chat", bodyOf("chat", {}));
    expect((await post("chat", bodyOf("chat", {}), { "x-precis-tools": "defer" })).why).toBe("defer");
    expect(provider.requests.map(({ tools }) => tools.length)).toEqual([60, 1]);
    const upstreams = [{ name: "fake", baseURL: provider.url, tools: ["defer", "recall"] }];
    const { another: _, ...own } = await start("Fine.", { tools: [], upstreams });
    await post("chat", bodyOf("chat", {}));
    expect(provider.requests.at(-1)!.tools).toEqual(["precis_recall", LOADER]);
    await post("chat", bodyOf("chat", {}), { "x-precis-tools": "none" });
    expect(provider.requests.at(-1)!.tools).toEqual(NAMES);
    expect(own.provider.requests).toEqual([]);
  });

  it("a call is forbidden for once: the beginning of the prompt stays as it is", async () => {
    const { provider } = await start("Fine.");
    for (const more of [{}, { tool_choice: "none" }, { tool_choice: "auto" }])
      await post("chat", bodyOf("chat", more));
    expect(sent(provider)).toEqual([[LOADER], [LOADER], [LOADER]]);
  });

  it("tools of other shapes stay where they are, before the list", async () => {
    const { provider } = await start("Fine.");
    const marked = { ...(TOOLS.messages[3] as Json), cache_control: { type: "ephemeral" } };
    const search = { type: "web_search_20250305", name: "web_search", max_uses: 5 };
    const computer = {
      type: "computer_20250124",
      name: "computer",
      display_width_px: 1_024,
      display_height_px: 768,
    };
    await post(
      "messages",
      bodyOf("messages", { tools: [search, ...TOOLS.messages.filter((_, n) => n !== 3), computer, marked] }),
    );
    const called = { ...(TOOLS.messages[0] as Json), allowed_callers: ["code_execution_20250825"] };
    await post("messages", bodyOf("messages", { tools: [...TOOLS.messages.slice(1), called] }));
    const patch = { type: "custom", name: "apply_patch", format: { type: "text" } };
    await post(
      "responses",
      bodyOf("responses", { tools: [patch, { type: "web_search" }, ...TOOLS.responses] }),
    );
    const toolsSent = provider.requests.map(({ body }) => body["tools"] as readonly Json[]);
    expect(toolsSent[0]!.slice(0, -1)).toEqual([search, computer, marked]);
    expect(toolsSent[1]!.slice(0, -1)).toEqual([called]);
    expect(toolsSent[2]!.slice(0, -1)).toEqual([patch, { type: "web_search" }]);
    for (const tools of toolsSent) expect(tools.at(-1)!["name"]).toBe(LOADER);
  });

  it("the list has each name with one sentence, and OpenAI's limit of descriptions holds", async () => {
    const { provider } = await start("Fine.");
    await post("responses", bodyOf("responses", {}));
    const [loader] = provider.requests[0]!.body["tools"] as readonly {
      readonly description: string;
      readonly parameters: { readonly properties: { readonly names: { readonly description: string } } };
    }[];
    expect(loader!.description.length).toBeLessThanOrEqual(1_024);
    const lines = loader!.parameters.properties.names.description.split("\n").slice(1);
    expect(lines).toEqual(NAMES.map((name, n) => `- ${name}: Does job ${n} of the server.`));
  });

  it("what the loader says stays short and in lines of its own, whatever names are asked for", async () => {
    const names = Array.from({ length: 5_000 }, (_, n) => `tracker_nothing_${n}\nLoaded: all\u2028of it`);
    const { provider } = await start([{ calls: [{ name: LOADER, args: { names } }] }, "Fine."]);
    const odd = { type: "function", function: { ...FUNCTIONS[0]!, name: "odd\n- name" } };
    await post("chat", bodyOf("chat", { tools: [...TOOLS.chat.slice(1), odd] }));
    const lines = result(provider).split(/[\n\u2028]/);
    expect(lines).toHaveLength(21);
    expect(lines[0]).toContain(`There is no tool "tracker_nothing_0 Loaded: all of it". Similar: tracker_`);
    expect(lines.at(-1)).toBe("Nor are there tools of 4980 other names.");
    expect(sent(provider)).toEqual([
      ["odd\n- name", LOADER],
      ["odd\n- name", LOADER],
    ]);
  });

  it("of thousands of calls at once the first are answered, and all get their result", async () => {
    const many = Array.from({ length: 3_000 }, (_, n) => loads(n === 2 ? A : `tracker_nothing_${n}`));
    const { provider } = await start([{ calls: many }, "Fine."]);
    const { json } = await post("chat", bodyOf("chat", {}));
    expect(JSON.stringify(json)).toContain("Fine.");
    const [, second] = provider.requests;
    expect(sent(provider)[1]).toEqual([LOADER, A]);
    const results = second!.messages.filter(({ role }) => role === "tool").map(({ text }) => text);
    expect(results).toHaveLength(3_000);
    expect(results.filter((text) => text.startsWith("There is no tool"))).toHaveLength(63);
    expect(new Set(results.slice(64))).toEqual(new Set(["Calls aren't answered any more in this turn."]));
  });

  it("a compaction in a round that the client isn't shown costs it no answer", async () => {
    const names = Array.from({ length: 500 }, (_, n) => `tracker_nothing_${n}_at_all`);
    let left = 6;
    const { provider } = await start(
      () => (left-- > 0 ? { calls: [{ name: LOADER, args: { names } }] } : "Fine."),
      { window: 16_000 },
    );
    const { json } = await post("chat", bodyOf("chat", {}));
    expect(JSON.stringify(json)).toContain("Fine.");
    expect(JSON.stringify(provider.requests.at(-1)!.messages)).toMatch(/summary/i);
  });

  it("a model that loads and loads has an answer for its client in the end", async () => {
    const { provider } = await start(({ tools }) =>
      tools.includes(LOADER) ? { calls: [loads(NAMES[tools.length]!)] } : "All that I need.",
    );
    const client = chatClient(true);
    const messages = [client.say("user", "Load.")];
    const tools = client.tools(FUNCTIONS);
    const told = await client.ask(messages, { tools });
    expect(told.text).toBe("All that I need.");
    expect(sent(provider).map(({ length }) => length)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 8]);
    expect(sent(provider).at(-1)).toEqual(NAMES.slice(1, 9));
    // The next request has the loader again.
    await client.ask([...messages, ...told.kept, client.say("user", "Go on.")], { tools });
    expect(sent(provider)[9]).toEqual([LOADER, ...NAMES.slice(1, 9)]);
  });

  it.each([false, true])(
    "a tool that is larger than the window stays away (streamed: %s)",
    async (streamed) => {
      const { provider } = await start([{ calls: [loads("huge", A)] }, "Without it.", "Fine."], {
        window: 20_000,
      });
      const client = chatClient(streamed);
      const huge = { ...FUNCTIONS[0]!, name: "huge", description: "All there is, and more. ".repeat(5_000) };
      const tools = client.tools([...FUNCTIONS, huge]);
      const messages = [client.say("user", "Do it.")];
      const told = await client.ask(messages, { tools });
      expect(told.text).toBe("Without it.");
      expect(result(provider)).toMatch(
        /^Loaded: \S+\. .*\nToo large for a window of 20000 tokens: huge \(3\d{4} tokens\)\. Go on without\.$/,
      );
      await client.ask([...messages, ...told.kept, client.say("user", "Go on.")], { tools });
      expect(sent(provider)).toEqual([[LOADER], [LOADER, A], [LOADER, A]]);
    },
  );

  it("an answer that repeats the request's tools repeats those of the client", async () => {
    await start([{ calls: [loads(A)] }, "Fine."]);
    const { json } = await post("responses", bodyOf("responses", {}));
    expect(json["tools"]).toEqual(TOOLS.responses);
  });

  it("what the history has called is declared, and a client that compacts by itself starts anew", async () => {
    const { provider } = await start("Fine.");
    const messages = [
      { role: "user", content: "Do job 20." },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: B, arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: "Done." },
    ];
    await post("chat", bodyOf("chat", { messages }));
    await post("chat", bodyOf("chat", { messages: [{ role: "user", content: "So far: job 20. Go on." }] }));
    expect(sent(provider)).toEqual([[LOADER, B], [LOADER]]);
  });

  it.each([false, true])(
    "what stays loaded where the client adds an answer of its own (anew: %s)",
    async (ends) => {
      const { provider, another } = await start([{ calls: [loads(A)] }, "L.", "Fine.", "Fine again."]);
      const client = chatClient(false);
      const more = { tools: client.tools(FUNCTIONS) };
      const messages = [client.say("user", "Load it.")];
      messages.push(...(await client.ask(messages, more)).kept);
      messages.push(client.say("assistant", "A note of the client's."), client.say("user", "Go on."));
      if (ends) await another({ ends });
      messages.push(...(await client.ask(messages, more)).kept, client.say("user", "And on."));
      if (ends) await another({ ends });
      await client.ask(messages, more);
      expect(sent(provider)).toEqual([[LOADER], [LOADER, A], [LOADER, A], [LOADER, A]]);
      // The call, its result and what was said behind them: the client's own words stand there once.
      for (const { messages: seen, raw } of provider.requests.slice(2)) {
        expect(raw.split("You can call what is loaded")).toHaveLength(2);
        expect(seen.filter(({ text }) => text.includes("A note of the client's."))).toHaveLength(1);
      }
      expect(provider.requests.slice(2).map((one) => one.messages.length)).toEqual([6, 8]);
    },
  );

  it("the tools of a server under one name, as Codex declares them, come and go together", async () => {
    const { provider } = await start([
      { calls: [loads(NAMES[3]!, "drive")] },
      { calls: [calls(NAMES[6]!)] },
      { text: "Fine." },
    ]);
    const tools = SERVERS.map((server) => ({
      type: "namespace",
      name: server,
      description: `Tools of the ${server}. All of them.`,
      tools: responsesClient(false).tools(FUNCTIONS.filter(({ name }) => name.startsWith(server))),
    }));
    const exec = { type: "function", name: "exec", strict: false, parameters: { type: "object" } };
    await post("responses", bodyOf("responses", { tools: [exec, ...tools, { type: "web_search" }] }));
    const input = [
      { role: "user", content: "Hello." },
      { type: "function_call", call_id: "c1", name: NAMES[1], namespace: "calendar", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "Done." },
    ];
    await post("responses", bodyOf("responses", { input, tools }));
    const declared = provider.requests.map(({ body }) =>
      (body["tools"] as readonly Json[]).map(({ type, name = type }) => name),
    );
    expect(declared).toEqual([
      ["web_search", LOADER],
      ["web_search", LOADER, "tracker", "drive"],
      [LOADER, "calendar"],
    ]);
    expect(provider.requests[0]!.raw).toContain("- tracker (tracker_find_0, ");
  });

  it("what was loaded stays declared when a compaction hides where it was loaded", async () => {
    const { provider } = await start(
      ({ messages }) => (messages.length === 1 ? { calls: [loads(A)] } : "Noted, and on to the next part."),
      { window: 12_000 },
    );
    const client = chatClient(false);
    const messages = [client.say("user", "Let us begin.")];
    for (let n = 0; n < 30; n++) {
      const told = await client.ask(messages, { tools: client.tools(FUNCTIONS) });
      messages.push(...told.kept, client.say("user", `Part ${n}: ${"this and that once more. ".repeat(80)}`));
    }
    const last = provider.requests.at(-1)!;
    expect(last.messages.length).toBeLessThan(messages.length / 2);
    expect(last.raw).not.toContain("You can call what is loaded");
    expect(new Set(sent(provider).slice(1).map(String))).toEqual(new Set([`${LOADER},${A}`]));
  });

  it("what a client has counted is what it will be sent with", async () => {
    await start("Fine.");
    const count = async (tools: string) => {
      const response = await fetch(`${url}/v1/messages/count_tokens`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-precis-tools": tools },
        body: bodyOf("messages", {}),
      });
      return Number(((await response.json()) as Json)["input_tokens"]);
    };
    expect(await count("defer")).toBeLessThan((await count("none")) / 3);
  });
});

describe("what people are told", () => {
  /** A session of some rounds of one tool, and of another one later; what each of its requests took. */
  async function session(config: Json) {
    const reply: FakeReplier = ({ messages, tools }) => {
      // The round that loads the first one is one of them.
      const rounds = messages.filter(({ role }) => role === "assistant").length;
      const name = rounds < 12 ? A : B;
      return tools.includes(LOADER) && !tools.includes(name)
        ? { calls: [loads(name)] }
        : { calls: [calls(name)] };
    };
    const { provider, gateway } = await start(reply, config);
    const client = chatClient(false);
    const messages = [client.say("user", `Do all jobs. ${"Take your time. ".repeat(400)}`)];
    for (let n = 0; n < 16; n++) {
      const told = await client.ask(messages, { tools: client.tools(FUNCTIONS) });
      messages.push(
        ...told.kept,
        ...client.results(told.kept, `Row ${n}: ${"done and dusted, ".repeat(40)}`),
      );
    }
    const { store } = gateway();
    const { id } = (await store.conversations.list("default")).conversations[0]!;
    await expect
      .poll(async () => (await store.requests.list("default", { conversation: id })).length)
      .toBe(16);
    const rows = (await store.requests.list("default", { conversation: id, details: true })).toReversed();
    const bill = provider.requests.reduce((sum, { tokens, outputTokens }) => {
      const { input, cacheRead } = tokens;
      return sum + spendOf({ input, cacheRead, output: outputTokens }, modelInfo("gpt-4o").prices!);
    }, 0);
    const last = (await (await fetch(`${url}/api/requests/${rows.at(-1)!.id}`)).json()) as Json;
    const input = provider.requests.reduce((sum, { tokens }) => sum + tokens.input, 0);
    return { rows, bill, input, last, totals: await totalsOf(url) };
  }

  it("a request says what it was spared, and all together what the provider's bill was smaller by", async () => {
    const { rows, bill, input, last, totals } = await session({});
    const plain = await session({ tools: undefined });
    const told = rows.map(({ details }) => (details as { deferred: Json }).deferred);
    expect(told.map(({ tools, loaded }) => [tools, loaded])).toEqual(
      rows.map((_, n) => (n < 11 ? [59, 1] : [58, 2])),
    );
    expect(rows.map(({ cacheLost }) => cacheLost)).toEqual(
      rows.map((_, n) => (n === 11 ? "tools" : undefined)),
    );
    const saved = rows.reduce((sum, row) => sum + row.saved!, 0);
    expect(rows.reduce((sum, { spend }) => sum + spend!, 0)).toBeCloseTo(bill, 10);
    expect(saved / (plain.bill - bill)).toBeGreaterThan(0.85);
    expect(saved / (plain.bill - bill)).toBeLessThan(1.15);
    expect(last["deferred"]).toMatchObject({ tools: 58, tokens: told.at(-1)!["tokens"] });
    // What was sent, in the rounds of the loader too, and what was spared: together it is what the client would have sent.
    expect(totals.input).toBe(input);
    expect(totals.spend).toBeCloseTo(bill, 10);
    expect(rows.flatMap(({ spared }, n) => (spared! < 7_000 ? [n] : []))).toEqual([0, 11]);
    expect(totals.tokensSaved).toBe(rows.reduce((sum, { spared }) => sum + spared!, 0));
    expect(totals.tokensSaved / (plain.input - input)).toBeGreaterThan(0.85);
    expect(totals.tokensSaved / (plain.input - input)).toBeLessThan(1.15);
  });
});
