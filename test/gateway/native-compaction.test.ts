import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { fileText } from "./long-task.ts";
import { post, startUpstream } from "./own-upstream.ts";

type Gateway = Awaited<ReturnType<typeof startGateway>>;
let provider: FakeProvider;
let gateway: Gateway;

beforeEach(async () => {
  provider = await startFakeProvider({ reply: "Understood." });
  gateway = await startGateway({ ...upstreamAt(provider.url), summarizer: "extractive" });
});
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

const openai = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: "k", maxRetries: 0 });
const anthropic = () => new Anthropic({ baseURL: gateway.url, apiKey: "k", maxRetries: 0 });
const said = (n: number) =>
  `Fact ${n}: the valve V-${n}00 is in hall ${n}. ${"It has been there for years. ".repeat(10)}`;

function toolRounds(count: number): Anthropic.MessageParam[] {
  return [
    { role: "user", content: "Look at everything." },
    ...Array.from({ length: count }, (_, n): Anthropic.MessageParam[] => [
      { role: "assistant", content: [{ type: "tool_use", id: `toolu_${n}`, name: "look", input: { n } }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: `toolu_${n}`, content: `Result ${n}. ${"seen ".repeat(100)}` },
        ],
      },
    ]).flat(),
  ];
}

describe("Anthropic's compaction for an upstream that has none", () => {
  const tools: Anthropic.Tool[] = [{ name: "look", input_schema: { type: "object" } }];

  it("clears old tool results and says so", async () => {
    const edit = {
      type: "clear_tool_uses_20250919",
      trigger: { type: "tool_uses", value: 4 },
      keep: { type: "tool_uses", value: 2 },
    };
    for (const stream of [false, true]) {
      const response = await fetch(`${gateway.url}/v1/messages`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": "k", "anthropic-version": "2023-06-01" },
        body: JSON.stringify({
          model: "claude-opus-5",
          max_tokens: 100,
          stream,
          tools,
          messages: toolRounds(6),
          context_management: { edits: [edit] },
        }),
      });
      const text = await response.text();
      expect(response.status, text).toBe(200);
      const sent = provider.requests.at(-1)!;
      expect(sent.body["context_management"]).toBeUndefined();
      expect(sent.raw).not.toContain("Result 0.");
      expect(sent.raw).not.toContain("Result 3.");
      expect(sent.raw).toContain("Result 4.");
      expect(text).toContain('"applied_edits":[{"type":"clear_tool_uses_20250919","cleared_tool_uses":4');
    }
  });

  it("is no reason to stand down when only thinking is concerned", async () => {
    const running = await startGateway({
      ...upstreamAt(provider.url, { nativeCompaction: true }),
      window: 4_000,
      summarizer: "extractive",
    });
    try {
      const response = await fetch(`${running.url}/v1/messages`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": "k", "anthropic-version": "2023-06-01" },
        body: JSON.stringify({
          model: "claude-opus-5",
          max_tokens: 100,
          tools,
          messages: toolRounds(60),
          context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
        }),
      });
      expect(response.headers.get("x-precis-action")).toBe("compacted");
    } finally {
      await running.close();
    }
  });

  it("summarises on demand, and takes the summary back", async () => {
    const messages = [0, 1, 2].flatMap((n): Anthropic.MessageParam[] => [
      { role: "user", content: said(n) },
      { role: "assistant", content: "Noted." },
    ]);
    const body = { model: "claude-opus-5", max_tokens: 1_000, messages, compaction: { type: "summarize" } };
    const answer = (await anthropic().messages.create(
      body as unknown as Anthropic.MessageCreateParamsNonStreaming,
    )) as unknown as {
      stop_reason: string;
      content: { type: string; content: string }[];
    };
    expect(answer.stop_reason).toBe("compaction");
    expect(answer.content).toHaveLength(1);
    expect(answer.content[0]!.type).toBe("compaction");
    expect(answer.content[0]!.content).toContain("V-100");
    expect(provider.requests).toHaveLength(0);
    const next = {
      ...body,
      compaction: undefined,
      messages: [
        { role: "assistant", content: answer.content },
        { role: "user", content: "Where is V-200?" },
      ],
    };
    await anthropic().messages.create(next as unknown as Anthropic.MessageCreateParamsNonStreaming);
    const sent = provider.requests.at(-1)!;
    expect(sent.status).toBe(200);
    expect(sent.raw).toContain("V-100");
    expect(sent.raw).not.toContain('"compaction"');
  });
});

