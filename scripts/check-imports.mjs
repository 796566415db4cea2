// @ts-check
/**
 * Holds the layout together: folders import downwards only, siblings not at all, `core` nothing, browser-safe folders
 * nothing of Node. Tests are free to import what they need.
 *
 *   node scripts/check-imports.mjs
 */
import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, posix } from "node:path";
import {
  BROWSER_SAFE,
  FOLDERS,
  GATEWAY_FILES,
  GATEWAY_FOLDERS,
  IMPURE_GLOBALS,
  NODE_GLOBALS,
  PACKAGES,
  ROUTE_FILE,
  SIBLINGS,
  WIRING,
} from "./lib/layers.ts";
import { lineAt, parseSource, walk } from "./lib/parse-source.ts";
import { filesBelow, isTestFile, root } from "./lib/project.ts";

/** @typedef {{ file: string, line: number, what: string, fix: string }} Violation */
/** An import; one of a package has no target. @typedef {{ file: string, line: number, specifier: string, target: string | undefined, isType: boolean }} Edge */
/** What is wrong, and how to mend it. @typedef {readonly [what: string, fix: string] | undefined} Finding */
/** @typedef {import("./lib/parse-source.ts").SyntaxNode} SyntaxNode */

const GATEWAY = "src/gateway";
const IMPORTS = [
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
  "TSImportType",
];

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
    const text = readFileSync(join(base, file), "utf8");
    /** @param {number} line @param {Finding} finding */
    const add = (line, finding) =>
      finding && violations.push({ file, line, what: finding[0], fix: finding[1] });
    walk(parseSource(text, file), (node, parent, key) => {
      const specifier = IMPORTS.includes(node.type) ? node.source?.value : undefined;
      const line = () => lineAt(text, node.start);
      if (typeof specifier === "string") {
        const target = specifier.startsWith(".") ? posix.join(dirname(file), specifier) : undefined;
        const isType =
          node.type === "TSImportType" || node.importKind === "type" || node.exportKind === "type";
        const edge = { file, line: line(), specifier, target, isType };
        edges.push(edge);
        add(edge.line, target === undefined ? checkPackage(edge) : checkFile(file, target));
      }
      const name = globalName(node, parent, key);
      if (name !== undefined) add(line(), checkGlobal(file, name));
    });
  }
  violations.push(...checkCircles(edges));
  violations.sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
  return { violations, files: files.length, edges: edges.length };
}

/**
 * The folder of `src` that a file stands in, or undefined for `src/index.ts` and for files elsewhere.
 * @param {string} file
 */
function folderOf(file) {
  const [top, folder, ...rest] = file.split("/");
  return top === "src" && rest.length > 0 ? folder : undefined;
}

/** @param {string} file */
const isInGateway = (file) => file.startsWith(`${GATEWAY}/`);

/** @param {string} file */
const isBrowserSafe = (file) => BROWSER_SAFE.some((path) => file.startsWith(`src/${path}`));

/**
 * @param {Edge} edge
 * @returns {Finding}
 */
function checkPackage({ file, specifier }) {
  if (file.startsWith("web/")) return undefined;
  const folder = folderOf(file) ?? "the root";
  if (specifier.startsWith("node:") || builtinModules.includes(specifier))
    return folder === "core" || isBrowserSafe(file)
      ? [`${folder} imports "${specifier}"`, "use what every runtime has, or have the effect handed in"]
      : undefined;
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  return PACKAGES[folder]?.includes(name)
    ? undefined
    : [
        `${folder} imports the package "${name}"`,
        "write the few lines that are needed, or add it to PACKAGES in scripts/lib/layers.ts and say why in docs/decisions",
      ];
}

/**
 * @param {string} file
 * @param {string} target
 * @returns {Finding}
 */
function checkFile(file, target) {
  if (file.startsWith("web/"))
    return target.startsWith("web/") || target === ROUTE_FILE
      ? undefined
      : [`the page imports ${target}`, `put the type into ${ROUTE_FILE}, or ask the server for the data`];
  const [from, to] = [folderOf(file), folderOf(target)];
  const who = from ?? "the root";
  if (!target.startsWith("src/")) return [`${who} imports ${target}`, "only src is published: move it there"];
  if (isTestFile(target)) return [`imports the test file ${target}`, "move what is needed to src/testing"];
  if (to === "testing" && from !== "testing")
    return [`${who} imports src/testing`, "nothing that ships depends on it: move the code to its owner"];
  if (from === undefined) return undefined;
  if (to === undefined) return [`${from} imports ${target}`, "import the file that defines the name"];
  return (
    checkOrder({ order: FOLDERS, inside: "src" }, from, to) ??
    checkGateway(file, target) ??
    checkSiblings(file, target)
  );
}

