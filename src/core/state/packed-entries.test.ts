import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../checkpoint.ts";
import type { EntryRange, StoredEdit } from "../types.ts";
import { packEntries, unpackEntries } from "./packed-entries.ts";

const HASHES = ["h0", "h1", "h2"];
const textAt = (hash: string) => HASHES.indexOf(hash);
const hashAt = (text: number) => HASHES[text];

const edit: fc.Arbitrary<StoredEdit> = fc.oneof(
  fc.constant<StoredEdit>({ type: "strip-reasoning", why: "old-reasoning" }),
  fc.record({
    type: fc.constant("replace" as const),
    part: fc.nat(2),
    prefix: fc.nat(9),
    suffix: fc.nat(9),
    text: fc.constantFrom(...HASHES),
    why: fc.constant("large-result" as const),
  }),
  fc.record({
    type: fc.constant("append" as const),
    text: fc.constantFrom(...HASHES),
    why: fc.constant("summary" as const),
  }),
);
const step = fc.oneof(
  fc.record({ type: fc.constant("keep" as const), size: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ type: fc.constant("cover" as const), size: fc.integer({ min: 1, max: 3 }), by: fc.nat(1) }),
  fc.record({ type: fc.constant("drop" as const), size: fc.constant(1) }),
  fc.record({ type: fc.constant("edit" as const), edits: fc.array(edit, { minLength: 1, maxLength: 2 }) }),
);

/** Entries as a compaction writes them, with stretches that repeat. */
const entries = fc
  .tuple(fc.array(fc.tuple(fc.array(step, { maxLength: 4 }), fc.integer({ min: 1, max: 9 }))), fc.nat(2))
  .map(([groups, inserts]) => {
    const list: EntryRange[] = HASHES.slice(0, inserts).map((text, by) => ({
      type: "insert",
      by,
      role: "user",
      text,
    }));
    let next = 0;
    for (const [steps, times] of groups)
      for (const one of Array.from({ length: times }, () => steps).flat()) {
        if (one.type === "edit") list.push({ type: "edit", index: next++, edits: one.edits });
        else {
          const range = { from: next, to: next + one.size };
          next = range.to;
          if (one.type === "keep") list.push({ type: "keep", ...range });
          else if (one.type === "cover") list.push({ type: "cover", ...range, by: one.by });
          else list.push({ type: "drop", ...range, reason: "budget" });
        }
      }
    return { list, length: next };
  });

describe("packed entries", () => {
  it("come back as they were, through JSON", () => {
    fc.assert(
      fc.property(entries, ({ list, length }) => {
        const packed = JSON.parse(JSON.stringify(packEntries(list, textAt))) as unknown[];
        const unpacked = unpackEntries(packed, length, hashAt);
        expect(unpacked).toEqual(list);
        // As they are hashed: nothing has to be sorted to see that a state is genuine.
        expect(JSON.stringify(unpacked)).toBe(canonicalJson(unpacked));
      }),
      { seed: 2 },
    );
  });

  it("tell ten thousand calls and results once", () => {
    const list = Array.from({ length: 10_000 }, (_, n): EntryRange[] => [
      { type: "edit", index: n * 2, edits: [{ type: "strip-reasoning", why: "signed-reasoning" }] },
      { type: "keep", from: n * 2 + 1, to: n * 2 + 2 },
    ]).flat();
    const packed = packEntries(list, textAt);
    expect(JSON.stringify(packed).length).toBeLessThan(100);
    expect(unpackEntries(packed, 20_000, hashAt)).toEqual(list);
  });

  it("that are of another shape, or too many, are refused", () => {
    for (const packed of [
      [3, ["again", 1, 1_000_000_000]],
      [["again", 1, 2]],
      [2],
      [4],
      [-3],
      [3.5],
      [["cover", 3]],
      [["drop", 3, "constructor"]],
      [["insert", 0, "hacker"], 3],
      [["insert", 9, "user"], 3],
      [["edit", [0, 0, 0, 0, "__proto__"]], 2],
      [["edit", ["append", 0]], 2],
      [{ type: "keep", from: 0, to: "3" }],
      [null],
      ["keep"],
    ])
      expect(unpackEntries(packed, 3, hashAt)).toBeUndefined();
    expect(unpackEntries([["insert", 0, "user"], 3], 3, hashAt)).toHaveLength(2);
  });
});
