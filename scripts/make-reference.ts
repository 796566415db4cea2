/**
 * Writes the generated pages of the reference: `/api` and `/v1` from routes and schemas, the library from its doc comments.
 * They aren't committed: `npm run docs` makes them anew.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ZodType } from "zod";
import { wordsIn } from "../src/config/values.ts";
import { routes } from "../src/gateway/api/routes.ts";
import { schemas } from "../src/gateway/api/schemas.ts";
import { writtenRoutes } from "../src/gateway/wires/index.ts";
import { gateway, library, type Package, publicSources } from "./lib/packages.ts";
import { lineAt, parseSource, type SyntaxNode } from "./lib/parse-source.ts";
import { filesBelow, root } from "./lib/project.ts";
import { publicExports } from "./lib/public-exports.ts";

/** The site's pages are templates: what looks like a tag or an expression outside of code would be read as one. */
export function escapeWords(words: string) {
  return words
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.startsWith("`") ? part : part.replaceAll("<", "&lt;").replaceAll("{{", "&#123;&#123;"),
    )
    .join("");
}

const ROUTES = "src/gateway/api/routes.ts";
const HANDLERS = "src/gateway/page/handlers";

/** A page about all routes, made from the list that server and page go by and from the schemas that check bodies. */
export function httpReference() {
  const notes = notesOfRoutes();
  const bodies = schemasOfRoutes();
  const parts = [
    "# HTTP: `/v1` and `/api`",
    "",
    "This page lists the routes of the gateway with their fields, made from its routes and schemas. All of them take JSON. If a request of `/api` is wrong, `error` has its `code`, a `message`, and mostly a `fix` and the `field`. `/v1` answers with errors in its providers' shapes.",
    "",
    "## `/v1`: for clients of models",
    "",
    "Each of these takes the request of its provider and gives that provider's answer. Headers change what precis does, and say what it did:",
    "[the gateway](../gateway-api.md#headers).",
    "",
    "| API | route | what for |",
    "| --- | --- | --- |",
    ...rows("answer", "requests and answers"),
    ...rows("count", "counts tokens"),
    ...rows("compaction", "compacts"),
    "| all | `GET /v1/models` | models of all upstreams |",
    "",
    "## `/api`: what the page uses, and your own programs may",
    "",
  ];
  for (const [name, { method, path, kind }] of Object.entries(routes)) {
    const { note, query, answer } = notes.get(name) ?? {};
    parts.push(`### ${name}`, "", `\`${method} ${path}\``, "");
    if (note) parts.push(escapeWords(note), "");
    if (query) parts.push(`Query: \`${query}\``, "");
    const schema = bodies.get(name);
    if (schema)
      parts.push("| field of the body | what it may be |", "| --- | --- |", ...fieldsOf(schema), "");
    const how = {
      json: "Answers with",
      stream: "Answers with server-sent events, each a",
      text: "Answers with a file:",
    }[kind];
    if (answer) parts.push(`${how} \`${answer}\`.`, "");
  }
  return `${parts.join("\n").trimEnd()}\n`;
}

function rows(wanted: (typeof writtenRoutes)[number]["route"], purpose: string) {
  return writtenRoutes
    .filter(({ route }) => route === wanted)
    .map(({ path, wire }) => `| \`${wire.api}\` | \`POST ${path}\` | ${purpose} |`);
}

/** What the source says about each route: the comment above it, its query and its answer. */
function notesOfRoutes(): Map<string, { note?: string; query?: string; answer?: string }> {
  const text = readFileSync(join(root, ROUTES), "utf8");
  const list = text.slice(text.indexOf("export const routes"));
  const found = list.matchAll(
    /(?:\/\*\* ([^\n]*) \*\/\n\s*)?^ {2}(\w+): (?:json|stream|file)<([\s\S]*?)>\(\s*"/gm,
  );
  return new Map(
    [...found].map(([, note, name = "", shape = ""]) => [
      name,
      {
        ...(note && { note }),
        ...field(shape, "query"),
        ...field(shape, "answer"),
      },
    ]),
  );
}

function field(shape: string, name: "query" | "answer") {
  const found = new RegExp(`\\b${name}: ((?:\\{[^}]*\\}|[^;{}])+)`).exec(shape)?.[1];
  return found === undefined ? {} : { [name]: found.replace(/\s+/g, " ").replaceAll("readonly ", "").trim() };
}

/** Which schema checks the body of a route, as its handler says. */
function schemasOfRoutes(): Map<string, ZodType> {
  const found = new Map();
  for (const file of filesBelow(root, HANDLERS, /\.ts$/)) {
    let route = "";
    for (const line of readFileSync(join(root, file), "utf8").split("\n")) {
      route = /^ {2}(?:async )?(\w+)[(:]/.exec(line)?.[1] ?? route;
      const name = /\bschemas\.(\w+)/.exec(line)?.[1];
      if (name !== undefined) found.set(route, schemas[name as keyof typeof schemas]);
    }
  }
  return found;
}

/** The fields of a body. What a field may be is what the server says to someone who gave it something else. */
function fieldsOf(schema: ZodType): string[] {
  const shape = (schema as { shape?: Record<string, ZodType> }).shape ?? {};
  return Object.entries(shape).map(([name, type]) => {
    const optional = type.safeParse(undefined).success;
    const issue = type.safeParse(Number.NaN).error?.issues[0];
    const words = issue === undefined ? "" : wordsIn(issue.message).fix;
    return `| \`${name}\`${optional ? "" : " (needed)"} | ${escapeWords(words).replaceAll("|", "\\|").replaceAll("\n", " ")} |`;
  });
}

/** A page with every public name of a package: its doc comment and its signature. */
export function libraryReference(of: Package, title: string) {
  const parts = [
    `# ${title}`,
    "",
    "This page lists every public name, made from the doc comments of the code. The other pages of the reference explain them, with tables and examples.",
    "",
  ];
  /** A name that two entries export is explained once. */
  const explained: Map<string, string> = new Map();
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

function anchor(specifier: string, name: string) {
  return `${specifier}-${name}`.replace(/[^\w-]+/g, "-").replace(/^-/, "");
}

/** The doc comment of a declaration, and the declaration without its body. */
function explain(file: string, line: number): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const node = (parseSource(text, file).body as SyntaxNode[]).find((one) => lineAt(text, one.start) === line);
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

if (import.meta.main) {
  const folder = join(root, "docs/reference/generated");
  mkdirSync(folder, { recursive: true });
  const pages = {
    "http-api.md": httpReference(),
    "library.md": libraryReference(library, "Every public name of `precis`"),
    "gateway.md": libraryReference(gateway, "Every public name of `@precis/gateway`"),
  };
  for (const [name, text] of Object.entries(pages)) {
    const file = join(folder, name);
    if (readOr(file) !== text) writeFileSync(file, text);
  }
  console.log(`reference: ${Object.keys(pages).length} pages written to docs/reference/generated`);
}

function readOr(file: string) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
