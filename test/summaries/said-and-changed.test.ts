/** Where answers are full of numbers and names, they took the room of what was changed: they were priced like plain words. */
import { expect, test } from "vitest";
import { summaryMessage } from "../../src/summaries/summary-message.ts";
import { exactCounter } from "../../src/tokens/index.ts";
import { say, toolRound } from "../support/summary-of.ts";

const identifiers = (seed: number): string =>
  Array.from(
    { length: 10 },
    (_, at) =>
      `- ${2_734_651_359 + 977 * (seed * 10 + at)}, ${(seed * 7919 + at * 104_729).toString(16)}f3: x${at}:${at * 37}`,
  ).join("\n");

test("what was changed has its room beside answers full of numbers", async () => {
  const { count } = await exactCounter("o200k_base");
  const messages = Array.from({ length: 12 }, (_, at) => [
    say("user", "and the next ones please"),
    ...toolRound(
      "Edit",
      {
        file_path: `src/part${at}.ts`,
        old_string: "",
        new_string: `export function mended${at}(row: Row) {\n  return row;\n}\n`,
      },
      "updated ok\n".repeat(400),
    ),
    say("assistant", `Answered:\n${identifiers(at)}`),
  ]).flat();
  const made = summaryMessage({
    messages,
    hidden: [{ from: 0, to: messages.length }],
    visible: () => false,
    cap: 1_200,
    count,
  });
  const lines =
    /\nLines from messages[\s\S]*?(?=\nFiles:|<\/conversation-summary>)/.exec(made!.text)?.[0] ?? "";
  expect(count(lines)).toBeGreaterThan(1_200 * 0.15);
  expect(lines.match(/function mended\d+/g)!.length).toBeGreaterThan(5);
});
