import { expect, test } from "vitest";
import type { Summary } from "../../core/types.ts";
import { mergeDue, narrativeOf, recordRoom, summaryKey } from "./narrative.ts";

const chain = Array.from({ length: 2_001 }, (_, n) => `hash-${n}`);

function record(from: number, to: number, more: Partial<Summary> = {}): Summary {
  return {
    key: `${from}-${to}-${more.level ?? 0}-${more.author ?? "model"}`,
    text: `messages ${from} to ${to}`,
    hash: `hash-${to}`,
    covers: { from, to },
    level: 0,
    prompt: "agent@1",
    model: "m",
    author: "model",
    tokens: { source: 1_000, text: 100 },
    at: to,
    proof: "",
    ...more,
  };
}

test("records join without gaps from the first message on", () => {
  const { records, sealed } = narrativeOf(
    [record(20, 30), record(0, 10), record(10, 20), record(40, 50)],
    chain,
    100,
  );
  expect(records.map(({ covers }) => covers.to)).toEqual([10, 20, 30]);
  expect(sealed).toBe(30);
});

test("a record of messages that were edited since is never used", () => {
  expect(narrativeOf([record(0, 10, { hash: "another" })], chain, 100).records).toEqual([]);
});

test("a merge speaks for its parts; a rebuilt record for all older ones, until a merge takes it in", () => {
  const parts = [record(0, 10), record(10, 20)];
  expect(narrativeOf([...parts, record(0, 20, { level: 1 })], chain, 100).records).toHaveLength(1);
  const merge = record(0, 20, { level: 1 });
  const rebuilt = record(0, 10, { anew: true, at: 30 });
  expect(narrativeOf([...parts, merge, rebuilt], chain, 100).records[0]).toBe(rebuilt);
  const later = record(0, 20, { level: 1, at: 40 });
  expect(narrativeOf([...parts, merge, rebuilt, later], chain, 100).records).toEqual([later]);
});

test("a person's words stay, whatever was merged before or since, until that person has them written anew", () => {
  const parts = [record(0, 10), record(10, 20), record(20, 30)];
  const own = record(10, 20, { author: "user", at: 35 });
  const merges = [record(0, 30, { level: 1, at: 33 }), record(0, 30, { level: 1, at: 40, key: "later" })];
  expect(narrativeOf([...parts, ...merges, own], chain, 100).records).toEqual([parts[0], own, parts[2]]);
  // Where nothing but the merge was kept, it is better than nothing.
  expect(narrativeOf([merges[1]!, own], chain, 100).records).toEqual([merges[1]]);
  const rebuilt = record(0, 30, { anew: true, at: 50 });
  expect(narrativeOf([...parts, ...merges, own, rebuilt], chain, 100).records).toEqual([rebuilt]);
});

test("only what stands between a person's words is merged", () => {
  const records = Array.from({ length: 12 }, (_, n) =>
    record(n * 10, (n + 1) * 10, n === 4 ? { author: "user" } : {}),
  );
  const due = mergeDue({ records, sealed: 120 }, 600, 4);
  expect(due).toEqual(records.slice(0, 4));
  const [first, ...rest] = records.slice(4);
  expect(mergeDue({ records: [first!, ...rest], sealed: 120 }, 300, 4)).toEqual(rest.slice(0, 4));
  expect(mergeDue({ records: records.slice(3, 6), sealed: 60 }, 100, 4)).toBeUndefined();
});

test("what reaches into the tail is left out", () => {
  expect(narrativeOf([record(0, 10), record(10, 20)], chain, 15).sealed).toBe(10);
});

test("a fact of the first of n segments is rewritten at most 1 + log8 n times", () => {
  const share = 1_600;
  let records: Summary[] = [];
  for (let n = 1; n <= 200; n++) {
    records.push(record((n - 1) * 10, n * 10));
    for (;;) {
      const due = mergeDue(narrativeOf(records, chain, chain.length), share, 8);
      if (!due) break;
      expect(due).toHaveLength(8);
      records = [
        ...records,
        record(due[0]!.covers.from, due.at(-1)!.covers.to, { level: due[0]!.level + 1, at: n * 10 }),
      ];
    }
    const narrative = narrativeOf(records, chain, chain.length);
    expect(narrative.sealed).toBe(n * 10);
    expect(narrative.records.length * 100).toBeLessThanOrEqual(share);
    expect(Math.max(0, ...narrative.records.map(({ level }) => level + 1))).toBeLessThanOrEqual(
      1 + Math.ceil(Math.log(n) / Math.log(8)),
    );
  }
});

test("where eight records never have room, all but the newest become one before each is shown with a line", () => {
  const share = 500;
  let records: Summary[] = [];
  for (let n = 1; n <= 50; n++) {
    records.push(record((n - 1) * 10, n * 10, { tokens: { source: 5_000, text: 200 } }));
    const due = mergeDue(narrativeOf(records, chain, chain.length), share, 8);
    if (due) {
      expect(due.at(-1)).not.toBe(records.at(-1));
      const level = Math.max(...due.map((one) => one.level)) + 1;
      const merged = record(0, due.at(-1)!.covers.to, { level, tokens: { source: 0, text: 200 } });
      records = [merged, ...records.filter((one) => !due.includes(one))];
    }
    expect(share / records.length).toBeGreaterThanOrEqual(100);
    expect(narrativeOf(records, chain, chain.length).sealed).toBe(n * 10);
  }
});

test("everything that a summary was made from is in its key", () => {
  const source = {
    hash: "h",
    covers: { from: 0, to: 3 },
    prompt: "agent@1",
    model: "m",
    focus: undefined,
    cap: 200,
  };
  const keys = [
    source,
    { ...source, hash: "i" },
    { ...source, covers: { from: 1, to: 3 } },
    { ...source, prompt: "agent@2" },
    { ...source, model: "n" },
    { ...source, focus: "tests" },
    { ...source, cap: 400 },
  ].map(summaryKey);
  expect(new Set(keys).size).toBe(keys.length);
  // A few tokens more or less don't make another summary.
  expect(summaryKey({ ...source, cap: 205 })).toBe(keys[0]);
});

test("the first record may take all of the room, later ones half of it, and one that finds it free all that is free", () => {
  const share = 2_400;
  expect(recordRoom([], share)).toBe(share);
  const long = record(0, 10, { tokens: { source: 90_000, text: 2_400 } });
  const short = record(0, 10, { tokens: { source: 9_000, text: 400 } });
  expect(recordRoom([long], share)).toBe(1_200);
  expect(recordRoom([short], share)).toBe(2_000);
  expect(recordRoom([long, record(10, 20), record(20, 30)], share)).toBe(1_200);
});
