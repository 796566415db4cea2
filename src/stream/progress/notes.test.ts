import { expect, it } from "vitest";
import { createNotes, thinned, wordsOf } from "./render-progress.ts";

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
