import { expect, test } from "vitest";
import { round, say, user } from "../../test/support/eval-cases.ts";
import { baselines, keepLast, middleOut, observationMasking, withoutResults } from "./contestants.ts";
import type { ChatMessage, Contestant } from "./types.ts";

const count = (text: string) => text.length;
const view = (contestant: Contestant, messages: readonly ChatMessage[], budget: number) =>
  contestant.view({ messages, from: 0, to: messages.length, budget, count });

const abc = [user("aaaaaa"), say("bbbbbb"), user("cccccc")];

test("keep last keeps whole messages from the end", () => {
  expect(view(keepLast, abc, 25)).toBe("bbbbbb\ncccccc");
});

test("middle-out keeps both ends", () => {
  expect(view(middleOut, abc, 20)).toBe("aaaaaa\ncccccc");
});

test("without results fills the second half with older messages that aren't results", () => {
  const messages = [user("first words"), ...round("Read", { path: "x" }, "r".repeat(20)), say("last one")];
  expect(view(withoutResults, messages, 56)).toBe('first words\n\nRead {"path":"x"}\nlast one');
});

test("masking hides all but the last ten results", () => {
  const messages = Array.from({ length: 12 }, (_, i) => round("Bash", {}, `result-${i}`)).flat();
  const text = view(observationMasking, messages, 100_000);
  expect(text).not.toContain("result-1\n");
  expect(text).toContain("result-2\n");
});

test("no baseline looks outside of what it was given", () => {
  const messages = [user("outside-before"), ...abc, user("outside-after")];
  for (const contestant of baselines) {
    const text = contestant.view({ messages, from: 1, to: 4, budget: 1_000, count });
    expect(text).toBe("aaaaaa\nbbbbbb\ncccccc");
  }
});

test("every baseline stays within its budget", () => {
  const messages = Array.from({ length: 30 }, (_, i) => [
    user(`u${i} `.repeat(i)),
    ...round("T", { a: "b" }, "r".repeat(9 * i)),
  ]).flat();
  for (const contestant of baselines) {
    for (const budget of [40, 400, 4_000]) {
      expect(count(view(contestant, messages, budget) as string)).toBeLessThanOrEqual(budget);
    }
  }
});
