import { expect, test } from "vitest";
import { readPassage } from "./read-passage.ts";

const texts = (text: string): string[] => readPassage(text, false).map((piece) => piece.text);

test("a line of code that is too long is left out or marked, never cut without a sign", () => {
  const long = `const settings = ${"x".repeat(600)}; // the end`;
  for (const text of texts(`It is set here:\n\`\`\`ts\n${long}\n\`\`\``))
    if (text.includes("const settings")) expect(text).toMatch(/…$/m);
});

test("what is said behind a fence that nobody closes isn't dropped", () => {
  const said = texts(
    "The cause is the lock.\n```\nnpm test\nThe queue holds it for 20 seconds.\nThat is all there is to it.",
  );
  expect(said).toContain("The queue holds it for 20 seconds.");
  expect(said).toContain("That is all there is to it.");
});

test("code that breaks off with its message is shown by its beginning, with a sign", () => {
  const code = Array.from({ length: 20 }, (_, at) => `const part${at} = ${at};`);
  const pieces = readPassage(`The new file:\n\`\`\`ts\n${code.join("\n")}`, false);
  const [shown, ...more] = pieces.filter(({ kind }) => kind === "code");
  expect(shown?.text).toMatch(/^const part0 = 0;\n[\s\S]*…$/);
  expect(more).toEqual([]);
  expect(pieces.map(({ text }) => text)).not.toContain("const part19 = 19;");
});

test("a fence with a language inside of another one doesn't close it", () => {
  const said = texts(
    "The page:\n```md\n# Title\n```ts\nconst a = 1;\n```\nThe page ends here and 3 checks pass.\n```\nAnd it was built in 20 seconds.",
  );
  expect(said).toContain("And it was built in 20 seconds.");
});

test("a longer fence holds shorter ones", () => {
  const said = texts("Look:\n````md\nrun it:\n```\nnpm run all 7\n```\n````\nIt takes 20 seconds.");
  expect(said.at(-1)).toBe("It takes 20 seconds.");
  expect(said.some((text) => text.includes("run it:\n```\nnpm run all 7\n```"))).toBe(true);
});
