import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transformSync } from "rolldown/utils";
import { run } from "./child.ts";
import { root } from "./project.ts";

/** An example, where it stands. `prints`: the lines that it says it prints. */
export type PlacedExample = { file: string; line: number; code: string; runs: boolean; prints: string[] };
/** Specifier → absolute path of the source. */
export type Targets = ReadonlyMap<string, string>;

/** Examples are small; one that takes this long hangs. */
const RUN_TIMEOUT_MS = 60_000;

/**
 * Type-checks each example as a module of its own.
 * Returns faults.
 */
export async function compileExamples(
  examples: readonly PlacedExample[],
  targets: Targets,
): Promise<string[]> {
  // Inside the project, so that examples may import the packages that it has installed.
  const folder = scratch(join(root, "node_modules/.cache", `precis-examples-${process.pid}`));
  for (const [index, example] of examples.entries()) {
    // On the same line as in its page, so that the compiler's lines are the page's.
    const lead = "\n".repeat(example.line - 1);
    writeFileSync(join(folder, `example-${index}.ts`), `${lead}${example.code}\nexport {};\n`);
  }
  const config = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      paths: Object.fromEntries([...targets].map(([specifier, source]) => [specifier, [source]])),
      allowImportingTsExtensions: true,
      rewriteRelativeImportExtensions: false,
      noEmit: true,
      typeRoots: [join(root, "node_modules/@types")],
    },
    files: examples.map((_, index) => `example-${index}.ts`),
    include: [],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const { code, stdout } = await run("tsc", ["-p", folder, "--pretty", "false"], {
    cwd: folder,
    output: "capture",
  });
  if (code === 0) return [];
  return stdout
    .trim()
    .split("\n")
    .map((text) => {
      const error = /^.*?example-(\d+)\.ts\((\d+),\d+\): (.*)$/.exec(text);
      return error ? `${examples[Number(error[1])]?.file}:${error[2]}: ${error[3]}` : text;
    });
}

/**
 * Runs each example to its end, against the sources.
 * Returns faults.
 */
export async function runExamples(examples: readonly PlacedExample[], targets: Targets): Promise<string[]> {
  const folder = scratch(mkdtempSync(join(tmpdir(), "precis-examples-")));
  const files: { path: string; where: string; prints: string[] }[] = [];
  for (const [index, example] of examples.entries()) {
    const where = `${example.file}:${example.line}`;
    const path = join(folder, `example-${index}.mjs`);
    const { code, errors } = transformSync("example.ts", example.code);
    writeFileSync(path, code);
    // A syntax error has been reported by the compiler already.
    if (errors.length === 0) files.push({ path, where, prints: example.prints });
  }
  writeFileSync(join(folder, "job.json"), JSON.stringify({ files, targets: Object.fromEntries(targets) }));
  const { stdout, stderr, timedOut } = await run(
    "node",
    [join(root, "scripts/lib/run-modules.mjs"), join(folder, "job.json")],
    { cwd: folder, output: "capture", timeoutMs: RUN_TIMEOUT_MS },
  );
  const last = stdout.trim().split("\n").at(-1) ?? "";
  if (timedOut || !last.startsWith("[")) return [`the examples didn't run to their end:\n${stderr}`];
  return JSON.parse(last);
}

function scratch(folder: string) {
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  return folder;
}
