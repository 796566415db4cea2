// @ts-check
/** The tables of options, settings and commands in the reference, made of the tables in the source: rows, defaults and their comments. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS } from "../../src/cli/commands.ts";
import { flagRows, usageOf } from "../../src/cli/help.ts";
import { isGroup, TUNING } from "../../src/core/options.ts";
import { CHAT_SETTINGS, SETTINGS } from "../../src/gateway/api/settings.ts";
import { root } from "./project.mjs";

/** Options that have a header of their own. */
const HEADERS = ["budget", "strategy"];
/** A flag that as many commands have, with the same words, is explained once for all of them. */
const SHARED_BY = 3;

/**
 * The pages, and what each holds between its marks.
 * @type {Record<string, Record<string, () => string>>}
 */
export const pages = {
  "docs/reference/options.md": { tuning: tuningTable },
  "docs/reference/settings.md": { options: placesTable, chats: chatsTable },
  "docs/reference/cli.md": {
    shared: () => sharedTable(),
    ...Object.fromEntries(
      Object.entries(COMMANDS).map(([name, command]) => [name, () => commandTable(name, command)]),
    ),
  },
};

/**
 * A page with its tables as they should be.
 * @param {string} page
 * @param {string} text
 */
export function withOptionTables(page, text) {
  return Object.entries(pages[page] ?? {}).reduce((made, [name, table]) => {
    const [begin, end] = [`<!-- table: ${name} -->\n`, "<!-- end of the table -->"];
    const [before, rest] = split(made, begin, page);
    const [, after] = split(rest, end, page);
    return `${before}${begin}\n${table()}\n\n${end}${after}`;
  }, text);
}

/**
 * @param {string} text
 * @param {string} at
 * @param {string} page
 * @returns {[string, string]}
 */
function split(text, at, page) {
  const found = text.indexOf(at);
  if (found < 0) throw new Error(`${page} has no "${at.trim()}"`);
  return [text.slice(0, found), text.slice(found + at.length)];
}

/**
 * The comments of the table, by the paths of its options: the types of the library show them, too.
 * @returns {Map<string, string>}
 */
function sentences() {
  const source = readFileSync(join(root, "src/core/options.ts"), "utf8");
  const table = source.slice(source.indexOf("export const TUNING"), source.indexOf("} as const;"));
  const found = new Map();
  let group = "";
  for (const [, comment = "", indent = "", name = ""] of table.matchAll(
    /\/\*\*([\s\S]*?)\*\/\n( +)(\w+): /g,
  )) {
    const path = indent.length > 2 ? `${group}.${name}` : name;
    if (indent.length === 2) group = name;
    found.set(path, comment.replace(/\s*\n\s*\* ?/g, " ").trim());
  }
  return found;
}

/** Every option by its path; groups have no row. */
function options() {
  /** @type {[string, import("../../src/core/options.ts").Row | undefined][]} */
  const found = [];
  for (const [name, row] of Object.entries(TUNING)) {
    found.push([name, isGroup(row) ? undefined : row]);
    if (isGroup(row))
      for (const [inner, one] of Object.entries(row.rows)) found.push([`${name}.${inner}`, one]);
  }
  return found;
}

function tuningTable() {
  const said = sentences();
  return table(
    ["option", "value", "default", "what it does"],
    options().map(([path, row]) => {
      const [text, standard] = withoutDefault(said.get(path) ?? "");
      return [`\`${path}\``, row ? kindOf(row) : "", row ? (standard ?? shown(row.default)) : "", text];
    }),
  );
}

function placesTable() {
  const names = new Map(Object.entries(CHAT_SETTINGS).map(([name, { option }]) => [option, name]));
  const paths = options().flatMap(([path, row]) => (row ? [path] : []));
  const headers = HEADERS.map((path) => `\`x-precis-${path}\``).join(" and ");
  const elsewhere = paths.filter((path) => !names.has(path)).map((path) => `\`${path}\``);
  return [
    `In a request, they are keys of the JSON in \`x-precis-options\`; ${headers} are headers of their own. On the page:`,
    table(
      ["option", "page"],
      paths.flatMap((path) => (names.has(path) ? [[`\`${path}\``, `\`${names.get(path)}\``]] : [])),
    ),
    `Not on the page: ${elsewhere.join(", ")}.`,
  ].join("\n\n");
}

