import { describe, expect, test } from "vitest";
import { breachesOf, type ViewCheck } from "./invariants.ts";
import { structureOf } from "./rounds.ts";
import type { Entry, Message } from "./types.ts";

const text = (role: Message["role"], words: string): Message => ({
  role,
  parts: [{ type: "text", text: words }],
});
const messages: Message[] = [
  text("system", "rules"),
  text("user", "question"),
  { role: "assistant", parts: [{ type: "tool-call", id: "1", name: "read", args: "{}" }] },
  { role: "tool", parts: [{ type: "tool-result", id: "1", text: "content" }] },
  text("assistant", "answer"),
  text("user", "thanks"),
];
const keep = (...indexes: number[]): Entry[] => indexes.map((index) => ({ type: "keep", index }));
const summary = (from: number, to: number): Entry => ({
  type: "insert",
  message: { role: "user", text: "summary" },
  covers: [{ from, to }],
});

function breaches(entries: Entry[], more: Partial<ViewCheck> = {}): string[] {
  const shown = entries.flatMap((entry): Message[] => {
    if (entry.type === "insert") return [text(entry.message.role, entry.message.text)];
    return entry.type === "drop" ? [] : [messages[entry.index]!];
  });
  return breachesOf({
    messages,
    structure: structureOf(messages),
    entries,
    shown,
    rules: { system: "message", firstRole: "any", results: "direct" },
    isHead: (index) => index === 0,
    tokens: 10,
    budget: 100,
    transcriptTokens: 100,
    ...more,
  });
}

describe("post-conditions", () => {
  test("a whole transcript and a compacted one break none", () => {
    expect(breaches(keep(0, 1, 2, 3, 4, 5))).toEqual([]);
    expect(breaches([...keep(0), summary(1, 5), ...keep(5)])).toEqual([]);
  });
  test("too large, and larger than the transcript", () => {
    expect(breaches(keep(0, 1, 2, 3, 4, 5), { tokens: 101, transcriptTokens: 99 })).toHaveLength(2);
  });
  test("a call without its result, a result without its call", () => {
    expect(breaches([...keep(0, 1, 2), summary(3, 5), ...keep(5)]).join()).toMatch(
      /orphan-call at message 2/,
    );
    expect(breaches([...keep(0), summary(1, 3), ...keep(3, 4, 5)]).join()).toMatch(
      /orphan-result at message 3/,
    );
  });
  test("a message missing, twice, or out of order", () => {
    expect(breaches(keep(0, 1, 2, 3, 5)).join()).toMatch(/message 4 is accounted for 0 times/);
    expect(breaches([...keep(0, 1), summary(1, 5), ...keep(5)]).join()).toMatch(
      /message 1 is accounted for 2 times/,
    );
    expect(breaches(keep(0, 1, 2, 3, 5, 4)).join()).toMatch(/message 4 stands after message 5/);
  });
  test("head or last user message hidden", () => {
    expect(breaches([summary(0, 5), ...keep(5)]).join()).toMatch(/head/);
    expect(breaches([...keep(0, 1, 2, 3, 4), { type: "drop", index: 5, reason: "budget" }]).join()).toMatch(
      /last user message/,
    );
  });
  test("an insert that stands elsewhere than its last message did", () => {
    expect(breaches([...keep(0, 5), summary(1, 5)]).join()).toMatch(/insert stands after message 5/);
  });
  test("a first message of a role that the format forbids there", () => {
    const rules = { system: "apart", firstRole: "user", results: "direct" } as const;
    const dropped: Entry[] = [1, 2, 3].map((index) => ({ type: "drop", index, reason: "budget" }));
    expect(breaches([...keep(0), ...dropped, ...keep(4, 5)], { rules }).join()).toMatch(/role assistant/);
  });
});
