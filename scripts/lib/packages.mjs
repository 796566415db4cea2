// @ts-check
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./project.mjs";

/**
 * A published package.
 * @typedef {object} Package
 * @property {string} folder relative to the repository
 * @property {string} name
 * @property {string} version
 * @property {Record<string, string>} exports subpath → file of the package
 * @property {string[]} dependencies names of packages that it may import
 */

/** What a package exports for those that are made of the same tree, alone. */
const INTERNAL = "./internal/*";

/** The library, which everything else may import. */
export const library = readPackage("packages/precis");
/** The server and the command line; what it needs of the library it imports from there. */
export const gateway = readPackage("packages/gateway");

/** The command `precis eval`, which the gateway's command line loads where it is installed. It offers nothing to programs. */
export const evaluation = readPackage("packages/eval");

/** Those that programs import, the library first. */
export const packages = [library, gateway];

/**
 * @param {string} folder
 * @returns {Package}
 */
function readPackage(folder) {
  const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  return {
    folder,
    name: manifest.name,
    version: manifest.version,
    exports: manifest.exports,
    dependencies: Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
  };
}

/**
 * What a package offers to people: specifier → source file.
 * @param {Package} of
 * @returns {[specifier: string, source: string][]}
 */
export function publicSources({ name, exports }) {
  return Object.entries(exports)
    .filter(([subpath, file]) => subpath !== INTERNAL && file.endsWith(".js"))
    .map(([subpath, file]) => [
      name + subpath.slice(1),
      file.replace("./dist/", "src/").replace(/\.js$/, ".ts"),
    ]);
}

/**
 * A compiled file of one package as another one imports it.
 * @param {Package} of
 * @param {string} module relative to `dist`
 */
export function internalSpecifier({ name }, module) {
  return `${name}/${INTERNAL.slice(2, -1)}${module}`;
}