function chatsTable() {
  const own = Object.entries({ ...CHAT_SETTINGS, ...SETTINGS.page }).filter(([, { option }]) => !option);
  return table(
    ["name", "what"],
    own.map(([name, { label, help }]) => [`\`${name}\``, `${label}. ${help}`]),
  );
}

/** @param {import("../../src/cli/commands.ts").Command} command */
const ownRows = (command) => flagRows(command).filter(([flag]) => flag !== "--help");

/** @param {readonly (readonly [string, string])[]} rows */
const flagTable = (rows) =>
  table(
    ["flag", "meaning"],
    rows.map(([flag, help]) => [`\`${flag}\``, marked(help)]),
  );

/** The flags that many commands have, each with the words that most of them have for it. */
function sharedRows() {
  const rows = Object.values(COMMANDS).flatMap((command) => ownRows(command));
  const alike = [...Map.groupBy(rows, ([flag, help]) => `${flag} ${help}`).values()].toSorted(
    (a, b) => b.length - a.length,
  );
  const shared = alike.filter((ones) => ones.length >= SHARED_BY).map(([one = ["", ""]]) => one);
  return [...new Map(shared.toReversed().map((row) => [row[0], row])).values()];
}

function sharedTable() {
  return flagTable(sharedRows().toSorted(([a], [b]) => a.localeCompare(b, "en")));
}

/**
 * What a command takes, as its help shows it; of flags that many have, only the names.
 * @param {string} name
 * @param {import("../../src/cli/commands.ts").Command} command
 */
function commandTable(name, command) {
  const everywhere = sharedRows();
  /** @param {readonly [string, string]} row */
  const isShared = ([flag, help]) => everywhere.some(([other, words]) => other === flag && words === help);
  const rows = ownRows(command);
  const own = rows.filter((row) => !isShared(row));
  const shared = rows.filter(isShared).map(([flag]) => `\`${flag.split(" ")[0]}\``);
  return [
    `\`\`\`sh\n${command.examples.join("\n")}\n\`\`\``,
    `${command.summary} Usage: \`${usageOf(name, command)}\``,
    ...(own.length > 0 ? [flagTable(own)] : []),
    ...(shared.length > 0 ? [`[Shared flags](#shared-flags): ${shared.join(", ")}.`] : []),
    ...(command.notes ?? []).map(marked),
  ].join("\n\n");
}

/**
 * Flags, commands and data within a sentence, as code.
 * @param {string} text
 */
const marked = (text) =>
  text.replace(
    /\{ ?".*?\}(?=[),])|\{ \w.*? \}|(?<![\w-])--[a-z][a-z-]*|\bprecis (?:serve|recall|mcp|inspect|replay|eval judged)(?: --new-key NAME)?|https?:\/\/[\w.:/]*\w\/?|\/[a-z]+ (?:\[[^\]]+\])|[A-Z]+_[A-Z_]+/g,
    (code) => `\`${code}\``,
  );

/**
 * @param {string[]} head
 * @param {string[][]} rows
 */
const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");

/**
 * @param {string} comment
 * @returns {[string, string | undefined]}
 */
function withoutDefault(comment) {
  const found = /(?:^| )Default:? ((?:[^.]|\.(?=\d))*)\./.exec(comment);
  return found ? [comment.replace(found[0], "").trim(), found[1]] : [comment, undefined];
}

/** @param {unknown} value */
const shown = (value) =>
  value === undefined
    ? "none"
    : typeof value === "number"
      ? value.toLocaleString("en", { maximumFractionDigits: 4 })
      : `\`${JSON.stringify(value)}\``;

/** @param {import("../../src/core/options.ts").Row} row */
function kindOf(row) {
  switch (row.is) {
    case "size":
      return "tokens";
    case "tokens":
      return row.least > 1 ? `tokens, at least ${row.least}` : "tokens";
    case "threshold":
      return "`Threshold`";
    case "share":
      return "a share up to 1";
    case "count":
      return `a ${row.what}`;
    case "number":
      return `a number from ${row.least} to ${row.most.toLocaleString("en")}`;
    case "time":
      return "milliseconds";
    case "switch":
      return "`boolean`";
    case "choice":
      return row.names.map((name) => `\`"${name}"\``).join(", ");
    case "choice or count":
      return `${row.names.map((name) => `\`"${name}"\``).join(", ")} or a number of ${row.of}`;
    case "text":
      return `a text of at most ${row.most} characters`;
    case "prompt":
      return "`string`, or `{ id, version, text }`";
  }
}
