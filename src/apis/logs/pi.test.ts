import { expect, test } from "vitest";
import { readLog } from "./create-log-reader.ts";

const lines = (...records: unknown[]) => records.map((record) => JSON.stringify(record)).join("\n");
const message = (fields: Record<string, unknown>, more = {}) => ({
  type: "message",
  timestamp: "2026-01-01T00:00:00.000Z",
  message: { timestamp: 1767225600000, ...fields },
  ...more,
});

test("calls, results, thinking and commands become Anthropic messages", () => {
  const log = readLog(
    lines(
      { type: "session", id: "p1", cwd: "/x", modelId: "claude-x" },
      message({ role: "user", content: [{ type: "text", text: "Read both" }] }),
      message({
        role: "assistant",
        model: "claude-y",
        content: [
          { type: "thinking", thinking: "ok", thinkingSignature: "sig" },
          { type: "toolCall", id: "t1", name: "read", arguments: { path: "a" } },
          { type: "toolCall", id: "t2", name: "read", arguments: { path: "b" } },
        ],
      }),
      message({
        role: "toolResult",
        toolCallId: "t1",
        content: [{ type: "text", text: "A" }],
        isError: false,
      }),
      message({
        role: "toolResult",
        toolCallId: "t2",
        content: [{ type: "text", text: "no" }],
        isError: true,
      }),
      message({ role: "assistant", content: [], stopReason: "aborted" }),
      { type: "compaction", summary: "s", tokensBefore: 10 },
      message({ role: "bashExecution", command: "ls", output: "a b" }),
    ),
  );
  expect(log.source).toBe("pi");
  expect(log.model).toBe("claude-y");
  expect(log.compactions).toEqual([3]);
  expect(log.messages).toEqual([
    { role: "user", content: [{ type: "text", text: "Read both" }] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "ok", signature: "sig" },
        { type: "tool_use", id: "t1", name: "read", input: { path: "a" } },
        { type: "tool_use", id: "t2", name: "read", input: { path: "b" } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "A" }] },
        { type: "tool_result", tool_use_id: "t2", content: [{ type: "text", text: "no" }], is_error: true },
      ],
    },
    { role: "user", content: "Ran `ls`:\na b" },
  ]);
});

test("of a tree, only the branch that ends in the last line is read", () => {
  const said = (id: string, parentId: string | null, text: string) =>
    message({ role: "user", content: text }, { id, parentId });
  const log = readLog(
    lines(
      { type: "session", version: 3, id: "p2", cwd: "/x" },
      said("1", null, "first"),
      said("2", "1", "taken back"),
      said("3", "1", "said instead"),
    ),
  );
  expect(log.messages.map((m) => (m as { content: string }).content)).toEqual(["first", "said instead"]);
});
