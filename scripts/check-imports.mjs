// @ts-check
/**
 * Holds the layout together: folders import downwards only, siblings not at all, `core` nothing, browser-safe folders
 * nothing of Node. Tests are free to import what they need.
 *
 *   node scripts/check-imports.mjs [--root FOLDER]
 */
import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, posix } from "node:path";
import { parseArgs } from "node:util";
import {
  BROWSER_SAFE,
  FOLDERS,
  IMPURE_GLOBALS,
  INNER_ORDERS,
  NODE_GLOBALS,
  PACKAGES,
  ROUTE_FILE,
  SIBLINGS,
  WIRING,
  WITHOUT_TYPE_CIRCLES,
} from "./lib/layers.mjs";
import { filesBelow, isTestFile, root } from "./lib/project.mjs";
import { readImports } from "./lib/read-imports.mjs";

/** @typedef {{ file: string, line: number, what: string, why: string, fix: string }} Violation */
/** @typedef {{ file: string, line: number, specifier: string, target: string | undefined, typeOnly: boolean }} Edge */
/** @typedef {Omit<Violation, "file" | "line"> | undefined} Finding */

/**
 * @param {string} base
 * @returns {{ violations: Violation[], files: number, edges: number }}
 */
export function checkImports(base) {
  const files = [...filesBelow(base, "src", /\.tsx?$/), ...filesBelow(base, "web", /\.tsx?$/)].filter(
    (file) => !isTestFile(file),
  );
  /** @type {Violation[]} */
  const violations = [];
  /** @type {Edge[]} */
  const edges = [];
  for (const file of files) {
    const { imports, globals } = readImports(readFileSync(join(base, file), "utf8"), file);
    for (const { specifier, line, typeOnly } of imports) {
      const target = specifier.startsWith(".") ? posix.join(dirname(file), specifier) : undefined;
      edges.push({ file, line, specifier, target, typeOnly });
    }
    for (const { name, line } of globals) {
      const finding = checkGlobal(file, name);
      if (finding) violations.push({ file, line, ...finding });
    }
  }
  for (const edge of edges) {
    const finding = edge.target === undefined ? checkPackage(edge) : checkFile(edge, edge.target);
    if (finding) violations.push({ file: edge.file, line: edge.line, ...finding });
  }
  violations.push(...checkCycles(edges));
  violations.sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
  return { violations, files: files.length, edges: edges.length };
}

/**
 * The folder of `src` that a file stands in, or undefined for `src/index.ts` and for files elsewhere.
 * @param {string} file
 * @returns {string | undefined}
 */
function folderOf(file) {
  const parts = file.split("/");
  return parts[0] === "src" && parts.length > 2 ? parts[1] : undefined;
}

/** @param {string} file */
function isBrowserSafe(file) {
  return BROWSER_SAFE.some((path) => file.startsWith(`src/${path}`));
}

/**
 * @param {Edge} edge
 * @returns {Finding}
 */
function checkPackage({ file, specifier }) {
  const folder = folderOf(file);
  if (file.startsWith("web/")) return undefined;
  const builtin = specifier.startsWith("node:") || builtinModules.includes(specifier);
  if (builtin && folder === "core") {
    return {
      what: `core imports "${specifier}"`,
      why: "core is pure: no I/O, clock, randomness or environment",
      fix: "do the effect in a higher folder and hand its result in as an argument",
    };
  }
  if (builtin && isBrowserSafe(file)) {
    return {
      what: `${folder ?? "the root"} imports "${specifier}"`,
      why: "this path must also run in browsers and edge runtimes",
      fix: "use what every runtime has (TextEncoder, Uint8Array, crypto.subtle) or have the effect handed in",
    };
  }
  if (builtin) return undefined;
  const name = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
  const allowed = (folder === undefined ? undefined : PACKAGES[folder]) ?? [];
  if (allowed.includes(name)) return undefined;
  return {
    what: `${folder ?? "the root"} imports the package "${name}"`,
    why: `packages allowed here: ${allowed.length > 0 ? allowed.join(", ") : "none"}`,
    fix: "write the few lines that are needed, or add the package to PACKAGES in scripts/lib/layers.mjs and say why in docs/decisions",
  };
}