describe("a threshold for an upstream that has no compaction of its own", () => {
  const threshold = (value: number, more: object = {}) => ({
    context_management: {
      edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value }, ...more }],
    },
  });
  const messages = [
    ...[0, 1, 2, 3].flatMap((n): Anthropic.MessageParam[] => [
      { role: "user", content: said(n) },
      { role: "assistant", content: "Noted." },
    ]),
    { role: "user" as const, content: "Where is V-200?" },
  ];
  const ask = (body: object) =>
    anthropic().messages.create({
      model: "claude-opus-5",
      max_tokens: 100,
      messages,
      ...body,
    } as unknown as Anthropic.MessageCreateParamsNonStreaming) as unknown as Promise<{
      stop_reason: string;
      content: { type: string; content?: string; text?: string }[];
    }>;

  it("Anthropic: below it nothing happens, above it the block stands first in the answer and comes back", async () => {
    const below = await ask(threshold(50_000));
    expect(below.content.map(({ type }) => type)).toEqual(["text"]);
    expect(provider.requests.at(-1)!.raw).toContain("hall 0");
    const answer = await ask(threshold(100));
    expect(answer.content.map(({ type }) => type)).toEqual(["compaction", "text"]);
    expect(answer.content[0]!.content).toContain("V-100");
    expect(answer.stop_reason).toBe("end_turn");
    const sent = provider.requests.at(-1)!;
    expect(sent.raw).toContain("Where is V-200?");
    expect(sent.messages.length).toBeLessThan(messages.length);
    const next = await ask({
      messages: [
        ...messages,
        { role: "assistant", content: answer.content },
        { role: "user", content: "And V-300?" },
      ],
      ...threshold(50_000),
    });
    expect(next.content.map(({ type }) => type)).toEqual(["text"]);
    expect(provider.requests.at(-1)!.raw).not.toContain('"compaction"');
    expect(provider.requests.at(-1)!.messages.length).toBeLessThan(messages.length);
    // What the client sends back is what was stored: it is still one conversation.
    const { conversations } = await gateway.gateway.store.conversations.list("default");
    expect(conversations.map(({ length }) => length).sort()).toContain(messages.length + 3);
  });

  it("Anthropic: streamed, as the client's own reader puts it together", async () => {
    const stream = anthropic().messages.stream({
      model: "claude-opus-5",
      max_tokens: 100,
      messages,
      ...threshold(100),
    } as unknown as Anthropic.MessageCreateParams);
    const starts: string[] = [];
    stream.on("streamEvent", (event) => {
      if (event.type === "content_block_start") starts.push(`${event.index} ${event.content_block.type}`);
    });
    const { content } = await stream.finalMessage();
    expect(starts).toEqual(["0 compaction", "1 text"]);
    expect(content.at(-1)).toMatchObject({ type: "text", text: "Understood." });
  });

  it("Anthropic: pauses where it was asked to", async () => {
    const answer = await ask(threshold(100, { pause_after_compaction: true }));
    expect(answer.stop_reason).toBe("compaction");
    expect(answer.content.map(({ type }) => type)).toEqual(["compaction"]);
    expect(provider.requests).toHaveLength(0);
  });

  it("Anthropic: a round under way stays whole", async () => {
    await ask({
      messages: toolRounds(6),
      tools: [{ name: "look", input_schema: { type: "object" } }],
      ...threshold(100),
    });
    const sent = provider.requests.at(-1)!;
    expect(sent.status).toBe(200);
    expect(sent.raw).toContain("Result 5.");
    expect(sent.raw).toContain("toolu_5");
    expect(sent.raw).not.toContain("toolu_0");
  });

  it("OpenAI: the item stands first in the output, streamed or not", async () => {
    const input = messages as OpenAI.Responses.ResponseInputItem[];
    const context_management = [{ type: "compaction", compact_threshold: 100 }];
    const body = { model: "gpt-5", input, store: false, context_management };
    const plain = await openai().responses.create(body as OpenAI.Responses.ResponseCreateParamsNonStreaming);
    expect(plain.output.map(({ type }) => type)).toEqual(["compaction", "message"]);
    const stream = await openai().responses.create({
      ...body,
      stream: true,
    } as OpenAI.Responses.ResponseCreateParamsStreaming);
    const added: string[] = [];
    let numbers = 0;
    let output: string[] = [];
    for await (const event of stream) {
      expect(event.sequence_number).toBe(numbers++);
      if (event.type === "response.output_item.added") added.push(`${event.output_index} ${event.item.type}`);
      if (event.type === "response.completed") output = event.response.output.map(({ type }) => type);
    }
    expect(added).toEqual(["0 compaction", "1 message"]);
    expect(output).toEqual(["compaction", "message"]);
    const next = await openai().responses.create({
      ...body,
      context_management: undefined,
      input: [
        ...input,
        ...(plain.output as OpenAI.Responses.ResponseInputItem[]),
        { role: "user", content: "And V-300?" },
      ],
    } as unknown as OpenAI.Responses.ResponseCreateParamsNonStreaming);
    expect(next.output.map(({ type }) => type)).toEqual(["message"]);
    expect(provider.requests.at(-1)!.raw).not.toContain("encrypted_content");
  });
});

