// @ts-check
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { lineAt, parseSource } from "./parse-source.mjs";

/** @typedef {import("./parse-source.mjs").SyntaxNode} SyntaxNode */
/** Where a name is declared. @typedef {{ name: string, file: string, line: number, documented: boolean, isType: boolean }} PublicExport */
/** @typedef {{ text: string, body: SyntaxNode[] }} Module */

/**
 * Every name that an entry file exports, followed to its declaration.
 * @param {string} base
 * @param {string} entry relative to `base`
 * @param {Map<string, Module>} [modules] what was read before: whoever asks for several entries reads each file once
 * @returns {PublicExport[]}
 */
export function publicExports(base, entry, modules = new Map()) {
  return exportsOf(entry);

  /**
   * @param {string} file
   * @returns {Module}
   */
  function load(file) {
    let module = modules.get(file);
    if (module === undefined) {
      const text = existsSync(join(base, file)) ? readFileSync(join(base, file), "utf8") : "";
      module = { text, body: parseSource(text, file).body };
      modules.set(file, module);
    }
    return module;
  }

  /**
   * @param {string} file
   * @returns {PublicExport[]}
   */
  function exportsOf(file) {
    /** @type {PublicExport[]} */
    const found = [];
    for (const node of load(file).body) {
      if (node.type === "ExportAllDeclaration") {
        const target = resolve(file, node.source.value);
        if (node.exported)
          found.push({
            name: node.exported.name,
            file,
            line: line(file, node),
            documented: true,
            isType: false,
          });
        else if (target !== undefined) found.push(...exportsOf(target));
      }
      if (node.type !== "ExportNamedDeclaration") continue;
      for (const name of declaredNames(node.declaration)) found.push(declaration(file, node, name));
      for (const specifier of node.specifiers) {
        const from = node.source?.value;
        const local = specifier.local.name;
        const target = from === undefined ? undefined : resolve(file, from);
        const origin = target === undefined ? findLocal(file, local) : findExport(target, local);
        if (origin !== undefined) found.push({ ...origin, name: specifier.exported.name });
      }
    }
    return found;
  }

  /**
   * @param {string} file
   * @param {string} name
   * @returns {PublicExport | undefined}
   */
  function findExport(file, name) {
    return exportsOf(file).find((item) => item.name === name);
  }

  /**
   * A name that a file exports without declaring it in the same statement: declared elsewhere in it, or imported.
   * @param {string} file
   * @param {string} name
   * @returns {PublicExport | undefined}
   */
  function findLocal(file, name) {
    for (const node of load(file).body) {
      if (declaredNames(node).includes(name)) return declaration(file, node, name);
      if (node.type !== "ImportDeclaration") continue;
      const specifier = node.specifiers.find((/** @type {SyntaxNode} */ item) => item.local.name === name);
      const target = specifier === undefined ? undefined : resolve(file, node.source.value);
      if (target !== undefined) return findExport(target, specifier.imported?.name ?? name);
    }
    return undefined;
  }

  /**
   * @param {string} file
   * @param {SyntaxNode} node
   * @param {string} name
   * @returns {PublicExport}
   */
  function declaration(file, node, name) {
    const before = load(file).text.slice(0, node.start).trimEnd();
    const documented = before.endsWith("*/") && before.slice(before.lastIndexOf("/*")).startsWith("/**");
    const isType = /^TS(Interface|TypeAlias)/.test((node.declaration ?? node).type);
    return { name, file, line: line(file, node), documented, isType };
  }

  /**
   * @param {string} file
   * @param {SyntaxNode} node
   */
  function line(file, node) {
    return lineAt(load(file).text, node.start);
  }
}

/**
 * @param {string} file
 * @param {string} specifier
 * @returns {string | undefined}
 */
function resolve(file, specifier) {
  return specifier.startsWith(".") ? posix.join(dirname(file), specifier) : undefined;
}

/**
 * @param {SyntaxNode | null | undefined} node
 * @returns {string[]}
 */
function declaredNames(node) {
  if (!node) return [];
  if (node.type === "VariableDeclaration") {
    return node.declarations.flatMap((/** @type {SyntaxNode} */ item) => {
      if (item.id.type === "Identifier") return [item.id.name];
      if (item.id.type === "ObjectPattern") {
        return item.id.properties.map((/** @type {SyntaxNode} */ property) => property.value?.name);
      }
      return [];
    });
  }
  return node.type !== "ExpressionStatement" && node.id?.type === "Identifier" ? [node.id.name] : [];
}
