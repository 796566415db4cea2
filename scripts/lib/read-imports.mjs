// @ts-check
import { lineAt, parseSource, walk } from "./parse-source.mjs";

/** @typedef {{ specifier: string, line: number, typeOnly: boolean }} Import */
/** @typedef {{ name: string, line: number }} GlobalUse */

/** Things that differ from one environment or moment to the next. */
const WATCHED_GLOBALS = new Set([
  "Buffer",
  "process",
  "require",
  "__dirname",
  "__filename",
  "fetch",
  "setTimeout",
  "setInterval",
  "performance",
  "console",
]);

/**
 * What a source file imports (statically, dynamically, as a type, by re-export) and which watched globals it uses.
 * @param {string} text
 * @param {string} file
 * @returns {{ imports: Import[], globals: GlobalUse[] }}
 */
export function readImports(text, file) {
  /** @type {Import[]} */
  const imports = [];
  /** @type {GlobalUse[]} */
  const globals = [];
  walk(parseSource(text, file), (node, parent, key) => {
    if (isImport(node) && typeof node.source?.value === "string") {
      imports.push({
        specifier: node.source.value,
        line: lineAt(text, node.start),
        typeOnly: isTypeOnly(node),
      });
    }
    const name = globalName(node, parent, key);
    if (name !== undefined) globals.push({ name, line: lineAt(text, node.start) });
  });
  return { imports, globals };
}

/** @param {import("./parse-source.mjs").SyntaxNode} node */
function isImport(node) {
  return [
    "ImportDeclaration",
    "ExportNamedDeclaration",
    "ExportAllDeclaration",
    "ImportExpression",
    "TSImportType",
  ].includes(node.type);
}

/** @param {import("./parse-source.mjs").SyntaxNode} node */
function isTypeOnly(node) {
  return node.type === "TSImportType" || node.importKind === "type" || node.exportKind === "type";
}

/**
 * @param {import("./parse-source.mjs").SyntaxNode} node
 * @param {import("./parse-source.mjs").SyntaxNode | undefined} parent
 * @param {string} key
 * @returns {string | undefined}
 */
function globalName(node, parent, key) {
  if (node.type === "NewExpression" && node.callee.name === "Date" && node.arguments.length === 0)
    return "new Date()";
  if (node.type === "MemberExpression" && !node.computed) {
    const name = `${node.object.name}.${node.property.name}`;
    if (name === "Date.now" || name === "Math.random") return name;
  }
  if (node.type !== "Identifier" || !WATCHED_GLOBALS.has(node.name)) return undefined;
  const isProperty = (key === "property" || key === "key") && parent?.computed !== true;
  return isProperty ? undefined : node.name;
}
