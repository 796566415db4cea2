import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./project.ts";

/** A published package. */
export interface Package {
  /** relative to the repository */
  folder: string;
  name: string;
  version: string;
  /** subpath → file of the package */
  exports: Record<string, string>;
  /** names of packages that it may import */
  dependencies: string[];
}

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

function readPackage(folder: string): Package {
  const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  return {
    folder,
    name: manifest.name,
    version: manifest.version,
    exports: manifest.exports,
    dependencies: Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
  };
}

/** What a package offers to people: specifier → source file. */
export function publicSources({ name, exports }: Package): [specifier: string, source: string][] {
  return Object.entries(exports)
    .filter(([subpath, file]) => subpath !== INTERNAL && file.endsWith(".js"))
    .map(([subpath, file]) => [
      name + subpath.slice(1),
      file.replace("./dist/", "src/").replace(/\.js$/, ".ts"),
    ]);
}

/**
 * A compiled file of one package as another one imports it.
 * `module`: relative to `dist`.
 */
export function internalSpecifier({ name }: Package, module: string) {
  return `${name}/${INTERNAL.slice(2, -1)}${module}`;
}