/**
 * @param {Edge} edge
 * @param {string} target
 * @returns {Finding}
 */
function checkFile({ file }, target) {
  if (file.startsWith("web/")) {
    if (target.startsWith("web/") || target === ROUTE_FILE) return undefined;
    return {
      what: `the page imports ${target}`,
      why: `the page knows the server by ${ROUTE_FILE} alone`,
      fix: "put the type that is needed into the route file, or ask the server for the data",
    };
  }
  const from = folderOf(file);
  const to = folderOf(target);
  if (!target.startsWith("src/")) {
    return {
      what: `${from ?? "the root"} imports ${target}`,
      why: "only src is published",
      fix: "move what is needed into src",
    };
  }
  if (isTestFile(target)) {
    return {
      what: `imports the test file ${target}`,
      why: "tests aren't published",
      fix: "move it to src/testing",
    };
  }
  if (to === "testing" && from !== "testing") {
    return {
      what: `${from ?? "the root"} imports src/testing`,
      why: "testing is for tests and for hosts, nothing that ships depends on it",
      fix: "move the code to the folder that owns it, or import it from a *.test.ts file only",
    };
  }
  if (from === undefined) return undefined;
  if (to === undefined) {
    return {
      what: `${from} imports ${target}`,
      why: "the root gathers the folders, so a folder that imports it makes a cycle",
      fix: "import the file that defines the name",
    };
  }
  return checkOrder(from, to) ?? checkInnerOrder(file, target) ?? checkSiblings(file, target);
}

/**
 * @param {string} from
 * @param {string} to
 * @returns {Finding}
 */
function checkOrder(from, to) {
  for (const folder of [from, to]) {
    if (FOLDERS.includes(folder)) continue;
    return {
      what: `src/${folder} isn't part of the layout`,
      why: "every folder has a place in the order",
      fix: "use an existing folder, or add it to FOLDERS in scripts/lib/layers.mjs with a decision in docs/decisions",
    };
  }
  if (FOLDERS.indexOf(to) <= FOLDERS.indexOf(from)) return undefined;
  return {
    what: `${from} imports ${to}`,
    why: `a folder imports only those before it, and the order is ${FOLDERS.slice(FOLDERS.indexOf(from), FOLDERS.indexOf(to) + 1).join(" → ")}`,
    fix: `move what is shared to ${from} or below, or hand it in as an argument`,
  };
}

/**
 * The order of the folders inside of a folder.
 * @param {string} file
 * @param {string} target
 * @returns {Finding}
 */
function checkInnerOrder(file, target) {
  const group = INNER_ORDERS.find(({ folder }) => file.startsWith(`${folder}/`));
  if (!group || !target.startsWith(`${group.folder}/`)) return undefined;
  const [from, to] = [innerOf(group, file), innerOf(group, target)];
  for (const inner of [from, to]) {
    if (inner === undefined || group.order.includes(inner)) continue;
    return {
      what: `${group.folder}/${inner} isn't part of the layout`,
      why: "every folder has a place in the order",
      fix: "use an existing folder, or add it to INNER_ORDERS in scripts/lib/layers.mjs",
    };
  }
  const place = (/** @type {string | undefined} */ inner) =>
    inner === undefined ? group.order.length : group.order.indexOf(inner);
  if (place(to) <= place(from)) return undefined;
  return {
    what: `${from} imports ${to ?? target}`,
    why: `inside of ${group.folder} a folder imports only those before it: ${group.order.join(" → ")}; files beside the folders wire them together`,
    fix: `move what is shared to ${from} or below, or take what is needed as an argument`,
  };
}

/**
 * The inner folder that a file stands in; undefined for one above all of them.
 * @param {(typeof INNER_ORDERS)[number]} group
 * @param {string} file
 * @returns {string | undefined}
 */
function innerOf({ folder, files }, file) {
  const [first = "", ...rest] = file.slice(folder.length + 1).split("/");
  return rest.length > 0 ? first : files[first];
}

/**
 * @param {string} file
 * @param {string} target
 * @returns {Finding}
 */