/**
 * A folder imports only itself and those before it; what stands in none (undefined) is above all.
 * @param {{ readonly order: readonly string[], readonly inside: string, readonly target?: string }} layout
 * @param {string | undefined} from
 * @param {string | undefined} to
 * @returns {Finding}
 */
function checkOrder({ order, inside, target }, from, to) {
  const unknown = [from, to].find((one) => one !== undefined && !order.includes(one));
  if (unknown !== undefined)
    return [
      `${inside}/${unknown} isn't part of the layout`,
      "use another folder, or add it to scripts/lib/layers.ts",
    ];
  const place = (/** @type {string | undefined} */ one) =>
    one === undefined ? order.length : order.indexOf(one);
  if (place(to) <= place(from)) return undefined;
  const between = order.slice(place(from), place(to) + 1).join(" → ");
  return [
    `${from} imports ${to ?? target}`,
    `move what is shared to ${from} or below, or take it as an argument; the order is ${between}`,
  ];
}

/**
 * @param {string} file
 * @param {string} target
 * @returns {Finding}
 */
function checkGateway(file, target) {
  const innerOf = (/** @type {string} */ path) => {
    const [first = "", ...rest] = path.slice(GATEWAY.length + 1).split("/");
    return rest.length > 0 ? first : GATEWAY_FILES[first];
  };
  return isInGateway(file) && isInGateway(target)
    ? checkOrder({ order: GATEWAY_FOLDERS, inside: GATEWAY, target }, innerOf(file), innerOf(target))
    : undefined;
}

/**
 * Implementations of one interface never know each other, nor what wires them together.
 * @param {string} file
 * @param {string} target
 * @returns {Finding}
 */
function checkSiblings(file, target) {
  for (const group of SIBLINGS) {
    const [from, to] = [childOf(group, file), childOf(group, target)];
    if (!from || !to || from.name === to.name || from.kind === "wiring" || to.kind === "shared") continue;
    return [
      `${group.folder}/${from.name} imports ${group.folder}/${to.name}`,
      `move what both need to ${group.folder}/shared/`,
    ];
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
  return { name, kind: Array.isArray(members) && !members.includes(name) ? "shared" : "member" };
}

/**
 * A use of what differs from one environment or moment to the next.
 * @param {SyntaxNode} node
 * @param {SyntaxNode | undefined} parent
 * @param {string} key
 * @returns {string | undefined}
 */
function globalName(node, parent, key) {
  if (node.type === "NewExpression" && node.callee.name === "Date" && node.arguments.length === 0)
    return "new Date()";
  if (node.type === "MemberExpression" && !node.computed) return `${node.object.name}.${node.property.name}`;
  const isProperty = (key === "property" || key === "key") && parent?.computed !== true;
  return node.type === "Identifier" && !isProperty ? node.name : undefined;
}

/**
 * @param {string} file
 * @param {string} name
 * @returns {Finding}
 */
function checkGlobal(file, name) {
  if (folderOf(file) === "core" && IMPURE_GLOBALS.includes(name))
    return [`core uses \`${name}\``, "core is pure: take the value as an argument"];
  return isBrowserSafe(file) && NODE_GLOBALS.includes(name)
    ? [`\`${name}\` is used`, "only Node has it: use what every runtime has, or have the value handed in"]
    : undefined;
}

/**
 * Circles of imports that exist at run time, and inside of the gateway also those of types.
 * @param {readonly Edge[]} edges
 * @returns {Violation[]}
 */
function checkCircles(edges) {
  const byFile = Map.groupBy(
    edges.filter(
      ({ file, target, isType }) => target && (!isType || (isInGateway(file) && isInGateway(target))),
    ),
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
    for (const { line, target = "" } of byFile.get(file) ?? []) {
      const start = path.indexOf(target);
      if (start >= 0) {
        const what = `imports in a circle: ${[...path.slice(start), target].join(" → ")}`;
        violations.push({
          file,
          line,
          what,
          fix: "move what they share into a file of its own, or take it as an argument",
        });
      } else if (!done.has(target)) visit(target);
    }
    path.pop();
    done.add(file);
  };
  for (const file of byFile.keys()) if (!done.has(file)) visit(file);
  return violations;
}

if (import.meta.main) {
  const { violations, files, edges } = checkImports(root);
  for (const { file, line, what, fix } of violations)
    console.error(`${file}:${line}: ${what}\n  fix: ${fix}`);
  console.log(
    violations.length === 0
      ? `${files} files, ${edges} imports, all as the layout says`
      : `${violations.length} import(s) against the layout`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
}
