// @ts-check
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./child.mjs";

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

/**
 * An empty project that packed packages are installed into, as a person does it.
 * @param {string} folder
 * @param {readonly string[]} tarballs
 * @returns {Promise<void>}
 */
export async function installInto(folder, tarballs) {
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

/**
 * What is installed: name of a package → its bytes.
 * @param {string} folder
 * @returns {Map<string, number>}
 */
export function installedSizes(folder) {
  const modules = join(folder, "node_modules");
  const names = readdirSync(modules).flatMap((name) =>
    name.startsWith("@") ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`) : [name],
  );
  return new Map(
    names.filter((name) => !name.startsWith(".")).map((name) => [name, bytesBelow(join(modules, name))]),
  );
}

/** @param {string} folder */
export function bytesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile())
    .reduce((sum, item) => sum + statSync(join(item.parentPath, item.name)).size, 0);
}

/**
 * What the specifiers export while a program runs. Every one is imported and required.
 * @param {string} folder
 * @param {readonly string[]} specifiers
 * @returns {Promise<Record<string, string[]>>}
 */
export async function exportedNames(folder, specifiers) {
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
 * @param {string} folder
 * @param {readonly string[]} specifiers
 * @returns {Promise<string[]>} faults
 */
export async function typeFaults(folder, specifiers) {
  /** @type {string[]} */
  const faults = [];
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

/**
 * @param {string} specifier
 * @param {number} index
 */
function asModule(specifier, index) {
  return `export * as p${index} from "${specifier}";`;
}

/**
 * @param {string} specifier
 * @param {number} index
 */
function asCommonJs(specifier, index) {
  return `import p${index} = require("${specifier}");\nexport const names${index}: readonly string[] = Object.keys(p${index});`;
}
