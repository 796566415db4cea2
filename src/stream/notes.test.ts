import { expect, it } from "vitest";
import { createNotes, thinned, wordsOf } from "./progress.ts";

const line = (role: "user" | "assistant", text: string) => ({ role, text, words: wordsOf(text) });

it("forgets what was said again, then what tells least, the user's words last", () => {
  const lines = [
    line("assistant", "Turn the wheel."),
    line("user", "Turn the wheel?"),
    line("assistant", "The torque is 12 Nm."),
    line("assistant", "Turn the wheel."),
    line("assistant", "Turn the wheel now."),
  ];
  expect(thinned(lines, 4).map(({ text }) => text)).toEqual([
    "Turn the wheel?",
    "The torque is 12 Nm.",
    "Turn the wheel.",
    "Turn the wheel now.",
  ]);
  expect(thinned(lines, 2).map(({ text }) => text)).toEqual(["Turn the wheel?", "The torque is 12 Nm."]);
});

it("a stream of a week stays small, and still knows its goal and what was said once", () => {
  const notes = createNotes();
  notes.add("user", "I want to rebuild the gearbox of the old tractor.");
  notes.add("assistant", "The drain plug takes 55 Nm.");
  for (let turn = 0; turn < 30_000; turn++) notes.add("assistant", `Now clean tooth ${turn % 700} again.`);
  expect(notes.lines.length).toBeLessThanOrEqual(2_000);
  expect(notes.goal).toContain("gearbox");
  const said = notes.lines.map(({ text }) => text).join(" ");
  expect(said).toContain("55 Nm");
  expect(said).toContain("old tractor");
  expect(notes.turns).toEqual({ all: 30_002, user: 1 });
});

it("a few endless sentences take no more memory than a day of short ones", () => {
  const notes = createNotes();
  const words = (turn: number) => Array.from({ length: 20_000 }, (_, word) => `w${turn}x${word}`);
  for (let turn = 0; turn < 20; turn++) {
    notes.add("caption", words(turn).join(" "));
    notes.add("assistant", words(turn).slice(0, 4_000).join(".\n"));
  }
  notes.add("user", "The gear is back.");
  const chars = notes.lines.reduce((sum, { text }) => sum + text.length, 0);
  expect(chars).toBeLessThanOrEqual(500_000);
  expect(notes.lines.length).toBeLessThanOrEqual(2_000);
  expect(notes.lines.at(-1)?.text).toBe("The gear is back.");
});