describe("OpenAI's compaction for an upstream that has none", () => {
  const input = [0, 1, 2].flatMap((n): OpenAI.Responses.ResponseInputItem[] => [
    { role: "user", content: said(n) },
    { role: "assistant", content: "Noted." },
  ]);

  it("answers a trigger with one compaction item, streamed or not, and takes it back", async () => {
    const trigger = { type: "compaction_trigger" } as unknown as OpenAI.Responses.ResponseInputItem;
    const plain = await openai().responses.create({
      model: "gpt-5",
      input: [...input, trigger],
      store: false,
    });
    expect(plain.output.map(({ type }) => type)).toEqual(["compaction"]);
    const stream = await openai().responses.create({
      model: "gpt-5",
      input: [...input, trigger],
      store: false,
      stream: true,
    });
    const types: string[] = [];
    let item: unknown;
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === "response.output_item.done") item = event.item;
    }
    expect(types.at(0)).toBe("response.created");
    expect(types.at(-1)).toBe("response.completed");
    expect(provider.requests).toHaveLength(0);
    await openai().responses.create({
      model: "gpt-5",
      input: [item as OpenAI.Responses.ResponseInputItem, { role: "user", content: "Where is V-200?" }],
      store: false,
    });
    expect(provider.requests[0]!.messages.some(({ text }) => text.includes("V-100"))).toBe(true);
    // A bridge to Anthropic, such as LiteLLM's, would drop an item of this kind.
    expect(provider.requests[0]!.raw).not.toMatch(/encrypted_content|"compaction/);
  });

  it("answers POST /v1/responses/compact", async () => {
    const response = await fetch(`${gateway.url}/v1/responses/compact`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-5", input }),
    });
    const answer = (await response.json()) as { object: string; output: { type?: string; role?: string }[] };
    expect(answer.object).toBe("response.compaction");
    expect(answer.output.filter(({ role }) => role === "user")).toHaveLength(3);
    expect(answer.output.at(-1)!.type).toBe("compaction");
  });

  it("rebuilds what previous_response_id stands for, as one conversation", async () => {
    const first = await openai().responses.create({ model: "gpt-5", input: "My name is Ada." });
    const second = await openai().responses.create({
      model: "gpt-5",
      input: "What is it?",
      previous_response_id: first.id,
    });
    await openai().responses.create({
      model: "gpt-5",
      input: "Are you sure?",
      previous_response_id: second.id,
    });
    const sent = provider.requests.at(-1)!;
    expect(sent.body["previous_response_id"]).toBeUndefined();
    expect(sent.messages.map(({ text }) => text)).toEqual([
      "My name is Ada.",
      "Understood.",
      "What is it?",
      "Understood.",
      "Are you sure?",
    ]);
    const { conversations } = await gateway.gateway.store.conversations.list("default");
    expect(conversations.map(({ length }) => length)).toEqual([6]);
  });

  it("is forwarded untouched where the upstream has it", async () => {
    const running = await startGateway(upstreamAt(provider.url, { nativeCompaction: true }));
    try {
      const body = JSON.stringify({
        model: "gpt-5",
        input: [...input],
        context_management: [{ type: "compaction", compact_threshold: 1_000 }],
      });
      const response = await fetch(`${running.url}/v1/responses`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      expect(response.headers.get("x-precis-action")).toBe("untouched");
      expect(provider.requests[0]!.raw).toBe(body);
    } finally {
      await running.close();
    }
  });
});

interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly content?: string | readonly { readonly text: string }[];
  readonly id?: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly output?: string;
  readonly summary?: readonly { readonly text: string }[];
  readonly encrypted_content?: string;
}

/** What bridges make of the input of a Responses request for Anthropic. What they don't know falls away. */
function bridged(input: readonly Item[]): { role: string; content: object[] }[] {
  const messages: { role: string; content: object[] }[] = [];
  const add = (role: string, block: object) => {
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(block);
    else messages.push({ role, content: [block] });
  };
  for (const item of input) {
    const { type = "message", role = "user", content = "", call_id, name, output } = item;
    const text = typeof content === "string" ? content : content.map((part) => part.text).join("\n");
    if (type === "message") add(role === "assistant" ? role : "user", { type: "text", text });
    else if (type === "reasoning")
      add("assistant", {
        type: "thinking",
        thinking: item.summary![0]!.text,
        signature: item.encrypted_content,
      });
    else if (type === "function_call")
      add("assistant", { type: "tool_use", id: call_id, name, input: JSON.parse(item.arguments!) });
    else if (type === "function_call_output")
      add("user", { type: "tool_result", tool_use_id: call_id, content: output });
  }
  return messages;
}

