// @ts-check
import { lineAt, parseSource, walk } from "./parse-source.mjs";

/**
 * The names of a file of types (types, properties, string values) that a reference never mentions as code.
 * @param {string} types source text
 * @param {readonly string[]} pages Markdown texts
 * @returns {{ name: string, line: number }[]}
 */
export function missingInReference(types, pages) {
  const code = pages.flatMap((page) => page.match(/```[\s\S]*?```|`[^`\n]+`/g) ?? []).join(" ");
  const mentioned = new Set(code.match(/[\w-]+/g));
  /** @type {Map<string, number>} */
  const names = new Map();
  /** @param {string} name @param {number} offset */
  const add = (name, offset) => {
    if (!names.has(name)) names.set(name, lineAt(types, offset));
  };
  for (const statement of parseSource(types, "types.ts").body) {
    if (statement.type !== "ExportNamedDeclaration" || !statement.declaration?.id) continue;
    add(statement.declaration.id.name, statement.start);
    walk(statement.declaration, (node) => {
      if (node.type === "TSPropertySignature" || node.type === "TSMethodSignature")
        add(node.key.name, node.start);
      if (node.type === "TSLiteralType" && typeof node.literal.value === "string")
        add(node.literal.value, node.start);
    });
  }
  return [...names].filter(([name]) => !mentioned.has(name)).map(([name, line]) => ({ name, line }));
}
