import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post } from "./own-upstream.ts";

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeEach(async () => {
  provider = await startFakeProvider({ reply: "Understood.", unknownFields: "ignore" });
  gateway = await startGateway({ ...upstreamAt(provider.url), summarizer: "extractive" });
});
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

const tools = [{ name: "look", input_schema: { type: "object" as const } }];

function rounds(count: number): Anthropic.Beta.BetaMessageParam[] {
  return [
    { role: "user", content: "Look at everything." },
    ...Array.from({ length: count }, (_, n): Anthropic.Beta.BetaMessageParam[] => [
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

describe("Anthropic's shapes", () => {
  const client = () => new Anthropic({ baseURL: gateway.url, apiKey: "k", maxRetries: 0 });
  const edits: Anthropic.Beta.BetaContextManagementConfig["edits"] = [
    {
      type: "clear_tool_uses_20250919",
      trigger: { type: "tool_uses", value: 4 },
      keep: { type: "tool_uses", value: 2 },
    },
    { type: "compact_20260112", trigger: { type: "input_tokens", value: 100 } },
  ];
  const asked = {
    model: "claude-opus-5",
    max_tokens: 100,
    tools,
    messages: rounds(6),
    betas: ["context-management-2025-06-27", "compact-2026-01-12", "interleaved-thinking-2025-05-14"],
  };
  const iteration = (type: string) => ({
    type,
    input_tokens: expect.any(Number),
    output_tokens: expect.any(Number),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  });

  it("tells what each step cost, streamed or not", async () => {
    const plain = await client().beta.messages.create({ ...asked, context_management: { edits } });
    const streamed = await client()
      .beta.messages.stream({ ...asked, context_management: { edits } })
      .finalMessage();
    for (const answer of [plain, streamed]) {
      expect(answer.content.map(({ type }) => type)).toEqual(["compaction", "text"]);
      expect(answer.usage.iterations).toMatchObject([iteration("compaction"), iteration("message")]);
      const [, message] = answer.usage.iterations as { input_tokens: number; output_tokens: number }[];
      expect(message).toMatchObject({
        input_tokens: answer.usage.input_tokens,
        output_tokens: answer.usage.output_tokens,
      });
      expect(answer.context_management).toMatchObject({
        applied_edits: [{ type: "clear_tool_uses_20250919", cleared_tool_uses: 4 }],
      });
    }
  });

  it("keeps beta flags of what it carries out itself from the upstream", async () => {
    const { response } = await client()
      .beta.messages.create({ ...asked, context_management: { edits } })
      .withResponse();
    expect(response.headers.get("x-precis-action")).toBe("compacted");
    expect(provider.requests.at(-1)!.headers["anthropic-beta"]).toBe("interleaved-thinking-2025-05-14");
    expect(provider.requests.at(-1)!.raw.match(/<conversation-summary>/g)).toHaveLength(1);
  });

  it("holds every field in an answer that is nothing but a compaction", async () => {
    const paused = edits.map((edit) =>
      edit.type === "compact_20260112" ? { ...edit, pause_after_compaction: true } : edit,
    );
    const plain = await client().beta.messages.create({ ...asked, context_management: { edits: paused } });
    const streamed = await client()
      .beta.messages.stream({ ...asked, context_management: { edits: paused } })
      .finalMessage();
    for (const answer of [plain, streamed]) {
      expect(answer).toMatchObject({
        type: "message",
        role: "assistant",
        model: "claude-opus-5",
        stop_reason: "compaction",
        stop_sequence: null,
        container: null,
        context_management: { applied_edits: [{ cleared_tool_uses: 4 }] },
        usage: {
          input_tokens: 0,
          output_tokens: 0,
          cache_read_input_tokens: 0,
          iterations: [iteration("compaction")],
        },
      });
      expect(answer.content[0]).toMatchObject({
        type: "compaction",
        content: expect.stringContaining("Result 5."),
      });
    }
  });

  it("counts what is left after edits, and what there was before", async () => {
    const count = (body: object) =>
      client().beta.messages.countTokens({
        model: "claude-opus-5",
        tools,
        messages: rounds(6),
        ...body,
      } as Anthropic.Beta.MessageCountTokensParams);
    const all = await count({});
    const left = await count({ context_management: { edits } });
    expect(left.context_management).toEqual({ original_input_tokens: all.input_tokens });
    expect(left.input_tokens).toBeLessThan(0.6 * all.input_tokens);
    const huge = { name: "t", input_schema: { type: "object", description: "word ".repeat(300_000) } };
    expect((await count({ tools: [huge] })).input_tokens).toBeGreaterThan(200_000);
  });

  it("takes a block without words for a compaction that failed: nothing is left out for it", async () => {
    const failed = { type: "compaction", content: null, encrypted_content: null };
    const response = await post(`${gateway.url}/v1/messages`, {
      model: "claude-opus-5",
      max_tokens: 50,
      messages: [
        { role: "user", content: "The code is 4711." },
        { role: "assistant", content: [failed, { type: "text", text: "Noted." }] },
        { role: "user", content: "What is it?" },
      ],
    });
    expect(response.status).toBe(200);
    const sent = provider.requests.at(-1)!;
    expect(sent.messages.map(({ text }) => text)).toEqual(["The code is 4711.", "Noted.", "What is it?"]);
  });

  it("lets the client's own tool runner work, and compact in between", async () => {
    let calls = 0;
    provider.setReply(() =>
      ++calls <= 3 ? { text: "Looking.", calls: [{ name: "look", args: { n: calls } }] } : "All done.",
    );
    const runner = client().beta.messages.toolRunner({
      model: "claude-opus-5",
      max_tokens: 200,
      messages: [{ role: "user", content: "Look at everything. The code is 4711." }],
      tools: [
        {
          type: "custom",
          name: "look",
          input_schema: { type: "object" },
          parse: (input: unknown) => input,
          run: () => `Seen ${calls}.`,
        },
      ],
    });
    const seen: string[] = [];
    for await (const message of runner) {
      seen.push(`${message.stop_reason}: ${message.content.map(({ type }) => type).join(" ")}`);
      if (seen.length === 2) runner.compactBeforeNextTurn();
    }
    expect(seen).toEqual([
      "tool_use: text tool_use",
      "tool_use: text tool_use",
      "compaction: compaction",
      "tool_use: text tool_use",
      "end_turn: text",
    ]);
    expect(provider.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const last = provider.requests.at(-1)!.raw;
    expect(last).toContain("4711");
    expect(last).toContain("Seen 3.");
    expect(last).not.toContain("thread");
  });

  it.each([
    ["compaction_nothing_to_summarize", []],
    ["compaction_incomplete_turn", rounds(2).slice(0, -1)],
  ])("refuses what can't be summarised with %s", async (code, messages) => {
    const body = {
      model: "claude-opus-5",
      max_tokens: 50,
      tools,
      messages,
      compaction: { type: "summarize" },
    };
    const response = await post(`${gateway.url}/v1/messages`, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      type: "error",
      error: { type: "invalid_request_error", details: { error_code: code } },
    });
    expect(provider.requests).toHaveLength(0);
  });
});

describe("OpenAI's shapes", () => {
  const client = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: "k", maxRetries: 0 });
  const trigger = { type: "compaction_trigger" } as unknown as OpenAI.Responses.ResponseInputItem;

  it("holds every field in an answer that is nothing but a compaction, and goes on from it by its id", async () => {
    const body = {
      model: "gpt-5",
      instructions: "Be brief.",
      temperature: 0.5,
      input: [{ role: "user" as const, content: "The code is 4711." }, trigger],
    };
    const answer = await client().responses.create(body);
    expect(answer).toMatchObject({
      object: "response",
      status: "completed",
      instructions: "Be brief.",
      temperature: 0.5,
      top_p: 1,
      metadata: {},
      parallel_tool_calls: true,
      tool_choice: "auto",
      tools: [],
      output: [{ type: "compaction" }],
      usage: { input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 } },
    });
    await client().responses.create({
      model: "gpt-5",
      input: "What is it?",
      previous_response_id: answer.id,
    });
    const sent = provider.requests.at(-1)!;
    expect(sent.status).toBe(200);
    expect(sent.raw).toContain("4711");
    expect(sent.lastUser).toContain("What is it?");
  });

  it("answers a compaction with whole messages of the user, and refuses an empty one", async () => {
    const answer = await client().responses.compact({ model: "gpt-5", input: "The code is 4711." });
    expect(answer.output).toMatchObject([
      {
        type: "message",
        id: expect.stringMatching(/^msg_/),
        role: "user",
        status: "completed",
        content: [{ type: "input_text", text: "The code is 4711." }],
      },
      { type: "compaction", id: expect.stringMatching(/^cmp_/) },
    ]);
    const empty = await post(`${gateway.url}/v1/responses/compact`, { model: "gpt-5", input: [] });
    expect(empty.status).toBe(400);
    expect(await empty.json()).toMatchObject({ error: { code: "nothing-to-compact" } });
  });
});

it("tells what the summary cost: what models were paid for, and nothing where none was", async () => {
  const input = [0, 1, 2].flatMap((n) => [
    {
      role: "user",
      content: `Fact ${n}: the valve V-${n}00 is in hall ${n}. ${"It has been there. ".repeat(20)}`,
    },
    { role: "assistant", content: "Noted." },
  ]);
  type Usage = { usage: { input_tokens: number; output_tokens: number } };
  const compact = async (url: string) =>
    ((await (await post(`${url}/v1/responses/compact`, { model: "gpt-5", input })).json()) as Usage).usage;
  expect(await compact(gateway.url)).toMatchObject({ input_tokens: 0, output_tokens: 0, total_tokens: 0 });
  provider.setReply(
    "## Summary\nThe valves V-000, V-100 and V-200 stand in the halls 0, 1 and 2. Nothing is open.",
  );
  const paying = await startGateway(upstreamAt(provider.url));
  const usage = await compact(paying.url);
  await paying.close();
  const [call] = provider.requests;
  expect(usage).toMatchObject({ input_tokens: call!.tokens.input, output_tokens: call!.outputTokens });
});
