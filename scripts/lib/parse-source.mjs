// @ts-check
import { parseAst } from "rolldown/parseAst";

/** A node of the syntax tree, as far as the checks look at it. @typedef {{ type: string, start: number, end: number, [key: string]: any }} SyntaxNode */

/**
 * @param {string} text
 * @param {string} file names the language by its ending
 * @returns {SyntaxNode}
 */
export function parseSource(text, file) {
  const lang = file.endsWith("x") ? "tsx" : "ts";
  return /** @type {SyntaxNode} */ (/** @type {unknown} */ (parseAst(text, { lang }, file)));
}

/**
 * Calls `visit` for every node, parents first.
 * @param {SyntaxNode} node
 * @param {(node: SyntaxNode, parent: SyntaxNode | undefined, key: string) => void} visit
 * @param {SyntaxNode} [parent]
 * @param {string} [key]
 */
export function walk(node, visit, parent, key = "") {
  visit(node, parent, key);
  for (const [name, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child !== null && typeof child === "object" && typeof child.type === "string") {
        walk(child, visit, node, name);
      }
    }
  }
}

/**
 * @param {string} text
 * @param {number} offset
 * @returns {number} counted from 1
 */
export function lineAt(text, offset) {
  return text.slice(0, offset).split("\n").length;
}
