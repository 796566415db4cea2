import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { run } from "./lib/child.ts";
import { evaluation, gateway, library, type Package, packages, publicSources } from "./lib/packages.ts";
import { root } from "./lib/project.ts";

/**
 * Packs all packages, installs each into an empty project and uses it from there: what a person gets from npm.
 *
 *   --update   write scripts/public-names.json anew, after a deliberate change of the public surface
 */

/** Subpaths that are of use only beside an optional peer dependency, which an empty project doesn't have. */
const NEEDS_PEER = /\/testing\/(arbitraries|.*-contract)$/;
const NAMES_FILE = "scripts/public-names.json";
/** What the library installs: itself and a hash. */
const LIBRARY_INSTALLS = ["@noble/hashes", "precis"];
const TOKENIZER_DATA = "node_modules/precis/dist/tokens/vocabularies";
/** Most that the library may take up without the tokenizer's data (bytes). */
const MAX_LIBRARY_BYTES = 5_000_000;
/** Built files that only a server needs. */
const OF_A_SERVER = /^dist\/(gateway|cli|config|eval|web|stores\/(sql|postgres|migrations|server))/;
/** What a package is never without. */
const REQUIRED = ["LICENSE", "README.md", "CHANGELOG.md", "package.json"];

/** Installing takes seconds, on a busy machine minutes; a registry that doesn't answer must not hold the run for ever. */
const INSTALL_TIMEOUT_MS = 600_000;

/** What every project asks of declarations: nothing is skipped, and nobody has Node's types by chance. */
const STRICT = {
  target: "es2023",
  lib: ["es2023", "dom"],
  types: [],
  strict: true,
  noEmit: true,
  skipLibCheck: false,
};
/** The ways in which projects find types: compiler options, and the files that import under them. */
const RESOLUTIONS = {
  "NodeNext and CommonJS": {
    options: { module: "nodenext" },
    files: { "node.mts": asModule, "common.cts": asCommonJs },
  },
  bundler: {
    options: { module: "esnext", moduleResolution: "bundler" },
    files: { "bundler.ts": asModule },
  },
};

