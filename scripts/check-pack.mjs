// @ts-check
/**
 * Packs the package, installs it into an empty project and uses it from there: what a person gets from npm.
 *
 *   --update   write scripts/public-names.json anew, after a deliberate change of the public surface
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { run } from "./lib/child.mjs";
import { root } from "./lib/project.mjs";

/** Installing takes seconds, on a busy machine minutes; a registry that doesn't answer must not hold the run for ever. */
const INSTALL_TIMEOUT_MS = 600_000;
const BYTES_PER_KB = 1_000;
/** Subpaths that are of use only beside an optional peer dependency, which an empty project doesn't have. */
const NEEDS_PEER = {
  "./testing/arbitraries": "fast-check",
  "./testing/dialect-contract": "vitest",
  "./testing/kv-cache-contract": "vitest",
  "./testing/store-contract": "vitest",
};
const NAMES_FILE = "scripts/public-names.json";

const { values } = parseArgs({ options: { update: { type: "boolean", default: false } } });
const scratch = mkdtempSync(join(tmpdir(), "precis-pack-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

/** @type {string[]} */
const faults = [];
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
/** Subpaths that need nothing but the package and its dependencies. */
const subpaths = Object.keys(manifest.exports).filter(
  (path) => !path.endsWith(".json") && !(path in NEEDS_PEER),
);

const packed = await pack();
for (const path of packed.files) {
  const unwanted = /\.test\.|\.test-d\./.test(path) || (path.endsWith(".ts") && !path.endsWith(".d.ts"));
  if (unwanted) faults.push(`${path} is in the package; only built files and docs belong there`);
}
for (const path of ["LICENSE", "README.md", "CHANGELOG.md", "package.json"]) {
  if (!packed.files.includes(path)) faults.push(`${path} is missing in the package`);
}

const project = await install(packed.tarball);
await compareNames(await exportedNames(project));
await checkTypes(project);
await checkCommand(project);

console.log(
  `package: ${packed.files.length} files, ${kb(packed.size)} packed, ${kb(packed.unpackedSize)} unpacked`,
);
for (const fault of faults) console.error(`package: ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;

/** @returns {Promise<{ tarball: string, files: string[], size: number, unpackedSize: number }>} */
async function pack() {
  const { code, stdout, stderr } = await run(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--pack-destination", scratch],
    { cwd: root, output: "capture" },
  );
  if (code !== 0) stopHere(`npm pack failed:\n${stderr}`);
  const output = JSON.parse(stdout);
  const info = Array.isArray(output) ? output[0] : Object.values(output)[0];
  return {
    tarball: join(scratch, info.filename),
    files: info.files.map((/** @type {{ path: string }} */ file) => file.path),
    size: info.size,
    unpackedSize: info.unpackedSize,
  };
}

/**
 * @param {string} tarball
 * @returns {Promise<string>} the folder of the project that uses the package
 */
async function install(tarball) {
  const folder = join(scratch, "project");
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const { code, stderr } = await run(
    "npm",
    [
      "install",
      "--prefix",
      folder,
      "--prefer-offline",
      "--no-audit",
      "--no-fund",
      "--ignore-scripts",
      tarball,
    ],
    { cwd: folder, output: "capture", timeoutMs: INSTALL_TIMEOUT_MS },
  );
  if (code !== 0) stopHere(`npm install of the packed package failed:\n${stderr}`);
  return folder;
}

/**
 * @param {string} folder
 * @returns {Promise<Record<string, string[]>>}
 */
async function exportedNames(folder) {
  const specifiers = subpaths.map((path) => manifest.name + path.slice(1));
  const program = `const names = {};
for (const s of ${JSON.stringify(specifiers)}) names[s] = Object.keys(await import(s)).sort();
console.log(JSON.stringify(names));`;
  writeFileSync(join(folder, "names.mjs"), program);
  const { code, stdout, stderr } = await run("node", ["names.mjs"], { cwd: folder, output: "capture" });
  if (code !== 0) stopHere(`importing ${specifiers.join(", ")} by name failed:\n${stderr}`);
  return JSON.parse(stdout);
}

/** @param {Record<string, string[]>} names */
async function compareNames(names) {
  const file = join(root, NAMES_FILE);
  if (values.update) {
    writeFileSync(file, JSON.stringify(names));
    await run("biome", ["format", "--write", file], { cwd: root, output: "capture" });
  }
  /** @type {Record<string, string[]>} */
  const expected = JSON.parse(readFileSync(file, "utf8"));
  for (const specifier of new Set([...Object.keys(names), ...Object.keys(expected)])) {
    const missing = (expected[specifier] ?? []).filter((name) => !names[specifier]?.includes(name));
    const added = (names[specifier] ?? []).filter((name) => !expected[specifier]?.includes(name));
    const fix = `if that is meant, run \`npm run build && node scripts/check-pack.mjs --update\``;
    if (missing.length > 0) faults.push(`"${specifier}" no longer exports ${missing.join(", ")}; ${fix}`);
    if (added.length > 0) faults.push(`"${specifier}" now exports ${added.join(", ")}; ${fix}`);
  }
}

/**
 * The declarations must be complete without this repository: no skipLibCheck, no types of Node.
 * @param {string} folder
 */
async function checkTypes(folder) {
  const imports = subpaths.map((path, i) => `export * as p${i} from "${manifest.name}${path.slice(1)}";`);
  writeFileSync(join(folder, "types.ts"), imports.join("\n"));
  const options = {
    module: "nodenext",
    target: "es2023",
    lib: ["es2023", "dom"],
    types: [],
    strict: true,
    noEmit: true,
  };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...options, skipLibCheck: false }, files: ["types.ts"] }),
  );
  const { code, stdout } = await run("tsc", ["-p", folder], { cwd: folder, output: "capture" });
  if (code !== 0) faults.push(`the declarations don't compile in a project of their own:\n${stdout}`);
}

/** @param {string} folder */
async function checkCommand(folder) {
  const { code, stdout, stderr } = await run("npx", ["--no-install", "precis", "--version"], {
    cwd: folder,
    output: "capture",
    env: { npm_config_prefix: folder },
  });
  if (code !== 0) faults.push(`\`npx precis --version\` failed:\n${stderr}`);
  else if (!stdout.includes(manifest.version)) {
    faults.push(`\`npx precis --version\` printed "${stdout.trim()}", not ${manifest.version}`);
  }
}

/** @param {number} bytes */
function kb(bytes) {
  return `${Math.round(bytes / BYTES_PER_KB)} kB`;
}

/**
 * @param {string} message
 * @returns {never}
 */
function stopHere(message) {
  console.error(`package: ${message}`);
  process.exit(1);
}
