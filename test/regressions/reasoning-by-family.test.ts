import { describe, expect, it } from "vitest";
import type { Dialect, Message } from "../../src/core/types.ts";
import { createCompactor, profiles } from "../../src/index.ts";
import { dialectOf } from "../support/dialects.ts";

const THOUGHT = "I should read this file, because the one before names it. ".repeat(6);
const longText = (number: number): string =>
  Array.from({ length: 90 }, (_, line) => `export const value${line} = compute("${number}.ts");`).join("\n");

/** A round of each wire format, with reasoning that isn't bound to anything. */
const ROUNDS: Readonly<Record<string, (number: number) => object[]>> = {
  "openai-chat": (number) => [
    {
      role: "assistant",
      content: null,
      reasoning_content: THOUGHT,
      tool_calls: [{ id: `c${number}`, type: "function", function: { name: "read", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: `c${number}`, content: longText(number) },
  ],
  "openai-responses": (number) => [
    {
      type: "reasoning",
      id: `rs_${number}`,
      summary: [],
      content: [{ type: "reasoning_text", text: THOUGHT }],
    },
    { type: "function_call", id: `fc_${number}`, call_id: `c${number}`, name: "read", arguments: "{}" },
    { type: "function_call_output", call_id: `c${number}`, output: longText(number) },
  ],
  "anthropic-messages": (number) => [
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: THOUGHT, signature: "" },
        { type: "tool_use", id: `c${number}`, name: "read", input: {} },
      ],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `c${number}`, content: longText(number) }],
    },
  ],
  "ai-sdk": (number) => [
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: THOUGHT },
        { type: "tool-call", toolCallId: `c${number}`, toolName: "read", input: {} },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: `c${number}`,
          toolName: "read",
          output: { type: "text", value: longText(number) },
        },
      ],
    },
  ],
};

/** Whose reasoning must be there, by the model's name. */
const FAMILIES = {
  "every turn": ["deepseek-v4-flash", "kimi-k2.5", "zai-org/GLM-5.3", "MiniMax-M2", "who-knows-1"],
  "the turn under way": ["qwen3.6-plus", "openai/gpt-oss-120b", "google/gemini-3-pro"],
  "no turn": ["gpt-5.2", "openai/o4-mini"],
};

const ROUND_COUNT = 36;
const NEW_TURN = 18;

interface Seen {
  /** Views that show a call of an earlier turn, and of the turn under way, without its reasoning. */
  readonly earlier: number;
  readonly underWay: number;
  readonly reductions: number;
}

/** A long task in two turns. */
async function run(dialect: Dialect<object>, model: string): Promise<Seen> {
  const compactor = createCompactor({
    dialect,
    window: { model },
    models: { [model]: { window: 32_000 } },
    profile: profiles.agent,
  });
  const transcript: object[] = [{ role: "user", content: "Read all the files." }];
  const seen = { earlier: 0, underWay: 0, reductions: 0 };
  for (let number = 0; number < ROUND_COUNT; number++) {
    if (number === NEW_TURN) transcript.push({ role: "user", content: "Now the files of the other folder." });
    transcript.push(...ROUNDS[dialect.id]!(number));
    const { messages, report } = await compactor.fit(transcript);
    if (report.rungs.some(({ rung, result }) => rung === "reductions" && result === "used"))
      seen.reductions++;
    const read = messages.map((message) => dialect.read(message));
    const lost = callsWithoutReasoning(read);
    if (lost.some((id) => number >= NEW_TURN && Number(id.slice(1)) < NEW_TURN)) seen.earlier++;
    if (lost.some((id) => number < NEW_TURN || Number(id.slice(1)) >= NEW_TURN)) seen.underWay++;
  }
  await compactor.close();
  return seen;
}

function callsWithoutReasoning(messages: readonly Message[]): string[] {
  const isThought = (message: Message | undefined) =>
    message?.parts.some(({ type }) => type === "reasoning") ?? false;
  return messages.flatMap((message, index) => {
    const call = message.parts.find((part) => part.type === "tool-call");
    return call && !isThought(message) && !isThought(messages[index - 1]) ? [call.id] : [];
  });
}

describe.each(Object.keys(ROUNDS))("%s", (id) => {
  const dialect = dialectOf(id);

  it.each(FAMILIES["every turn"])("calls keep their reasoning in every turn (%s)", async (model) => {
    expect(await run(dialect, model)).toMatchObject({ earlier: 0, underWay: 0 });
  });

  it.each(FAMILIES["the turn under way"])("calls of the turn under way keep it (%s)", async (model) => {
    expect(await run(dialect, model)).toMatchObject({ underWay: 0 });
  });

  it.each(FAMILIES["no turn"])("reasoning leaves first where nobody asks for it (%s)", async (model) => {
    const { reductions, underWay } = await run(dialect, model);
    expect(reductions).toBeGreaterThan(0);
    expect(underWay).toBeGreaterThan(0);
  });
});

it("a checkpoint that was made for another model gives the reasoning back that this one asks for", async () => {
  const dialect = dialectOf("openai-chat");
  const of = (model: string) =>
    createCompactor({
      dialect,
      window: { model },
      models: { [model]: { window: 32_000 } },
      profile: profiles.agent,
    });
  const [before, after] = [of("gpt-5.2"), of("deepseek-v4-pro")];
  const transcript: object[] = [{ role: "user", content: "Read all the files." }];
  const lost = (messages: readonly object[]) =>
    callsWithoutReasoning(messages.map((one) => dialect.read(one)));
  let result = await before.fit(transcript);
  for (let number = 0; number < ROUND_COUNT && lost(result.messages).length === 0; number++) {
    transcript.push(...ROUNDS["openai-chat"]!(number));
    result = await before.fit(transcript, { state: result.state });
  }
  expect(lost(result.messages)).not.toEqual([]);
  const next = await after.fit(transcript, { state: result.state });
  expect(next.report.checkpoint).toBe(result.report.checkpoint);
  expect(lost(next.messages)).toEqual([]);
});
