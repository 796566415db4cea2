import { parseAst } from "rolldown/parseAst";

/** A node of the syntax tree, as far as the checks look at it. */
// biome-ignore lint/suspicious/noExplicitAny: the checks ask only for what the type of a node promises
export type SyntaxNode = { type: string; start: number; end: number; [key: string]: any };

/** `file`: names the language by its ending. */
export function parseSource(text: string, file: string): SyntaxNode {
  const lang = file.endsWith("x") ? "tsx" : "ts";
  return parseAst(text, { lang }, file) as unknown as SyntaxNode;
}

/** Calls `visit` for every node, parents first. */
export function walk(
  node: SyntaxNode,
  visit: (node: SyntaxNode, parent: SyntaxNode | undefined, key: string) => void,
  parent?: SyntaxNode,
  key: string = "",
) {
  visit(node, parent, key);
  for (const [name, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child !== null && typeof child === "object" && typeof child.type === "string") {
        walk(child, visit, node, name);
      }
    }
  }
}

/** Returns counted from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
