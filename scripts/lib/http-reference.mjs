// @ts-check
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { wordsIn } from "../../src/config/values.ts";
import { routes } from "../../src/gateway/api/routes.ts";
import { schemas } from "../../src/gateway/page/schemas.ts";
import { writtenRoutes } from "../../src/gateway/wires/index.ts";
import { escapeWords } from "./escape-words.mjs";
import { filesBelow, root } from "./project.mjs";

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

/**
 * @param {(typeof writtenRoutes)[number]["route"]} wanted
 * @param {string} purpose
 */
function rows(wanted, purpose) {
  return writtenRoutes
    .filter(({ route }) => route === wanted)
    .map(({ path, wire }) => `| \`${wire.api}\` | \`POST ${path}\` | ${purpose} |`);
}

/**
 * What the source says about each route: the comment above it, its query and its answer.
 * @returns {Map<string, { note?: string, query?: string, answer?: string }>}
 */
function notesOfRoutes() {
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

/**
 * @param {string} shape
 * @param {"query" | "answer"} name
 */
function field(shape, name) {
  const found = new RegExp(`\\b${name}: ((?:\\{[^}]*\\}|[^;{}])+)`).exec(shape)?.[1];
  return found === undefined ? {} : { [name]: found.replace(/\s+/g, " ").replaceAll("readonly ", "").trim() };
}

/**
 * Which schema checks the body of a route, as its handler says.
 * @returns {Map<string, import("zod").ZodType>}
 */
function schemasOfRoutes() {
  const found = new Map();
  for (const file of filesBelow(root, HANDLERS, /\.ts$/)) {
    let route = "";
    for (const line of readFileSync(join(root, file), "utf8").split("\n")) {
      route = /^ {2}(?:async )?(\w+)[(:]/.exec(line)?.[1] ?? route;
      const name = /\bschemas\.(\w+)/.exec(line)?.[1];
      if (name !== undefined) found.set(route, schemas[/** @type {keyof typeof schemas} */ (name)]);
    }
  }
  return found;
}

/**
 * The fields of a body. What a field may be is what the server says to someone who gave it something else.
 * @param {import("zod").ZodType} schema
 * @returns {string[]}
 */
function fieldsOf(schema) {
  const shape = /** @type {{ shape?: Record<string, import("zod").ZodType> }} */ (schema).shape ?? {};
  return Object.entries(shape).map(([name, type]) => {
    const optional = type.safeParse(undefined).success;
    const issue = type.safeParse(Number.NaN).error?.issues[0];
    const words = issue === undefined ? "" : wordsIn(issue.message).fix;
    return `| \`${name}\`${optional ? "" : " (needed)"} | ${escapeWords(words).replaceAll("|", "\\|").replaceAll("\n", " ")} |`;
  });
}