const { values } = parseArgs({ options: { update: { type: "boolean", default: false } } });
const scratch = mkdtempSync(join(tmpdir(), "precis-pack-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

const faults: string[] = [];
try {
  const libraryFile = await pack(library);
  const gatewayFile = await pack(gateway);
  const evaluationFile = await pack(evaluation);
  const libraryNames = await use(library, [libraryFile], checkLibrary);
  // The gateway's project has the library of this clone, not one from a registry.
  const gatewayNames = await use(gateway, [libraryFile, gatewayFile], checkCommand);
  await compareNames({ ...libraryNames, ...gatewayNames });
  await checkEvaluation([libraryFile, gatewayFile, evaluationFile]);
} catch (error) {
  faults.push((error as Error).message);
}
checkVersions();
for (const fault of faults) console.error(`package: ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;

/** Returns the packed file. */
async function pack({ name, folder }: Package): Promise<string> {
  const { code, stdout, stderr } = await run(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--pack-destination", scratch],
    { cwd: join(root, folder), output: "capture" },
  );
  if (code !== 0) throw new Error(`npm pack of ${name} failed:\n${stderr}`);
  const output = JSON.parse(stdout);
  const { filename, files, size, unpackedSize } = Array.isArray(output)
    ? output[0]
    : Object.values(output)[0];
  const paths: string[] = files.map((file: { path: string }) => file.path);
  for (const path of paths) {
    const unwanted = /\.test\.|\.test-d\./.test(path) || (path.endsWith(".ts") && !path.endsWith(".d.ts"));
    if (unwanted) faults.push(`${path} is in ${name}; only built files and docs belong there`);
    if (name === library.name && OF_A_SERVER.test(path))
      faults.push(`${path} is in ${name}, because one of its entries needs it; it belongs to a server`);
  }
  for (const path of REQUIRED) if (!paths.includes(path)) faults.push(`${path} is missing in ${name}`);
  console.log(`package: ${name} has ${paths.length} files, ${kb(size)} packed, ${kb(unpackedSize)} unpacked`);
  return join(scratch, filename);
}

/**
 * Installs a package into a project of its own and uses all that it offers.
 * Returns names by specifier.
 */
async function use(
  target: Package,
  tarballs: readonly string[],
  check: (folder: string, sizes: Map<string, number>) => void | Promise<void>,
): Promise<Record<string, string[]>> {
  const folder = join(scratch, target.folder.replaceAll("/", "-"));
  await installInto(folder, tarballs);
  const sizes = installedSizes(folder);
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  console.log(`package: ${target.name} installs ${sizes.size} packages, ${kb(bytes)}`);
  await check(folder, sizes);
  const specifiers = publicSources(target)
    .map(([specifier]) => specifier)
    .filter((specifier) => !NEEDS_PEER.test(specifier));
  const found = await typeFaults(folder, specifiers);
  faults.push(...found.map((fault) => `${target.name}: ${fault}`));
  return exportedNames(folder, specifiers);
}

function checkLibrary(folder: string, sizes: Map<string, number>) {
  const installed = [...sizes.keys()].sort();
  if (installed.join() !== LIBRARY_INSTALLS.join()) {
    faults.push(`precis installs ${installed.join(", ")}; it may install ${LIBRARY_INSTALLS.join(", ")}`);
  }
  const all = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const bytes = all - bytesBelow(join(folder, TOKENIZER_DATA));
  console.log(`package: precis without the tokenizer's data takes ${kb(bytes)}`);
  if (bytes > MAX_LIBRARY_BYTES) {
    faults.push(`precis takes ${kb(bytes)} without the tokenizer's data, ${kb(MAX_LIBRARY_BYTES)} at most`);
  }
}

async function checkCommand(folder: string) {
  const { code, stdout, stderr } = await run("npx", ["--no-install", "precis", "--version"], {
    cwd: folder,
    output: "capture",
    env: { npm_config_prefix: folder },
  });
  if (code !== 0) faults.push(`\`npx precis --version\` failed:\n${stderr}`);
  else if (stdout.trim() !== gateway.version) {
    faults.push(`\`npx precis --version\` printed "${stdout.trim()}", not ${gateway.version}`);
  }
  const without = await run("npx", ["--no-install", "precis", "eval", "cost", "--sample"], {
    cwd: folder,
    output: "capture",
  });
  if (without.code !== 2 || !without.stderr.includes("npm install @precis/eval"))
    faults.push(`\`precis eval\` doesn't say where it is to be had:\n${without.stderr}`);
}

/** Beside the gateway's command line, its own command is there. */
async function checkEvaluation(tarballs: readonly string[]) {
  const folder = join(scratch, "evaluation");
  await installInto(folder, tarballs);
  const { code, stderr } = await run("npx", ["--no-install", "precis", "eval", "retention"], {
    cwd: folder,
    output: "capture",
  });
  if (code !== 1 || !stderr.includes("there is no folder data"))
    faults.push(`\`npx precis eval retention\` doesn't look for data:\n${stderr}`);
}

/** All packages are released together, sources in a clone tell the version of the repository, and the changelog begins with it. */
function checkVersions() {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const { dependencies } = JSON.parse(readFileSync(join(root, gateway.folder, "package.json"), "utf8"));
  const versions = [
    version,
    ...[...packages, evaluation].map((one) => one.version),
    dependencies[library.name],
    /^## (\S+?),? /m.exec(readFileSync(join(root, "CHANGELOG.md"), "utf8"))?.[1],
  ];
  if (new Set(versions).size > 1) faults.push(`the versions differ: ${versions.join(", ")}`);
}

async function compareNames(names: Record<string, string[]>) {
  const file = join(root, NAMES_FILE);
  if (values.update) {
    writeFileSync(file, JSON.stringify(names));
    await run("biome", ["format", "--write", file], { cwd: root, output: "capture" });
  }
  const expected: Record<string, string[]> = JSON.parse(readFileSync(file, "utf8"));
  for (const specifier of new Set([...Object.keys(names), ...Object.keys(expected)])) {
    const missing = (expected[specifier] ?? []).filter((name) => !names[specifier]?.includes(name));
    const added = (names[specifier] ?? []).filter((name) => !expected[specifier]?.includes(name));
    const fix = `if that is meant, run \`npm run build && node scripts/check-pack.ts --update\``;
    if (missing.length > 0) faults.push(`"${specifier}" no longer exports ${missing.join(", ")}; ${fix}`);
    if (added.length > 0) faults.push(`"${specifier}" now exports ${added.join(", ")}; ${fix}`);
  }
}

function kb(bytes: number) {
  return `${Math.round(bytes / 1_000).toLocaleString("en")} kB`;
}

/** An empty project that packed packages are installed into, as a person does it. */
export async function installInto(folder: string, tarballs: readonly string[]): Promise<void> {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  const { code, stderr } = await run("npm", ["install", "--prefix", folder, ...quiet, ...tarballs], {
    cwd: folder,
    output: "capture",
    timeoutMs: INSTALL_TIMEOUT_MS,
  });
  if (code !== 0) throw new Error(`npm install of the packed package failed:\n${stderr}`);
}

/** What is installed: name of a package → its bytes. */
export function installedSizes(folder: string): Map<string, number> {
  const modules = join(folder, "node_modules");
  const names = readdirSync(modules).flatMap((name) =>
    name.startsWith("@") ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`) : [name],
  );
  return new Map(
    names.filter((name) => !name.startsWith(".")).map((name) => [name, bytesBelow(join(modules, name))]),
  );
}

export function bytesBelow(folder: string) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile())
    .reduce((sum, item) => sum + statSync(join(item.parentPath, item.name)).size, 0);
}

/** What the specifiers export while a program runs. Every one is imported and required. */
export async function exportedNames(
  folder: string,
  specifiers: readonly string[],
): Promise<Record<string, string[]>> {
  const program = `import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
const names = {};
for (const s of ${JSON.stringify(specifiers)}) {
  names[s] = Object.keys(await import(s)).sort();
  if (require(s)[names[s][0]] !== (await import(s))[names[s][0]]) throw new Error(s + " is there twice");
}
console.log(JSON.stringify(names));`;
  writeFileSync(join(folder, "names.mjs"), program);
  const { code, stdout, stderr } = await run("node", ["names.mjs"], { cwd: folder, output: "capture" });
  if (code !== 0) throw new Error(`importing ${specifiers.join(", ")} by name failed:\n${stderr}`);
  return JSON.parse(stdout);
}

/**
 * Compiles a project that imports the specifiers, once for each way in which projects find types.
 * Returns faults.
 */
export async function typeFaults(folder: string, specifiers: readonly string[]): Promise<string[]> {
  const faults: string[] = [];
  for (const [name, { options, files }] of Object.entries(RESOLUTIONS)) {
    const config = join(folder, `tsconfig.${Object.keys(files).join("-")}.json`);
    for (const [file, imports] of Object.entries(files))
      writeFileSync(join(folder, file), specifiers.map(imports).join("\n"));
    writeFileSync(
      config,
      JSON.stringify({ compilerOptions: { ...STRICT, ...options }, files: Object.keys(files) }),
    );
    const { code, stdout } = await run("tsc", ["-p", config], { cwd: folder, output: "capture" });
    if (code !== 0)
      faults.push(`the declarations don't compile in a project of their own (${name}):\n${stdout}`);
  }
  return faults;
}

function asModule(specifier: string, index: number) {
  return `export * as p${index} from "${specifier}";`;
}

function asCommonJs(specifier: string, index: number) {
  return `import p${index} = require("${specifier}");\nexport const names${index}: readonly string[] = Object.keys(p${index});`;
}
