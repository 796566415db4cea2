import { describe, expect, it } from "vitest";
import { createNotes, extractProgress, frameProgress, renderSteps, sentences, wordsOf } from "./progress.ts";

const count = (text: string): number => text.split(/\s+/).filter(Boolean).length;

function notes(turns: number) {
  const all = createNotes();
  all.add("user", "I want to build the red shelf before noon.");
  for (let turn = 1; turn < turns; turn++) {
    all.add("assistant", `Well done! Now fix board ${turn} with screw type${turn}.`);
    if (turn % 5 === 0) all.add("user", `Is screw type${turn} long enough?`);
  }
  return all;
}

describe("by code alone", () => {
  it("names time, counts, goal, steps, other topics and the current step", () => {
    const text = extractProgress({ notes: notes(7), time: 725, frames: 1_450, cap: 512, count });
    expect(text).toContain("is 12 minutes 5 seconds: 1450 frames, 8 turns, 2 of them by the user.");
    expect(text).toContain("Goal, in the user's words: I want to build the red shelf before noon.");
    expect(text).toContain("Now fix board 3 with screw type3.");
    expect(text).toContain("Other topics mentioned by the user: Is screw type5 long enough?");
    expect(text).toContain("Current step: Well done! Now fix board 6 with screw type6.");
    for (let board = 1; board < 7; board++)
      expect(text).toContain(`Now fix board ${board} with screw type${board}.`);
    expect(text.split("red shelf")).toHaveLength(2);
  });

  it.each([60, 120, 512])(
    "stays within %i tokens after hundreds of turns and never loses the goal",
    (cap) => {
      const text = extractProgress({ notes: notes(400), time: 3_600, frames: 7_200, cap, count });
      expect(count(text)).toBeLessThanOrEqual(cap);
      expect(text).toContain("I want to build the red shelf before noon.");
    },
  );

  it("what the user asked early isn't crowded out by what the assistant said", () => {
    const all = notes(20);
    all.add("user", "Is 3 bar too much?");
    for (let turn = 0; turn < 300; turn++) all.add("assistant", `Turn screw ${turn} by ${turn + 3} bar now.`);
    const text = extractProgress({ notes: all, time: 3_600, frames: 7_200, cap: 512, count });
    expect(text).toContain("Is 3 bar too much?");
    expect(text).toContain("Turn screw 298 by 301 bar now.");
    expect(count(text)).toBeLessThanOrEqual(512);
  });

  it("says nothing where nothing was said", () => {
    const text = extractProgress({ notes: createNotes(), time: 5, frames: 10, cap: 512, count });
    expect(text).toMatch(/0 turns, 0 of them by the user\.$/);
  });
});

describe("around a model's words", () => {
  it("keeps them, and adds what they leave out", () => {
    const input = { notes: notes(6), time: 60, frames: 120, cap: 512, count };
    const told = "The shelf is half built.";
    const text = frameProgress(told, input);
    expect(text).toContain(told);
    expect(text).toContain("red shelf before noon");
    expect(text).toMatch(/Also said: .*board 2/);
  });
});

describe("a list of steps", () => {
  it("shows each with its state", () => {
    const steps = {
      steps: [
        { text: "cut", status: "done" as const },
        { text: "glue", status: "blocked" as const },
      ],
    };
    const text = renderSteps(steps, { notes: notes(2), time: 60, frames: 120, cap: 512, count });
    expect(text).toContain("Steps:\n1. [done] cut\n2. [blocked] glue");
    expect(renderSteps("glue is drying", { notes: notes(2), time: 6, frames: 1, cap: 512, count })).toContain(
      "glue is drying",
    );
  });
});

describe("sentences and words", () => {
  it("a dot inside a number ends nothing; other scripts end with their own signs", () => {
    expect(sentences("Set 2.5 bar. Then go!\nNext")).toEqual(["Set 2.5 bar.", "Then go!", "Next"]);
    expect(sentences("拧下车轮。然后取下车顶。")).toEqual(["拧下车轮。", "然后取下车顶。"]);
    expect(sentences("… !")).toEqual([]);
    expect(wordsOf("Don't touch 拧下车轮")).toEqual(new Set(["don't", "touch", "拧下", "下车", "车轮"]));
  });
});
