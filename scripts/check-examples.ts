/**
 * Holds the docs to the code: every TypeScript example compiles and runs, every command and flag exists, every public name has a doc comment, every public type
 * and field is in the reference, every relative link leads somewhere.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { packages, publicSources } from "./lib/packages.ts";
import { filesBelow, isTestFile, root } from "./lib/project.ts";
import { type Module, publicExports } from "./lib/public-exports.ts";
import { missingInReference, readDocComments, readMarkdown, unknownCommands } from "./lib/read-docs.ts";
import { compileExamples, type PlacedExample, runExamples } from "./lib/use-examples.ts";

/** Pages on which `console.log(…); // text` means that just this text is printed. */
const PRINTS = /^docs\/(?:tasks\/|start\.md|compare\.md)/;

/** The public types: each name in it belongs into the reference. */
const TYPES = "src/core/types";

const pages = [
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md"].filter(
    (page) => existsSync(join(root, page)),
  ),
  // Generated pages repeat what doc comments say, and those are checked where they stand.
  ...filesBelow(root, "docs", /\.md$/).filter((page) => !page.startsWith("docs/reference/generated/")),
  ...packages.map(({ folder }) => `${folder}/README.md`),
];
const sources = filesBelow(root, "src", /\.ts$/).filter((file) => !isTestFile(file));
/** Specifier → source file, of both packages. */
const entries = packages.flatMap(publicSources);

const modules: Map<string, Module> = new Map();
/** Source file → what it exports. */
const known: Map<string, ReturnType<typeof publicExports>> = new Map();

const faults: string[] = [];
const examples: PlacedExample[] = [];

for (const file of [...pages, ...sources]) {
  const text = readFileSync(join(root, file), "utf8");
  const found = file.endsWith(".md") ? readMarkdown(text) : readDocComments(text);
  const commands = file.endsWith(".md") ? unknownCommands(text) : [];
  for (const { line, message } of [...found.faults, ...commands]) faults.push(`${file}:${line}: ${message}`);
  for (const { line, code, flags } of found.examples) {
    const whole = file.endsWith(".md") ? code : withImports(code, file);
    if (!flags.includes("no-check"))
      examples.push({
        file,
        line,
        code: whole,
        runs: !flags.includes("no-run"),
        prints: PRINTS.test(file) ? printedLines(code) : [],
      });
  }
}
const runnable = examples.filter((example) => example.runs);
const targets = new Map(entries.map(([specifier, source]) => [specifier, join(root, source)]));
faults.push(...(await compileExamples(examples, targets)), ...(await runExamples(runnable, targets)));
const names = checkDocComments();
const links = checkLinks();
checkReference();

for (const fault of faults) console.error(fault);
console.log(
  `docs: ${examples.length} examples compiled, ${runnable.length} of them run, ${names} public names, ${links} links, ${faults.length} fault(s)`,
);
process.exitCode = faults.length > 0 ? 1 : 0;

/**
 * A doc comment's example may leave out the imports of public names and of its own file's: the reader is looking at
 * them.
 */
function withImports(code: string, file: string): string {
  const words = new Set(code.match(/\w+/g));
  const bound = code.match(/^import [^;]*|(?:const|let|function|class|interface|type) \w+/gm) ?? [];
  for (const name of bound.join(" ").match(/\w+/g) ?? []) words.delete(name);
  const found: Map<string, string> = new Map();
  const ownEntry = posix.join(dirname(file), "index.ts");
  const sources: [string, string][] = entries.toSorted(
    ([, a], [, b]) => Number(b === ownEntry) - Number(a === ownEntry),
  );
  sources.push([join(root, file), file]);
  for (const [specifier, source] of sources) {
    for (const { name, isType } of exportsOf(source)) {
      if (!words.has(name) || found.has(name)) continue;
      found.set(name, `import { ${isType ? "type " : ""}${name} } from "${specifier}";`);
    }
  }
  return `${[...found.values()].join(" ")} ${code}`;
}

function exportsOf(source: string) {
  const found = known.get(source) ?? publicExports(root, source, modules);
  known.set(source, found);
  return found;
}

function printedLines(code: string): string[] {
  return [...code.matchAll(/^console\.log\(.*\); \/\/ (.+)$/gm)].map(([, text = ""]) => text);
}

/** Returns how many names were looked at. */
function checkDocComments(): number {
  let count = 0;
  for (const [specifier, source] of entries) {
    if (!existsSync(join(root, source))) {
      faults.push(`package.json: "${specifier}" has no source ${source}`);
      continue;
    }
    for (const { name, file, line, documented } of exportsOf(source)) {
      count += 1;
      if (!documented)
        faults.push(`${file}:${line}: \`${name}\` is public (${source}) and has no doc comment`);
    }
  }
  return count;
}

/** An option or a field that the reference doesn't know is as good as absent. */
function checkReference() {
  const reference = pages
    .filter((page) => page.startsWith("docs/reference/"))
    .map((page) => readFileSync(join(root, page), "utf8"));
  for (const file of filesBelow(root, TYPES, /\.ts$/)) {
    const types = readFileSync(join(root, file), "utf8");
    for (const { name, line } of missingInReference(types, reference))
      faults.push(`${file}:${line}: \`${name}\` isn't in docs/reference`);
  }
}

/** Returns how many links were looked at. */
function checkLinks(): number {
  let count = 0;
  for (const file of pages) {
    const text = readFileSync(join(root, file), "utf8").replace(/```[\s\S]*?```/g, (code) =>
      code.replace(/[^\n]/g, " "),
    );
    for (const link of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      const [path = "", anchor] = (link[1] ?? "").split("#");
      if (/^[a-z]+:/.test(path)) continue;
      count += 1;
      const line = text.slice(0, link.index).split("\n").length;
      const target = path === "" ? file : posix.join(dirname(file), path);
      if (!existsSync(join(root, target))) faults.push(`${file}:${line}: the link to ${path} leads nowhere`);
      else if (anchor !== undefined && target.endsWith(".md") && !anchorsOf(target).includes(anchor)) {
        faults.push(`${file}:${line}: ${target} has no heading #${anchor}`);
      }
    }
  }
  return count;
}

/** The anchors of a page's headings, as the usual Markdown renderers make them. */
function anchorsOf(page: string): string[] {
  return [...readFileSync(join(root, page), "utf8").matchAll(/^#+ (.*)$/gm)].map((heading) =>
    (heading[1] ?? "")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );
}
