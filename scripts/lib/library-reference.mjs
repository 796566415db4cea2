// @ts-check
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { escapeWords } from "./escape-words.mjs";
import { publicSources } from "./packages.mjs";
import { lineAt, parseSource } from "./parse-source.mjs";
import { root } from "./project.mjs";
import { publicExports } from "./public-exports.mjs";

/** @typedef {import("./parse-source.mjs").SyntaxNode} SyntaxNode */

/**
 * A page with every public name of a package: its doc comment and its signature.
 * @param {import("./packages.mjs").Package} of
 * @param {string} title
 */
export function libraryReference(of, title) {
  const parts = [
    `# ${title}`,
    "",
    "This page lists every public name, made from the doc comments of the code. The other pages of the reference explain them, with tables and examples.",
    "",
  ];
  /** A name that two entries export is explained once. @type {Map<string, string>} */
  const explained = new Map();
  for (const [specifier, source] of publicSources(of)) {
    parts.push(`## ${specifier}`, "");
    for (const { name, file, line } of publicExports(root, source).sort((a, b) =>
      a.name.localeCompare(b.name),
    )) {
      const place = `${file}:${line}`;
      const first = explained.get(place);
      parts.push(`### ${name} {#${anchor(specifier, name)}}`, "");
      if (first !== undefined) parts.push(`The same as [\`${name}\`](#${first}).`, "");
      else parts.push(...explain(file, line));
      explained.set(place, first ?? anchor(specifier, name));
    }
  }
  return `${parts.join("\n").trimEnd()}\n`;
}

/**
 * @param {string} specifier
 * @param {string} name
 */
function anchor(specifier, name) {
  return `${specifier}-${name}`.replace(/[^\w-]+/g, "-").replace(/^-/, "");
}

/**
 * The doc comment of a declaration, and the declaration without its body.
 * @param {string} file
 * @param {number} line
 * @returns {string[]}
 */
function explain(file, line) {
  const text = readFileSync(join(root, file), "utf8");
  const node = /** @type {SyntaxNode[]} */ (parseSource(text, file).body).find(
    (one) => lineAt(text, one.start) === line,
  );
  if (node === undefined) return [];
  const declared = node.declaration ?? node;
  const body =
    declared.body?.type === "BlockStatement" || declared.body?.type === "FunctionBody"
      ? declared.body
      : undefined;
  const value = declared.type === "VariableDeclaration" ? declared.declarations[0]?.init : undefined;
  const hasType = declared.type === "VariableDeclaration" && declared.declarations[0]?.id?.typeAnnotation;
  const end = body?.start ?? (hasType && value ? value.start : node.end);
  const signature = text.slice(node.start, end).replace(/\s*=?\s*$/, "");
  const comment = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(text.slice(0, node.start))?.[1] ?? "";
  const [words = "", example] = comment
    .split("\n")
    .map((one) => one.replace(/^\s*\* ?/, "").trimEnd())
    .join("\n")
    .trim()
    .split(/\n?@example\n?/);
  const shown =
    signature.split("\n").length > 60 ? `${signature.split("\n").slice(0, 60).join("\n")}\n// …` : signature;
  const parts = [escapeWords(words), "", "```ts", shown, "```", ""];
  if (example !== undefined)
    parts.push(example.includes("```") ? example : `\`\`\`ts\n${example}\n\`\`\``, "");
  return parts;
}
