/** The glossary has one meaning for each word, and names of files and exports keep to it. */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { filesBelow, isTestFile, root } from "./lib/project.ts";

/** Words of users, and words of the code with those that have another. */
const glossary = ["docs/glossary.md", "CONTRIBUTING.md"]
  .map((file) => readFileSync(join(root, file), "utf8"))
  .join("\n");

/** Names that other programs gave: a name of an evaluation's measure, a table of a database. */
const GIVEN = new Set(["standingInstructions", "SeenColumns"]);

/** The words of a name: `readCallText` and `read-call-text` have the same three. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);
}

/** The words in the first column of the last table. */
function unusedWords(): Set<string> {
  const [, table = ""] = glossary.split("## Words that precis doesn't use");
  const rows = [...table.matchAll(/^\| ([a-z, ]+) \|/gm)].map(([, cell = ""]) => cell);
  return new Set(rows.slice(1).flatMap((cell) => cell.split(", ")));
}

const sources = filesBelow(root, "src", /\.ts$/).filter(
  (file) => !isTestFile(file) && !file.includes("/vocabularies/"),
);

test("a word is explained once", () => {
  const explained = [...glossary.matchAll(/\*\*([^*]+?)\.?\*\*/g)].map(([, word = ""]) => word.toLowerCase());
  expect(explained.length).toBeGreaterThan(40);
  expect(explained.filter((word, at) => explained.indexOf(word) !== at)).toEqual([]);
});

test("a word that has another in the glossary names no file and no export", () => {
  const unused = unusedWords();
  expect(unused.size).toBeGreaterThan(12);
  const faults = sources.flatMap((file) => {
    const exported = readFileSync(join(root, file), "utf8").matchAll(
      /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm,
    );
    const names = [basename(file, ".ts"), ...[...exported].map(([, name = ""]) => name)];
    return names
      .filter((name) => !GIVEN.has(name) && wordsOf(name).some((word) => unused.has(word)))
      .map((name) => `${file}: ${name}`);
  });
  expect(faults).toEqual([]);
});

test("what the engine works on is called by its words", () => {
  const used = (word: RegExp, folder: string) =>
    sources.filter((file) => file.startsWith(folder) && word.test(readFileSync(join(root, file), "utf8")));
  expect(used(/\bcall\.seen\b|\bCall<|\bopenDesk\b/, "src/engine/")).toEqual([]);
  expect(used(/\binterface Operation</, "src/engine/")).toEqual(["src/engine/read/survey.ts"]);
  expect(used(/\binterface Survey</, "src/engine/")).toEqual(["src/engine/read/survey.ts"]);
});

test("a comment isn't a riddle: it names who or what it is about", () => {
  // Comments that begin with a bare "Without", "So" or "As" and end after a few words had no subject.
  const bare = /\/\*\* (?:Without|As|With|Of|So) [^.*]{0,28}\. \*\//g;
  const found = sources.flatMap((file) =>
    (readFileSync(join(root, file), "utf8").match(bare) ?? []).map((comment) => `${file}: ${comment}`),
  );
  expect(found).toEqual([]);
});
