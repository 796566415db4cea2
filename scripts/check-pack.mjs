// @ts-check
/**
 * Packs all packages, installs each into an empty project and uses it from there: what a person gets from npm.
 *
 *   --update   write scripts/public-names.json anew, after a deliberate change of the public surface
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { run } from "./lib/child.mjs";
import { evaluation, gateway, library, packages, publicSources } from "./lib/packages.mjs";
import { root } from "./lib/project.mjs";
import { bytesBelow, exportedNames, installedSizes, installInto, typeFaults } from "./lib/trial-project.mjs";

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

const { values } = parseArgs({ options: { update: { type: "boolean", default: false } } });
const scratch = mkdtempSync(join(tmpdir(), "precis-pack-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

/** @type {string[]} */
const faults = [];
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
  faults.push(/** @type {Error} */ (error).message);
}
checkVersions();
for (const fault of faults) console.error(`package: ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;

/**
 * @param {import("./lib/packages.mjs").Package} target
 * @returns {Promise<string>} the packed file
 */
async function pack({ name, folder }) {
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
  /** @type {string[]} */
  const paths = files.map((/** @type {{ path: string }} */ file) => file.path);
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
 * @param {import("./lib/packages.mjs").Package} target
 * @param {readonly string[]} tarballs
 * @param {(folder: string, sizes: Map<string, number>) => void | Promise<void>} check
 * @returns {Promise<Record<string, string[]>>} names by specifier
 */
async function use(target, tarballs, check) {
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

/**
 * @param {string} folder
 * @param {Map<string, number>} sizes
 */
function checkLibrary(folder, sizes) {
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

/** @param {string} folder */
async function checkCommand(folder) {
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

/**
 * Beside the gateway's command line, its own command is there.
 * @param {readonly string[]} tarballs
 */
async function checkEvaluation(tarballs) {
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

/** @param {number} bytes */
function kb(bytes) {
  return `${Math.round(bytes / 1_000).toLocaleString("en")} kB`;
}
