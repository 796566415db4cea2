import { expect, it } from "vitest";
import { growth, LINEAR } from "../../../test/support/growth.ts";
import type { Message } from "../../core/types.ts";
import type { PlacedEvent } from "../api.ts";
import { messagesByTime, pastOf } from "./recorded-past.ts";

const TOKENS = 10;
const talk = (length: number): Message[] =>
  Array.from({ length }, (_, n) => ({
    role: n % 2 === 0 ? "user" : "assistant",
    parts: [{ type: "text", text: `${n}` }],
  }));
let id = 0;
const happened = (messages: number, fact: object): PlacedEvent =>
  ({ id: ++id, at: id, conversation: "c", messages, ...fact }) as PlacedEvent;
const compacted = (messages: number, after: number, checkpoint: string) =>
  happened(messages, { type: "compacted", checkpoint, tokens: { transcript: 0, before: 0, after } });
const past = (length: number, events: readonly PlacedEvent[]) =>
  pastOf({ messages: talk(length), lead: 0, tokens: talk(length).map(() => TOKENS), system: 0, events });
const viewAt = (length: number, events: readonly PlacedEvent[], messages: number) =>
  past(length, events).points.find((point) => point.messages === messages)?.view;

it("between compactions a view grows by what is said", () => {
  const events = [compacted(5, 20, "a")];
  expect(viewAt(12, events, 3)).toBe(30);
  expect(viewAt(12, events, 5)).toBe(20);
  expect(viewAt(12, events, 9)).toBe(60);
  expect(past(12, events).points.at(-1)).toEqual({ messages: 12, transcript: 120, view: 90 });
});

it("an undo brings back what held before it, and clearing leaves nothing", () => {
  const first = compacted(5, 20, "a");
  const second = compacted(9, 25, "b");
  const undone = happened(10, { type: "undone", checkpoint: "b" });
  expect(viewAt(14, [first, second], 11)).toBe(45);
  expect(viewAt(14, [first, second, undone], 11)).toBe(80);
  expect(viewAt(14, [first, second, undone, happened(10, { type: "cleared" })], 11)).toBe(110);
});

it.each([
  ["a compaction", [compacted(9, 25, "b")], 1_000, 9],
  ["an undo", [happened(8, { type: "undone", checkpoint: "a" })], 1_000, 9],
  ["a view without room for it", [], 90, 11],
  ["nothing", [], 1_000, undefined],
])("a recall is told with the first request that had no more of it: %s", (_, more, budget, until) => {
  const events = [compacted(5, 20, "a"), happened(6, { type: "recalled", before: 6, from: [1], words: [] })];
  const length = 14;
  const { events: told } = pastOf({
    messages: talk(length),
    lead: 0,
    tokens: talk(length).map(() => TOKENS),
    system: 0,
    events: [...events, ...more],
    sizes: new Map([
      ["a", 20],
      ["b", 25],
    ]),
    quotes: [{ checkpoint: "a", messages: 7, tokens: 15, budget }],
  });
  expect(told.find(({ type }) => type === "recalled")?.until).toBe(until);
});

it("of a very long conversation fewer points are told, and every compaction is among them", () => {
  const { points } = past(20_000, [compacted(12_346, 20, "a")]);
  expect(points.length).toBeLessThan(5_000);
  expect(points.map(({ messages }) => messages)).toContain(12_346);
  expect(points.at(-1)?.messages).toBe(20_000);
});

it("takes eight times as long for eight times as much, compactions included", () => {
  const inputs = new Map<number, Parameters<typeof pastOf>[0]>();
  const inputOf = (length: number) => {
    const known = inputs.get(length) ?? {
      messages: talk(length),
      lead: 0,
      tokens: talk(length).map(() => TOKENS),
      system: 0,
      events: Array.from({ length: length / 50 }, (_, n) => compacted(n * 50 + 5, 20, `${n}`)),
    };
    inputs.set(length, known);
    return known;
  };
  expect(growth((length) => pastOf(inputOf(length)), 20_000)).toBeLessThan(LINEAR);
});

it("tells by the time how many messages there were, also where imported ones stand in another order", () => {
  const times = [10, 30, 20, 20, 50, 40, 60];
  const messagesBy = messagesByTime(times);
  for (let time = 0; time <= 70; time += 5)
    expect(messagesBy(time)).toBe(times.findLastIndex((one) => one <= time) + 1);
  expect(messagesByTime([])(5)).toBe(0);
  const all = (length: number) => {
    const by = messagesByTime(Array.from({ length }, (_, n) => n + 1));
    for (let n = 0; n < length; n++) by(0);
  };
  expect(growth(all, 5_000)).toBeLessThan(LINEAR);
});
