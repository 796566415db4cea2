import { expect, it } from "vitest";
import { trimRecord } from "./render-narrative.ts";

const words = (text: string): number => text.split(/\s+/).filter(Boolean).length;

it("counts a line that sums up many messages as new as the last of them", () => {
  const text = [
    "## Progress",
    "- Six of seven tasks were done. #12–97",
    "## Changes",
    "- A comment was mended. #40",
    "- The loop was rewritten. #88",
  ].join("\n");
  expect(trimRecord({ text, cap: words(text) - 6, count: words })).toBe(
    [
      "## Progress",
      "- Six of seven tasks were done. #12–97",
      "## Changes",
      "- The loop was rewritten. #88",
    ].join("\n"),
  );
});

it("gives up what was only found out before what was changed", () => {
  const text = "## Changes\n- A comment was mended. #40\n## Findings\n- The loop stands in walk.go. #88";
  expect(trimRecord({ text, cap: words(text) - 6, count: words })).toBe(
    "## Changes\n- A comment was mended. #40",
  );
});
