import { describe, expect, it } from "vitest";
import { fittingCap } from "./budget.ts";
import type { Report } from "./types.ts";

type Room = Pick<Report, "budget" | "tokens" | "warnings">;

const RESERVE = 1_024;

/** A view of so many tokens in a window of so many, as precis counts them. */
function room(window: number, view: number, more: Partial<Report["tokens"]> = {}): Room {
  const safety = window * 0.02;
  const budget = window - safety - RESERVE;
  return {
    budget: { window, safety, tools: 0, reserve: RESERVE, budget, head: 0, room: budget },
    tokens: { transcript: view, before: view, after: view, ...more },
    warnings: [],
  };
}

describe("a cap that just fits by our own count", () => {
  it("leaves room for a provider that counts a little more", () => {
    // Seen with Claude Code: the provider counted 36,955, and its sum with the cap was 292 above the window.
    const cap = fittingCap(32_000, room(68_663, 35_289));
    expect(cap + 36_955).toBeLessThanOrEqual(68_663);
    expect(cap).toBeGreaterThanOrEqual(24_000);
  });

  it.each([0.05, 0.1])("wherever the border is: a provider that counts %d more", (more) => {
    const window = 100_000;
    for (let view = 500; view < 70_000; view += 500)
      for (const asked of [4_096, 16_384, 32_000, 64_000]) {
        const cap = fittingCap(asked, room(window, view));
        // What is kept for answers stays, however the provider counts.
        if (cap > RESERVE) expect(view * (1 + more) + cap).toBeLessThanOrEqual(window);
        expect(cap).toBeLessThanOrEqual(asked);
      }
  });

  it("falls steadily with what is left, without a jump at the border", () => {
    const caps = Array.from({ length: 60 }, (_, n) => fittingCap(32_000, room(100_000, 40_000 + n * 500)));
    for (const [n, cap] of caps.slice(1).entries()) expect(caps[n]! - cap).toBeLessThanOrEqual(1_000);
  });
});

it("a cap that is far from the window stays as it is", () => {
  expect(fittingCap(8_192, room(200_000, 150_000))).toBe(8_192);
});

it("a cap stays as it is beside an upper bound of the input that leaves room for it", () => {
  expect(fittingCap(60_000, room(100_000, 37_000, { atMost: true }))).toBe(60_000);
});