it("a Codex session of many rounds whose upstream is a bridge to Anthropic: nothing is refused, and nothing falls away", {
  timeout: 120_000,
}, async () => {
  await provider.close();
  provider = await startFakeProvider({
    window: 400_000,
    reply: ({ number }) => ({
      reasoning: `Number ${number} comes next.`,
      ...(number % 9 === 8
        ? { text: "That is done." }
        : { calls: [{ name: "shell", args: { command: `cat src/a-${number}.ts` }, id: `toolu_${number}` }] }),
    }),
  });
  const seen: Item[][] = [];
  const bridge = await startUpstream(async (request, bytes, response) => {
    const say = (status: number, json: object) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(json));
    };
    if (request.url !== "/v1/responses") return say(404, {});
    const body = JSON.parse(bytes.toString()) as { input: Item[]; instructions: string; model: string };
    seen.push(body.input);
    const answerOf = (item: Item | undefined) => item?.id?.split("_")[1];
    const lonely = body.input.findIndex(
      (item, at) => item.type === "reasoning" && answerOf(body.input[at + 1]) !== answerOf(item),
    );
    if (lonely >= 0)
      return say(400, {
        error: { message: `Item ${lonely} was provided without its required following item.` },
      });
    const answer = await post(
      `${provider.url}/v1/messages`,
      {
        ...{ model: body.model, max_tokens: 4_000, system: body.instructions },
        thinking: { type: "enabled", budget_tokens: 1_024 },
        tools: [{ name: "shell", input_schema: { type: "object" } }],
        messages: bridged(body.input),
      },
      { "x-api-key": "k", "anthropic-version": "2023-06-01" },
    );
    const json = (await answer.json()) as Anthropic.Message & { error?: object };
    if (answer.status !== 200) return say(answer.status, json);
    const number = seen.length;
    const output = json.content.map((block): Item => {
      if (block.type === "thinking") {
        const summary = [{ type: "summary_text", text: block.thinking }];
        return { type: "reasoning", id: `rs_${number}`, summary, encrypted_content: block.signature };
      }
      if (block.type === "tool_use") {
        const { id, name, input } = block;
        const call = { type: "function_call", id: `fc_${number}`, call_id: id, name };
        return { ...call, arguments: JSON.stringify(input) };
      }
      const text = block.type === "text" ? block.text : "";
      const content = [{ type: "output_text", text, annotations: [] }];
      return { type: "message", id: `msg_${number}`, role: "assistant", content };
    });
    const { input_tokens: input = 0, output_tokens = 0 } = json.usage;
    const usage = { input_tokens: input, output_tokens, total_tokens: input + output_tokens };
    say(200, {
      id: `resp_${number}`,
      object: "response",
      status: "completed",
      model: body.model,
      output,
      usage,
    });
  });
  const running = await startGateway({
    ...upstreamAt(`${bridge.url}/v1`),
    window: 12_000,
    summarizer: "extractive",
  });
  try {
    let input: Item[] = [{ role: "user", content: `Look through the code. ${said(1)}` }];
    const actions = new Set<string | null>();
    for (let round = 0; round < 48; round++) {
      const isCompacting = round === 20;
      const response = await post(`${running.url}/v1/responses`, {
        ...{ model: "claude-sonnet-4-5", instructions: "You are a coding agent.", store: false },
        include: ["reasoning.encrypted_content"],
        tools: [
          { type: "function", name: "shell", parameters: { type: "object", properties: {} }, strict: false },
        ],
        ...(round > 30 && { context_management: [{ type: "compaction", compact_threshold: 6_000 }] }),
        input: isCompacting ? [...input, { type: "compaction_trigger" }] : input,
      });
      const text = await response.text();
      expect(response.status, `${round}: ${text}`).toBe(200);
      actions.add(response.headers.get("x-precis-action"));
      const { output } = JSON.parse(text) as { output: Item[] };
      if (isCompacting) {
        expect(output.map(({ type }) => type)).toEqual(["compaction"]);
        // As Codex goes on: what the user said, and the item.
        input = [...input.filter(({ role }) => role === "user"), ...output];
        input.push({ role: "user", content: "Go on." });
        continue;
      }
      input.push(...output);
      const call = output.find(({ type }) => type === "function_call");
      input.push(
        call
          ? {
              type: "function_call_output",
              call_id: call.call_id!,
              output: fileText(`a-${round}`).slice(0, 1_500),
            }
          : { role: "user", content: `Go on with part ${round}.` },
      );
    }
    expect(actions).toContain("compacted");
    expect(new Set(seen.flat().map(({ type = "message" }) => type))).toEqual(
      new Set(["message", "reasoning", "function_call", "function_call_output"]),
    );
    for (const { raw } of provider.requests) expect(raw).toContain("V-100");
  } finally {
    await running.close();
    await bridge.close();
  }
});
