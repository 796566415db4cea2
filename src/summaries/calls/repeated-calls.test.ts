import { expect, test } from "vitest";
import type { Entry, Message, ToolCallPart } from "../../core/types.ts";
import { watchRepeats } from "./repeated-calls.ts";

const called = (id: string, name: string, args: object): ToolCallPart => ({
  type: "tool-call",
  id,
  name,
  args: JSON.stringify(args),
});

/** A transcript of calls with their results, all of which a summary covers. */
function hiding(...calls: readonly (readonly [name: string, args: object])[]) {
  const messages = calls.flatMap(([name, args], n): Message[] => [
    { role: "assistant", parts: [called(`c${n}`, name, args)] },
    { role: "tool", parts: [{ type: "tool-result", id: `c${n}`, text: "…" }] },
  ]);
  const entries: Entry[] = [
    {
      type: "insert",
      message: { role: "user", text: "summary" },
      covers: [{ from: 0, to: messages.length }],
    } as Entry,
  ];
  return { messages, entries };
}
const watch = (...calls: readonly (readonly [name: string, args: object])[]) => {
  const { messages, entries } = hiding(...calls);
  return watchRepeats(messages, entries);
};
const again = (of: ReturnType<typeof watch>, name: string, args: object) =>
  of.look([called("n", name, args)]);

test("the same command, search or file asked for again is a repetition, once", () => {
  const watched = watch(
    ["bash", { command: "npm test" }],
    ["grep", { pattern: "TODO", path: "src" }],
    ["read", { path: "a.ts" }],
  );
  expect(again(watched, "bash", { command: "npm test" })).toEqual(["bash command=npm test"]);
  expect(again(watched, "bash", { command: "npm test" })).toEqual([]);
  expect(again(watched, "grep", { path: "src", pattern: "TODO" })).toHaveLength(1);
  expect(again(watched, "grep", { path: "src", pattern: "FIXME" })).toEqual([]);
  expect(again(watched, "read", { path: "a.ts" })).toHaveLength(1);
});

test("a wider range of a file is one, other lines of it aren't", () => {
  const watched = watch(["read", { path: "a.ts", offset: 100, limit: 50 }]);
  expect(again(watched, "read", { path: "a.ts", offset: 200, limit: 50 })).toEqual([]);
  expect(again(watched, "read", { path: "a.ts", offset: 1, limit: 400 })).toHaveLength(1);
  const viewed = watch(["view", { path: "a.ts", view_range: [10, 20] }]);
  expect(again(viewed, "view", { path: "a.ts", view_range: [21, 40] })).toEqual([]);
  expect(again(viewed, "view", { path: "a.ts" })).toHaveLength(1);
});

test("what a change made old is asked for with good reason", () => {
  const write = { path: "a.ts", content: "new" };
  const watched = watch(["read", { path: "a.ts" }], ["bash", { command: "npm test" }], ["write", write]);
  expect(again(watched, "read", { path: "a.ts" })).toEqual([]);
  expect(again(watched, "bash", { command: "npm test" })).toEqual([]);
  const later = watch(["read", { path: "a.ts" }], ["read", { path: "b.ts" }]);
  expect(again(later, "write", write)).toEqual([]);
  expect(again(later, "read", { path: "a.ts" })).toEqual([]);
  expect(again(later, "read", { path: "b.ts" })).toHaveLength(1);
});

test("after ten rounds nobody is to blame, nor for what an earlier compaction hid", () => {
  const watched = watch(["read", { path: "a.ts" }]);
  for (let round = 0; round < 10; round++) again(watched, "read", { path: `other-${round}.ts` });
  expect(again(watched, "read", { path: "a.ts" })).toEqual([]);
  const { messages, entries } = hiding(["read", { path: "a.ts" }], ["read", { path: "b.ts" }]);
  const second = watchRepeats(messages, entries, hiding(["read", { path: "a.ts" }]).entries);
  expect(again(second, "read", { path: "a.ts" })).toEqual([]);
  expect(again(second, "read", { path: "b.ts" })).toHaveLength(1);
});

test("what is still shown wasn't hidden", () => {
  const { messages, entries } = hiding(["read", { path: "a.ts" }], ["read", { path: "a.ts" }]);
  const [covering] = entries;
  const partly = [
    { ...covering, covers: [{ from: 0, to: 2 }] } as Entry,
    { type: "keep", index: 2 } as Entry,
    { type: "keep", index: 3 } as Entry,
  ];
  expect(again(watchRepeats(messages, partly), "read", { path: "a.ts" })).toEqual([]);
});
