import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mapSteps, runNow } from "../steps.ts";
import { createPacker, unpackText } from "./packed-text.ts";

const MOST = 1_000_000;
const word = fc.constantFrom("alpha ", "beta\n", "gamma-17 ", "naïve ", "😀", "\ud83d", "delta/epsilon.ts ");
const prose = fc.array(word, { maxLength: 120 }).map((words) => words.join(""));

describe("a packed text", () => {
  it("comes back letter for letter", () => {
    fc.assert(
      fc.property(fc.array(prose, { maxLength: 6 }), prose, fc.nat(), (sources, own, seed) => {
        const quoted = sources.map((source, at) => source.slice((seed + at * 7) % 40, 300)).join(own);
        const text = `${quoted}${own}`;
        const packed = runNow(createPacker(() => mapSteps(sources, (one) => one))(text));
        expect(unpackText(packed, (source) => sources[source], MOST)).toBe(text);
      }),
      { seed: 1 },
    );
  });

  it("is small where it quotes", () => {
    const line = (n: number) =>
      `line ${n}: the value of item-${n * 7919} is ${n * 104729}, and nothing else changed`;
    const sources = Array.from({ length: 200 }, (_, n) =>
      [line(n), line(n + 1000), line(n + 2000)].join("\n"),
    );
    const text = Array.from({ length: 60 }, (_, n) => `#${n} ${line(n * 3 + 1000)}`).join("\n");
    const packed = runNow(createPacker(() => mapSteps(sources, (one) => one))(text));
    expect(JSON.stringify(packed).length).toBeLessThan(text.length / 3);
  });

  it("is refused where it points beside its sources, or would fill the memory", () => {
    const sourceAt = (source: number) => (source === 0 ? "x".repeat(1_000) : undefined);
    expect(unpackText(["a", 0, 10, 3], sourceAt, MOST)).toBe("axxx");
    for (const packed of [[1, 0, 1], [0, 999, 2], [0, -1, 2], [0, 1], [0, 0.5, 1], [0], [0, "0", 1]])
      expect(unpackText(packed, sourceAt, MOST)).toBeUndefined();
    const bomb = Array.from({ length: 3_000 }, () => [0, 0, 1_000]).flat();
    expect(unpackText(bomb, sourceAt, MOST)).toBeUndefined();
  });
});
