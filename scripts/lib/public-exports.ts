import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { lineAt, parseSource, type SyntaxNode } from "./parse-source.ts";

/** Where a name is declared. */
export type PublicExport = { name: string; file: string; line: number; documented: boolean; isType: boolean };
export type Module = { text: string; body: SyntaxNode[] };

/**
 * Every name that an entry file exports, followed to its declaration.
 * `entry`: relative to `base`. `modules`: what was read before: whoever asks for several entries reads each file once.
 */
export function publicExports(
  base: string,
  entry: string,
  modules: Map<string, Module> = new Map(),
): PublicExport[] {
  return exportsOf(entry);

  function load(file: string): Module {
    let module = modules.get(file);
    if (module === undefined) {
      const text = existsSync(join(base, file)) ? readFileSync(join(base, file), "utf8") : "";
      module = { text, body: parseSource(text, file).body };
      modules.set(file, module);
    }
    return module;
  }

  function exportsOf(file: string): PublicExport[] {
    const found: PublicExport[] = [];
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

  function findExport(file: string, name: string): PublicExport | undefined {
    return exportsOf(file).find((item) => item.name === name);
  }

  /** A name that a file exports without declaring it in the same statement: declared elsewhere in it, or imported. */
  function findLocal(file: string, name: string): PublicExport | undefined {
    for (const node of load(file).body) {
      if (declaredNames(node).includes(name)) return declaration(file, node, name);
      if (node.type !== "ImportDeclaration") continue;
      const specifier = node.specifiers.find((item: SyntaxNode) => item.local.name === name);
      const target = specifier === undefined ? undefined : resolve(file, node.source.value);
      if (target !== undefined) return findExport(target, specifier.imported?.name ?? name);
    }
    return undefined;
  }

  function declaration(file: string, node: SyntaxNode, name: string): PublicExport {
    const before = load(file).text.slice(0, node.start).trimEnd();
    const documented = before.endsWith("*/") && before.slice(before.lastIndexOf("/*")).startsWith("/**");
    const isType = /^TS(Interface|TypeAlias)/.test((node.declaration ?? node).type);
    return { name, file, line: line(file, node), documented, isType };
  }

  function line(file: string, node: SyntaxNode) {
    return lineAt(load(file).text, node.start);
  }
}

function resolve(file: string, specifier: string): string | undefined {
  return specifier.startsWith(".") ? posix.join(dirname(file), specifier) : undefined;
}

function declaredNames(node: SyntaxNode | null | undefined): string[] {
  if (!node) return [];
  if (node.type === "VariableDeclaration") {
    return node.declarations.flatMap((item: SyntaxNode) => {
      if (item.id.type === "Identifier") return [item.id.name];
      if (item.id.type === "ObjectPattern") {
        return item.id.properties.map((property: SyntaxNode) => property.value?.name);
      }
      return [];
    });
  }
  return node.type !== "ExpressionStatement" && node.id?.type === "Identifier" ? [node.id.name] : [];
}
