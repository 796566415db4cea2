import { expect, test } from "vitest";
import { judgeWire } from "./judge-wire.ts";
import { RULES, type RuleKind } from "./rules.ts";

const hi = { role: "user", content: "Hi" };
const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
const asks = (...ids: string[]) => ({ role: "assistant", content: null, tool_calls: ids.map(call) });
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "done" });
const use = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] };
const used = { type: "tool_result", tool_use_id: "a", content: "done" };
const turn = (role: string, ...parts: object[]) => ({ role, parts });
const runs = { functionCall: { name: "f", args: {} } };
const ran = { functionResponse: { name: "f", response: { output: "done" } } };

/** A list that breaks the rule, and nothing else. */
const BROKEN: Readonly<Record<RuleKind, readonly [dialect: string, ...messages: object[]]>> = {
  "unanswered-call": ["openai-chat", hi, asks("a"), hi],
  "orphan-result": ["openai-chat", hi, result("a")],
  "second-result": ["openai-chat", hi, asks("a"), result("a"), result("a")],
  "twin-calls": ["openai-chat", hi, asks("a", "a"), result("a")],
  "broken-arguments": [
    "openai-chat",
    hi,
    { ...asks(), tool_calls: [{ ...call("a"), function: { name: "f", arguments: "{" } }] },
    result("a"),
  ],
  "text-before-result": [
    "anthropic-messages",
    hi,
    use,
    { role: "user", content: [{ type: "text", text: "So:" }, used] },
  ],
  "empty-message": ["openai-chat", { role: "user", content: [] }],
  "empty-text": [
    "anthropic-messages",
    { role: "user", content: [{ type: "text", text: " " }, { type: "image" }] },
  ],
  "first-role": ["anthropic-messages", { role: "assistant", content: "Hi" }, hi],
  "ends-with-assistant": ["openai-chat", hi, { role: "assistant", content: "Yes" }],
  "no-messages": ["openai-chat", { role: "system", content: "Be brief." }],
  "dangling-reasoning": ["openai-responses", { type: "reasoning", id: "rs_1", summary: [] }, hi],
  "final-thinking": [
    "anthropic-messages",
    hi,
    { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "s" }] },
    hi,
  ],
  "missing-signature": [
    "gemini-contents",
    turn("user", { text: "Hi" }),
    turn("model", runs),
    turn("user", ran),
  ],
  "call-behind-the-model": [
    "gemini-contents",
    turn("user", { text: "Hi" }),
    turn("model", { text: "Well." }),
    turn("model", { ...runs, thoughtSignature: "s" }),
    turn("user", ran),
  ],
};

test.each(RULES.map(({ kind, sentence }) => [kind, sentence] as const))("%s: %s", (kind) => {
  const [dialect, ...messages] = BROKEN[kind];
  expect(new Set(judgeWire(dialect, messages).faults.map((fault) => fault.kind))).toEqual(new Set([kind]));
});

test("a list that keeps all of them has no fault", () => {
  expect(judgeWire("openai-chat", [hi, asks("a", "b"), result("b"), result("a")]).faults).toEqual([]);
  expect(judgeWire("anthropic-messages", [hi, use, { role: "user", content: [used] }]).faults).toEqual([]);
});