function checkSiblings(file, target) {
  for (const group of SIBLINGS) {
    const [from, to] = [childOf(group, file), childOf(group, target)];
    if (from === undefined || to === undefined || from.name === to.name) continue;
    if (from.kind === "wiring" || to.kind === "shared") continue;
    return {
      what: `${group.folder}/${from.name} imports ${group.folder}/${to.name}`,
      why:
        to.kind === "wiring"
          ? "that file wires all implementations together, so this imports every sibling"
          : "implementations of one interface never know each other",
      fix: `move what both need to ${group.folder}/shared/`,
    };
  }
  return undefined;
}

/**
 * What a file is to a group of siblings: by the direct child of the group's folder that it is or stands in.
 * @param {(typeof SIBLINGS)[number]} group
 * @param {string} file
 * @returns {{ name: string, kind: "member" | "wiring" | "shared" } | undefined}
 */
function childOf({ folder, members, shared }, file) {
  if (!file.startsWith(`${folder}/`)) return undefined;
  const [child = "", ...rest] = file.slice(folder.length + 1).split("/");
  const name = child.replace(/\.tsx?$/, "");
  if (shared.includes(name)) return { name, kind: "shared" };
  if (rest.length === 0 && (WIRING.includes(name) || members === "folders")) return { name, kind: "wiring" };
  if (Array.isArray(members) && !members.includes(name)) return { name, kind: "shared" };
  return { name, kind: "member" };
}

/**
 * @param {string} file
 * @param {string} name
 * @returns {Finding}
 */
function checkGlobal(file, name) {
  if (folderOf(file) === "core" && IMPURE_GLOBALS.includes(name)) {
    return {
      what: `core uses \`${name}\``,
      why: "core is pure: the same arguments give the same bytes",
      fix: "take the value as an argument",
    };
  }
  if (isBrowserSafe(file) && NODE_GLOBALS.includes(name)) {
    return {
      what: `\`${name}\` is used`,
      why: "only Node has it, and this path must also run in browsers",
      fix: "use what every runtime has (TextEncoder, Uint8Array, atob) or have the value handed in",
    };
  }
  return undefined;
}

/**
 * Cycles of imports that exist at run time, and cycles of types where the layout says so.
 * @param {readonly Edge[]} edges
 * @returns {Violation[]}
 */
function checkCycles(edges) {
  /** @type {Map<string, Edge[]>} */
  const byFile = Map.groupBy(
    edges.filter((edge) => edge.target !== undefined && (!edge.typeOnly || areTypesWatched(edge))),
    (edge) => edge.file,
  );
  /** @type {Violation[]} */
  const violations = [];
  /** @type {Set<string>} */
  const done = new Set();
  /** @type {string[]} */
  const path = [];
  /** @param {string} file */
  const visit = (file) => {
    path.push(file);
    for (const edge of byFile.get(file) ?? []) {
      const target = /** @type {string} */ (edge.target);
      const start = path.indexOf(target);
      if (start >= 0) {
        violations.push({
          file,
          line: edge.line,
          what: `imports in a circle: ${[...path.slice(start), target].join(" → ")}`,
          why: edge.typeOnly
            ? "files that know each other can only be read, changed and tested together"
            : "the order in which such files run depends on who is imported first",
          fix: "move what they share into a file of its own, or take what is needed as an argument",
        });
      } else if (!done.has(target)) visit(target);
    }
    path.pop();
    done.add(file);
  };
  for (const file of byFile.keys()) if (!done.has(file)) visit(file);
  return violations;
}

/** @param {Edge} edge */
function areTypesWatched({ file, target = "" }) {
  return WITHOUT_TYPE_CIRCLES.some((path) => file.startsWith(path) && target.startsWith(path));
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { root: { type: "string", default: root } } });
  const { violations, files, edges } = checkImports(values.root);
  for (const { file, line, what, why, fix } of violations) {
    console.error(`${file}:${line}: ${what}\n  why: ${why}\n  fix: ${fix}`);
  }
  console.log(
    violations.length === 0
      ? `${files} files, ${edges} imports, all as the layout says`
      : `${violations.length} import(s) against the layout`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
}
