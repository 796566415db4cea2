/** Brackets of some kilobytes in a message must not break its conversation: they are text like any other. */
import { expect, it } from "vitest";
import { TranscriptError } from "../../src/core/errors.ts";
import { createCompactor } from "../../src/index.ts";
import { dialectOf } from "../support/dialects.ts";

/** Deeper than a stack goes. */
const DEPTH = 12_000;
const LISTS = "[".repeat(DEPTH) + "]".repeat(DEPTH);
const OBJECTS = `${'{"a":'.repeat(DEPTH)}1${"}".repeat(DEPTH)}`;
const BUDGET = 3_000;

/** A round with a call and its result, in each dialect; both are whatever is given. */
const ROUNDS: Readonly<Record<string, (n: number, input: unknown, output: unknown) => object[]>> = {
  "openai-chat": (n, input, output) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: `c${n}`, type: "function", function: { name: "read_file", arguments: input } }],
    },
    { role: "tool", tool_call_id: `c${n}`, content: output },
  ],
  "openai-responses": (n, input, output) => [
    { type: "function_call", call_id: `c${n}`, name: "read_file", arguments: input },
    { type: "function_call_output", call_id: `c${n}`, output },
  ],
  "anthropic-messages": (n, input, output) => [
    { role: "assistant", content: [{ type: "tool_use", id: `c${n}`, name: "read_file", input }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `c${n}`, content: output }] },
  ],
  "ai-sdk": (n, input, output) => [
    {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: `c${n}`, toolName: "read_file", input }],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: `c${n}`,
          toolName: "read_file",
          output: { type: typeof output === "string" ? "text" : "json", value: output },
        },
      ],
    },
  ],
};

const step = (n: number) => `step ${n} reads src/mod${n}.ts and changes handle${n} because of bug ${n * 7}. `;

function conversation(id: string, input: unknown, output: unknown): object[] {
  const round = ROUNDS[id]!;
  const isText = id === "openai-chat" || id === "openai-responses";
  const messages: object[] = [];
  for (let n = 0; n < 10; n++) {
    const path = { path: `src/mod${n}.ts` };
    messages.push({ role: "user", content: `Please do this: ${step(n)}` });
    messages.push(
      ...(n === 2
        ? round(n, input, output)
        : round(n, isText ? JSON.stringify(path) : path, step(n).repeat(8))),
    );
  }
  messages.push({ role: "user", content: "And now?" });
  return messages;
}

const cases = Object.keys(ROUNDS).flatMap((id) =>
  [LISTS, OBJECTS].flatMap((text) => {
    const value: unknown = JSON.parse(text);
    const shape = text === LISTS ? "lists" : "objects";
    return [
      { id, what: `${shape} as text`, input: text, output: text },
      { id, what: `${shape} as values`, input: { deep: value }, output: value },
    ];
  }),
);

it.each(cases)("$id: a call and its result that are $what", async ({ id, input, output }) => {
  const transcript = conversation(id, input, output);
  const compactor = createCompactor({ dialect: dialectOf(id as never), budget: BUDGET });
  for (const act of ["fit", "compact"] as const) {
    try {
      const { report } = await compactor[act](transcript);
      expect(report.tokens.after).toBeLessThanOrEqual(BUDGET);
    } catch (error) {
      // What no provider takes may be refused in words; it may not break.
      expect(error).toBeInstanceOf(TranscriptError);
    }
  }
});

it.each(Object.keys(ROUNDS))("%s: tools and instructions of any depth", async (id) => {
  const deep: unknown = JSON.parse(LISTS);
  const compactor = createCompactor({ dialect: dialectOf(id as never), window: 128_000 });
  const { report } = await compactor.fit([{ role: "user", content: "hi" }], {
    tools: [{ name: "f", parameters: deep }],
  });
  expect(report.budget.tools).toBeGreaterThan(0);
});
