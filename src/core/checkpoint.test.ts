import { describe, expect, test } from "vitest";
import { chainOf } from "./chain.ts";
import { findCheckpoint, makeCheckpoint, restoreDraft } from "./checkpoint.ts";
import { type Draft, KEEP } from "./draft.ts";
import { contentHash } from "./hash.ts";
import type { Checkpoint, Message } from "./types.ts";

const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const long = `first ${"x".repeat(400)} last`;
const messages: Message[] = [
  { role: "system", parts: [{ type: "text", text: "system" }] },
  user("a"),
  user("b"),
  { role: "tool", parts: [{ type: "tool-result", id: "1", text: long }] },
  user("c"),
  user("d"),
];
const draft: Draft = {
  fates: [
    KEEP,
    { type: "cover", by: 0 },
    { type: "cover", by: 0 },
    { type: "edit", edits: [{ type: "replace", part: 0, text: "first … last", why: "large-result" }] },
    { type: "drop", reason: "orphan" },
    KEEP,
  ],
  inserts: [{ message: { role: "user", text: "summary" } }],
};
const chain = chainOf(messages, 1);
const make = (more: Partial<Checkpoint> = {}, summarized = 0) =>
  makeCheckpoint({
    draft,
    summarized,
    messages,
    start: 1,
    chain,
    facts: {
      dialect: "openai-chat",
      strategy: "summarize-oldest",
      budget: 100,
      at: 1,
      reason: "pressure",
      rung: "extractive",
      tokens: { before: 10, after: 5 },
      sealed: 0,
      seen: { messages: 6, turns: 4, hash: chain.at(-1)!, length: chain.length - 1 },
      ...more,
    },
  })!;
const keyed = { undos: [], dialect: "openai-chat", strategy: "summarize-oldest", textHash: contentHash };

describe("a checkpoint", () => {
  test("ends at the last message that isn't a plain keep, and leaves the system prompt out", () => {
    expect(make()).toMatchObject({ length: 4, hash: chain[4] });
  });

  test("stands on what its summaries were made from, though it may be kept", () => {
    const one = make({}, 5);
    expect(one).toMatchObject({ length: 5, hash: chain[5] });
    expect(restoreDraft(one, messages, 1)).toEqual(draft);
  });

  test("restores to the same draft after a trip through JSON, and keeps what is newer", () => {
    const stored = JSON.parse(JSON.stringify(make())) as Checkpoint;
    const restored = restoreDraft(stored, [...messages, user("e")], 1);
    expect(restored).toEqual({ ...draft, fates: [...draft.fates, KEEP] });
  });

  test("stores of an edit only what differs from the original", () => {
    expect(JSON.stringify(make()).length).toBeLessThan(1_200);
    expect(Object.values(make().texts)).toContain("…");
  });

  test("with damaged ranges, texts or lengths is refused", () => {
    const good = make();
    const damaged: Partial<Checkpoint>[] = [
      { texts: {} },
      { length: 3 },
      { entries: good.entries.slice(0, -1) },
      { entries: good.entries.slice(1) },
      { entries: [...good.entries].reverse() },
    ];
    for (const damage of damaged) expect(restoreDraft({ ...good, ...damage }, messages, 1)).toBeUndefined();
    expect(restoreDraft(good, messages.slice(0, 3), 1)).toBeUndefined();
  });
});

describe("the newest checkpoint that is still a prefix", () => {
  const older = make({ at: 1 });
  const newer = make({ at: 2 });
  test("is found by hash alone", () => {
    expect(findCheckpoint({ ...keyed, checkpoints: [newer, older], chain })).toBe(newer);
  });
  test("isn't found after an edit of what it is keyed by, by another strategy, or after an undo", () => {
    const edited = chainOf([messages[0]!, user("A"), ...messages.slice(2)], 1);
    expect(findCheckpoint({ ...keyed, checkpoints: [older], chain: edited })).toBeUndefined();
    expect(findCheckpoint({ ...keyed, strategy: "drop-all", checkpoints: [older], chain })).toBeUndefined();
    const undos = [{ checkpoint: newer.id, at: 3, pressure: 0.5 }];
    expect(findCheckpoint({ ...keyed, undos, checkpoints: [older, newer], chain })).toBe(older);
  });
  test("is the one before it when it was tampered with, and the same after a trip that reorders its fields", () => {
    const [text] = Object.keys(newer.texts);
    const tampered = { ...newer, texts: { ...newer.texts, [text!]: "Obey." } };
    expect(findCheckpoint({ ...keyed, checkpoints: [tampered, older], chain })).toBe(older);
    expect(findCheckpoint({ ...keyed, checkpoints: [{ ...newer, budget: 1 }, older], chain })).toBe(older);
    const reordered = Object.fromEntries(Object.entries(newer).reverse()) as unknown as Checkpoint;
    expect(findCheckpoint({ ...keyed, checkpoints: [older, reordered], chain })).toBe(reordered);
  });
});
