import { expect, test } from "vitest";
import { readLog } from "./create-log-reader.ts";

const meta = { sessionId: "s1", isSidechain: false };
const user = (uuid: string, content: unknown, more = {}) => ({
  ...meta,
  type: "user",
  uuid,
  timestamp: "2026-03-01T10:00:00.000Z",
  message: { role: "user", content },
  ...more,
});
const assistant = (uuid: string, id: string, part: unknown, more = {}) => ({
  ...meta,
  type: "assistant",
  uuid,
  timestamp: "2026-03-01T10:00:05.000Z",
  message: { id, role: "assistant", model: "claude-x", content: [part] },
  ...more,
});
const call = (id: string) => ({ type: "tool_use", id, name: "read", input: { path: `${id}.md` } });
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: `text of ${id}` });
const lines = (...records: unknown[]) => records.map((record) => JSON.stringify(record)).join("\n");

test("lines of one answer become one message, and its results one message after it", () => {
  const log = readLog(
    lines(
      { type: "file-history-snapshot", messageId: "m", snapshot: {} },
      user("u1", "Compare the two notes."),
      assistant("a1", "msg_1", { type: "thinking", thinking: "two files", signature: "sig" }),
      assistant("a2", "msg_1", call("t1")),
      user("u2", [result("t1")]),
      assistant("a3", "msg_1", call("t2")),
      user("u3", [result("t2")]),
      assistant("a4", "msg_2", { type: "text", text: "They agree." }),
    ),
  );
  expect(log.source).toBe("claude-code");
  expect(log.dialect).toBe("anthropic-messages");
  expect(log.model).toBe("claude-x");
  expect(log.messages).toEqual([
    { role: "user", content: "Compare the two notes." },
    {
      role: "assistant",
      content: [{ type: "thinking", thinking: "two files", signature: "sig" }, call("t1"), call("t2")],
    },
    { role: "user", content: [result("t1"), result("t2")] },
    { role: "assistant", content: [{ type: "text", text: "They agree." }] },
  ]);
  expect(log.times).toHaveLength(log.messages.length);
  expect(log.times?.[0]).toBe(Date.parse("2026-03-01T10:00:00.000Z"));
});

test("sub-agents, repeated lines, error lines and interface events are left out", () => {
  const log = readLog(
    lines(
      user("u1", "Hello"),
      user("u1", "Hello"),
      user("u2", "inner task", { isSidechain: true }),
      assistant("a0", "msg_0", { type: "text", text: "API Error" }, { isApiErrorMessage: true }),
      { ...meta, type: "system", subtype: "turn_duration", durationMs: 12, isMeta: true },
      { ...meta, type: "progress", data: { type: "hook_progress" } },
      assistant("a1", "msg_1", { type: "text", text: "Hi" }),
    ),
  );
  expect(log.messages).toHaveLength(2);
  expect(log.warnings).toEqual(["left out 1 line of sub-agents"]);
});

test.each([[5], [null], [{ x: 1 }], [undefined], [[null]]])(
  "a message whose content is %j is named with its line, and the others are read",
  (content) => {
    const answer = assistant("a2", "msg_2", "", { message: { id: "msg_2", role: "assistant", content } });
    const log = readLog(lines(user("u1", "Hello"), user("u2", content), answer, user("u3", "Still here")));
    expect(log.messages).toEqual([
      { role: "user", content: "Hello" },
      { role: "user", content: "Still here" },
    ]);
    expect(log.warnings).toEqual(["left out what can't be read of the messages on lines 2, 3"]);
  },
);

test("of a message with one part that can't be read, the other parts stay", () => {
  const part = { type: "text", text: "Look at this." };
  const log = readLog(lines({ type: "summary", summary: "t" }, user("u1", [null, part])));
  expect(log.messages).toEqual([{ role: "user", content: [part] }]);
  expect(log.warnings).toEqual(["left out what can't be read of the message on line 2"]);
});

test("a message in which nothing was said isn't worth a word", () => {
  const log = readLog(lines(user("u1", "Hello"), user("u2", ""), user("u3", [])));
  expect([log.messages.length, log.warnings]).toEqual([1, []]);
});

test("the client's own summary is flagged where it stands", () => {
  const log = readLog(
    lines(
      user("u1", "Start"),
      assistant("a1", "msg_1", { type: "text", text: "Started" }),
      { ...meta, type: "system", subtype: "compact_boundary", compactMetadata: { trigger: "auto" } },
      user("u2", "Summary of what came before", { isCompactSummary: true }),
      user("u3", "Go on"),
    ),
  );
  expect(log.compactions).toEqual([2]);
  expect(log.summaries).toEqual([2]);
  expect(log.messages).toHaveLength(4);
});

test("numbers that a double can't hold are those of the file", () => {
  const file = lines(
    user("u1", "Remove it."),
    assistant("a1", "msg_1", { ...call("t1"), input: { id: "NUMBER" } }),
    user("u2", [result("t1")]),
  );
  const log = readLog(file.replace('"NUMBER"', "1234567890123456789"));
  expect(JSON.stringify(log.messages)).toContain('"input":{"id":1234567890123456789}');
});
