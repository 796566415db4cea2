// @ts-check
/**
 * After `tsc` and vite: makes the published packages of `dist`. A file belongs to the library if one of the library's entries
 * needs it, otherwise to the gateway if that needs it, otherwise to the evaluation. Where a file imports one of another package,
 * the import is rewritten to that package, so that all share one copy of every module.
 */
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, posix } from "node:path";
import { evaluation, gateway, internalSpecifier, library, packages, publicSources } from "./lib/packages.ts";
import { filesBelow, root } from "./lib/project.ts";

/** Imports and re-exports as `tsc` writes them; SQL has the word `from` before a quoted name, too. */
const IMPORT = /((?:^|\n)(?:(?:import|export)\b[\w\s{},*$]*?\bfrom |import )|\bimport\()"([^"\n]+)"/g;
/** A file that a worker is started from is named by a text. */
const RELATIVE = /"(\.\.?\/[^"\n]+)"/g;
/** Every package has these beside its own files. */
const COPIED = ["LICENSE", "CHANGELOG.md"];
/** What the package of the evaluation is made of: the gateway's command line imports it by the package's name. */
const EVAL_COMMAND = "cli/eval.js";

removeOrphans();
const libraryEntries = exportedModules(library);
const libraryFiles = closure([...libraryEntries, ...libraryEntries.map(declarationOf)]);
// Nobody sees the declarations behind the command line.
const runs = closure(["cli/main.js", ...exportedModules(gateway)], [EVAL_COMMAND]);
const declares = closure(exportedModules(gateway).map(declarationOf));
const evaluationFiles = closure([EVAL_COMMAND]);
/** Which package a module is of: the first of those that need it. */
const owners = new Map([
  ...[...evaluationFiles].map((module) => /** @type {const} */ ([module, evaluation])),
  ...[...runs, ...declares].map((module) => /** @type {const} */ ([module, gateway])),
  ...[...libraryFiles].map((module) => /** @type {const} */ ([module, library])),
]);
writePackage(library, [...libraryFiles].flatMap(withDeclaration));
writePackage(gateway, [...runs, ...[...declares].flatMap(withDeclaration)]);
writePackage(evaluation, [...evaluationFiles]);
cpSync(join(root, "dist/web"), join(root, gateway.folder, "dist/web"), { recursive: true });
for (const { folder } of [...packages, evaluation])
  for (const file of COPIED) copyFileSync(join(root, file), join(root, folder, file));

/** Nothing is left in `dist` of a source that is gone. */
function removeOrphans() {
  for (const path of filesBelow(root, "dist", /\.(js|d\.ts)$/)) {
    if (path.startsWith("dist/web/")) continue;
    const source = path.replace(/^dist\//, "src/").replace(/(\.d\.ts|\.js)$/, ".ts");
    if (!existsSync(join(root, source))) rmSync(join(root, path));
  }
}

/**
 * The modules that files need, their own included: paths of `.js` files relative to `dist`. Programs are followed through
 * programs, declarations through declarations.
 * @param {readonly string[]} files
 * @param {readonly string[]} [without] modules that aren't followed
 * @returns {Set<string>}
 */
function closure(files, without = []) {
  const found = new Set(files);
  for (const file of found) {
    for (const [, specifier = ""] of readBuilt(file).matchAll(RELATIVE)) {
      const needed = moduleAt(file, specifier);
      if (needed !== undefined && !without.includes(needed))
        found.add(file.endsWith(".js") ? needed : declarationOf(needed));
    }
  }
  return new Set([...found].map(moduleOf));
}

/**
 * @param {import("./lib/packages.ts").Package} target
 * @param {readonly string[]} files those that other packages own are left to them
 */
function writePackage(target, files) {
  const folder = join(root, target.folder, "dist");
  rmSync(folder, { recursive: true, force: true });
  for (const file of new Set(files)) {
    if (owners.get(moduleOf(file)) !== target) continue;
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    const text = readBuilt(file).replace(
      IMPORT,
      (_, before, specifier) => `${before}"${imported(target, file, specifier)}"`,
    );
    writeFileSync(join(folder, file), text);
  }
}

/**
 * What a file imports, as its package has to write it.
 * @param {import("./lib/packages.ts").Package} target
 * @param {string} file
 * @param {string} specifier
 * @returns {string}
 */
function imported(target, file, specifier) {
  if (specifier.startsWith(".")) {
    const needed = moduleAt(file, specifier);
    const owner = needed === undefined ? target : owners.get(needed);
    if (needed === undefined || owner === undefined || owner === target) return specifier;
    return needed === EVAL_COMMAND ? evaluation.name : internalSpecifier(owner, needed);
  }
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  const known = [target.name, ...target.dependencies].includes(name);
  if (!known && !specifier.startsWith("node:") && !builtinModules.includes(specifier)) {
    throw new Error(
      `${file} belongs to ${target.name} and imports "${name}", which isn't among its dependencies.`,
    );
  }
  return specifier;
}

/**
 * @param {string} from
 * @param {string} specifier
 * @returns {string | undefined} undefined for what isn't a module of `dist`
 */
function moduleAt(from, specifier) {
  // Declarations keep the endings of the sources.
  const module = posix.join(dirname(from), specifier).replace(/\.ts$/, ".js");
  return module.endsWith(".js") && existsSync(join(root, "dist", module)) ? module : undefined;
}

/**
 * @param {import("./lib/packages.ts").Package} of
 * @returns {string[]} modules that people import
 */
function exportedModules(of) {
  return publicSources(of).map(([, source]) => source.replace(/^src\//, "").replace(/\.ts$/, ".js"));
}

/** @param {string} file */
function moduleOf(file) {
  return file.replace(/\.d\.ts$/, ".js");
}

/** @param {string} module */
function withDeclaration(module) {
  return [module, declarationOf(module)];
}

/** @param {string} module */
function declarationOf(module) {
  return module.replace(/\.js$/, ".d.ts");
}

/** @param {string} file */
function readBuilt(file) {
  return readFileSync(join(root, "dist", file), "utf8");
}
