import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { publicExports } from "./lib/public-exports.ts";
import { missingInReference, readDocComments, readMarkdown, unknownCommands } from "./lib/read-docs.ts";

test("reads the TypeScript of a page, with its line", () => {
  const page = "# Title\n\n```ts\nconst a = 1;\n```\n\n```sh\nls\n```\n\n```ts no-check\nnonsense\n```\n";
  expect(readMarkdown(page).examples).toEqual([
    { line: 4, code: "const a = 1;", flags: [] },
    { line: 12, code: "nonsense", flags: ["no-check"] },
  ]);
});

test("refuses a fence that would escape the check", () => {
  expect(readMarkdown("```typescript\nx\n```").faults).toHaveLength(1);
  expect(readMarkdown("```ts nocheck\nx\n```").faults).toHaveLength(1);
  expect(readMarkdown("```ts\nx\n").faults).toHaveLength(1);
});

test("reads the examples of doc comments", () => {
  const source =
    "/** No example. */\n/**\n * Text.\n *\n * @example\n * ```ts\n * if (a) {\n *   b();\n * }\n * ```\n */\nexport const a = 1;";
  expect(readDocComments(source).examples).toEqual([{ line: 7, code: "if (a) {\n  b();\n}", flags: [] }]);
});

test("reads an @example without a fence, and refuses one without code", () => {
  expect(readDocComments("/**\n * @example\n * a();\n * @returns b\n */").examples).toEqual([
    { line: 3, code: "a();", flags: [] },
  ]);
  expect(readDocComments("/**\n * @example\n */").faults).toHaveLength(1);
});

test("follows public names to their declarations and sees whether they are documented", () => {
  const base = mkdtempSync(join(tmpdir(), "precis-exports-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const files = {
    "src/index.ts":
      'import { e } from "./b.ts";\nexport { a, b as renamed } from "./a.ts";\nexport type { C } from "./a.ts";\nexport * from "./b.ts";\nexport { e as again };\nconst local = 1;\nexport { local };',
    "src/a.ts":
      "/** Documented. */\nexport const a = 1;\n// not a doc comment\nexport function b() {}\n/** Documented. */\nexport interface C {}",
    "src/b.ts": "/* plain */\nexport class D {}\n/** Documented. */\nexport const e = 1;",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  }
  const found = publicExports(base, "src/index.ts").map((item) => [item.name, item.file, item.documented]);
  expect(found).toEqual([
    ["a", "src/a.ts", true],
    ["renamed", "src/a.ts", false],
    ["C", "src/a.ts", true],
    ["D", "src/b.ts", false],
    ["e", "src/b.ts", true],
    ["again", "src/b.ts", true],
    ["local", "src/index.ts", false],
  ]);
});

test("finds types, fields and values that the reference leaves out", () => {
  const types =
    'export interface Options {\n  readonly known?: "yes" | "no";\n  forgotten(): void;\n}\ninterface Inner { hidden: 1 }';
  const pages = ["`Options` has `known`, which is ```ts\\n'yes'\\n``` but forgotten is no code here."];
  expect(missingInReference(types, pages)).toEqual([
    { name: "no", line: 2 },
    { name: "forgotten", line: 3 },
  ]);
});

test("finds commands and flags that there aren't, and leaves other programs' flags alone", async () => {
  const page = [
    "```sh",
    "PRECIS_PORT=1 precis serve --port 9000   # --nonsense",
    "precis replay a.jsonl --compare",
    "precis bake --hot",
    "precis launch codex -- --nonsense",
    "precis handover a.jsonl --goal 'say --nonsense'",
    "```",
    "precis bake",
  ].join("\n");
  expect(unknownCommands(page)).toEqual([
    { line: 3, message: "precis replay has no flag --compare" },
    { line: 4, message: "there is no command precis bake" },
  ]);
});
