import { expect, test } from "vitest";
import { outlinesOf } from "./outline.ts";

const MEETING = `Certainly! Here is how you can prepare:

### Before the Meeting
1. **Research his background**: read what he has published.
2. **Prepare questions**: three are enough.

### During the Meeting
- Arrive early: it shows respect.
- Take notes

\`\`\`
- no point of the answer
\`\`\`

### Follow-Up
- Send a thank-you note. Do so within a day.`;

test("titles and the beginnings of entries, in their order", () => {
  expect(outlinesOf([MEETING]).of(MEETING, 500)).toBe(
    "Before the Meeting; Research his background; Prepare questions; During the Meeting; Arrive early; Take notes; Follow-Up; Send a thank-you note",
  );
});

test("where room is short: titles, then the first entry below each", () => {
  expect(outlinesOf([MEETING]).of(MEETING, 115)).toBe(
    "Before the Meeting; Research his background; During the Meeting; Arrive early; Follow-Up; Send a thank-you note …",
  );
});

test("an answer in prose has no outline", () => {
  expect(
    outlinesOf(["Port 8417 is used. It was free."]).of("Port 8417 is used. It was free.", 500),
  ).toBeUndefined();
});

test("what many answers have in common tells nothing of one of them", () => {
  const answers = [1, 2, 3, 4].map((n) => `## Summary\n- bed ${n}\n- row ${n}\n- seed ${n}`);
  expect(outlinesOf(answers).of(answers[1]!, 500)).toBe("bed 2; row 2; seed 2");
});

test("an entry without a clause of its own ends with a whole word", () => {
  const long = `- ${"the relay keeps its port ".repeat(8)}\n- second\n- third`;
  const [first] = outlinesOf([long]).of(long, 500)!.split("; ");
  expect(first!.length).toBeLessThanOrEqual(70);
  expect(first).toMatch(/(?:the|relay|keeps|its|port)$/);
});

test("an answer of which no title is short enough is shown by its start", () => {
  const long = ["a", "b", "c"].map((letter) => `# ${letter.repeat(700)}`).join("\n\n");
  expect(outlinesOf([long]).of(long, 600)).toBeUndefined();
});

test("a point that begins with code or with an hour isn't cut within it", () => {
  const answer =
    "- `display: flex`: makes a row\n- **9:00 AM**: write\n- 1.2. Use Zotero: it is free\n#### . **Impact**";
  expect(outlinesOf([answer]).of(answer, 500)).toBe("`display: flex`; 9:00 AM; Use Zotero; Impact");
});
