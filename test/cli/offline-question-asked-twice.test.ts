/** The offline assistant quoted the question itself, and its own earlier answers, when the same thing was asked again. */
import { afterAll, expect, test } from "vitest";
import { runCli, scratchFolder } from "./run-cli.ts";

const folder = scratchFolder();
afterAll(() => folder.remove());

const FACT = "The pump at Larkfield is a Grundfos 4412.";

const answersTo = async (name: string, lines: readonly string[]): Promise<string[]> => {
  const { code, stdout } = await runCli(["chat", "--db", folder.path(name), "--json"], {
    stdin: `${lines.join("\n")}\n`,
  });
  expect(code).toBe(0);
  return stdout
    .trim()
    .split("\n")
    .flatMap((line) => {
      const { type, text } = JSON.parse(line) as { readonly type: string; readonly text?: string };
      return type === "answer" && text !== undefined ? [text] : [];
    });
};

test("a question that is asked again is answered as the first time, however it is punctuated", async () => {
  const [, first, ...again] = await answersTo("asked.db", [
    FACT,
    "Which pump is at Larkfield?",
    "Which pump is at Larkfield?",
    "which pump is at  Larkfield",
  ]);
  expect(first).toContain(`> “${FACT}”\n\nYou, #1`);
  expect(again).toEqual([first, first]);
});

test("a question that nothing answers still finds nothing when it is asked again", async () => {
  const question = "Where do the gardeners of Larkfield keep their wheelbarrows and their rainwater barrels?";
  const answers = await answersTo("nothing.db", ["Good morning.", question, question]);
  expect(answers).toHaveLength(3);
  expect(answers[1]).toContain("nothing in it holds");
  expect(answers[2]).toBe(answers[1]);
});

test("a long answer of the offline assistant is no evidence for another question", async () => {
  const [, last] = await answersTo("own.db", [
    "Where do the gardeners of Larkfield keep their wheelbarrows and their rainwater barrels?",
    "Who painted the barrels?",
  ]);
  expect(last).toContain("You, #1");
  expect(last).not.toContain("Assistant, #");
});
