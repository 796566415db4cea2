import { expect, test } from "vitest";
import type { Message } from "../../core/types.ts";
import { charsCounter, createMeasure } from "../../tokens/index.ts";
import { fatesByRun, previewOf } from "./message-fates.ts";

const measure = createMeasure({ counter: charsCounter() });
const said = (role: Message["role"], text: string): Message => ({ role, parts: [{ type: "text", text }] });

test("every message once, neighbours with one fate together, shortened ones with both sizes", () => {
  const messages = [
    said("system", "rules"),
    said("user", "old question"),
    said("assistant", "old answer"),
    said("user", "kept in place"),
    said("assistant", "x".repeat(4_000)),
    said("user", "new question"),
  ];
  const runs = fatesByRun({
    messages,
    tokens: messages.map((message) => measure.message(message)),
    measure,
    entries: [
      { type: "keep", index: 0 },
      { type: "keep", index: 3 },
      { type: "insert", message: { role: "user", text: "summary" }, covers: [{ from: 1, to: 3 }] },
      { type: "edit", index: 4, edits: [{ type: "replace", part: 0, text: "short", why: "tail-result" }] },
      { type: "keep", index: 5 },
    ],
  });
  expect(runs.map(({ from, to, fate }) => [from, to, fate])).toEqual([
    [0, 1, "kept"],
    [1, 3, "covered"],
    [3, 4, "kept"],
    [4, 5, "shortened"],
    [5, 6, "kept"],
  ]);
  expect(runs[1]?.roles).toEqual({ user: 1, assistant: 1 });
  expect(runs[1]?.preview).toBeUndefined();
  expect(runs[0]?.preview).toBe("rules");
  expect(runs[3]?.tokens.before).toBeGreaterThan(1_000);
  expect(runs[3]?.tokens.after).toBeLessThan(20);
  expect(runs[1]?.tokens.after).toBe(0);
});

test("a dropped message says why", () => {
  const [run] = fatesByRun({
    messages: [said("user", "a")],
    tokens: [5],
    measure,
    entries: [{ type: "drop", index: 0, reason: "orphan" }],
  });
  expect(run).toMatchObject({ fate: "dropped", why: "its tool call or result is missing" });
});

test("a preview is one short line", () => {
  const preview = previewOf({
    role: "assistant",
    parts: [
      { type: "reasoning", text: "secret thoughts", signed: false },
      { type: "text", text: "Two\nlines  here" },
      { type: "tool-call", id: "c", name: "read", args: `{"path":"${"a".repeat(500)}"}` },
    ],
  });
  expect(preview).toMatch(/^Two lines here · read\(\{"path":"a+…$/);
  expect(preview.length).toBeLessThanOrEqual(91);
});
