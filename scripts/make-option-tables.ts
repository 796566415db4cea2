/** Writes the tables of options, settings and commands into the reference. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS, type Command } from "../src/cli/commands.ts";
import { flagRows, usageOf } from "../src/cli/help.ts";
import { isGroup, type Row, TUNING } from "../src/core/options.ts";
import { CHAT_SETTINGS, SETTINGS } from "../src/gateway/api/settings.ts";
import { root } from "./lib/project.ts";

/** The tables of options, settings and commands in the reference, made of the tables in the source: rows, defaults and their comments. */

/** Options that have a header of their own. */
const HEADERS = ["budget", "strategy"];
/** A flag that as many commands of a page have (or all of them), with the same words, is explained once. */
const SHARED_BY = 3;

/** The questions of the options' page, and the options that answer each: a group stands for all of its options. */
const TOPICS: Record<string, (keyof typeof TUNING)[]> = {
  size: ["budget", "reserve", "safety"],
  start: ["startAt", "triggers", "auto"],
  shown: ["landAt", "tail", "images"],
  way: ["strategy", "placement"],
  summaries: ["summary", "waitMs"],
  recall: ["recall"],
  cache: ["cache", "cacheBreakpoints"],
  frames: ["frames"],
};

/** The pages, and what each holds between its marks. */
export const pages: Record<string, Record<string, () => string>> = {
  "docs/reference/options.md": Object.fromEntries(
    Object.entries(TOPICS).map(([topic, names]) => [topic, () => tuningTable(names)]),
  ),
  "docs/reference/settings.md": { options: placesTable, chats: chatsTable },
  ...commandPages({
    "docs/reference/cli.md": (name) => !name.startsWith("eval "),
    "docs/guide/eval.md": (name) => /^eval (?:retention|cost|rules)$/.test(name),
    "docs/guide/exams.md": (name) => /^eval (?:judged|exam)$/.test(name),
  }),
};

/** The tables of commands, each on one page: what several of a page share stands there once. */
function commandPages(of: Record<string, (name: string) => boolean>) {
  return Object.fromEntries(
    Object.entries(of).map(([page, isHere]) => {
      const here = Object.entries(COMMANDS).filter(([name]) => isHere(name));
      const shared = sharedOf(here.map(([, command]) => command));
      return [
        page,
        {
          shared: () => flagTable(shared.rows),
          ...(shared.notes.length > 0 && { notes: () => shared.notes.map(marked).join("\n\n") }),
          ...Object.fromEntries(
            here.map(([name, command]) => [name, () => commandTable(name, command, shared)]),
          ),
        },
      ];
    }),
  );
}

/** A page with its tables as they should be. */
export function withOptionTables(page: string, text: string) {
  return Object.entries(pages[page] ?? {}).reduce((made, [name, table]) => {
    const [begin, end] = [`<!-- table: ${name} -->\n`, "<!-- end of the table -->"];
    const [before, rest] = split(made, begin, page);
    const [, after] = split(rest, end, page);
    return `${before}${begin}\n${table()}\n\n${end}${after}`;
  }, text);
}

function split(text: string, at: string, page: string): [string, string] {
  const found = text.indexOf(at);
  if (found < 0) throw new Error(`${page} has no "${at.trim()}"`);
  return [text.slice(0, found), text.slice(found + at.length)];
}

/** The comments of the table, by the paths of its options: the types of the library show them, too. */
function sentences(): Map<string, string> {
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
  const found: [string, Row | undefined][] = [];
  for (const [name, row] of Object.entries(TUNING)) {
    found.push([name, isGroup(row) ? undefined : row]);
    if (isGroup(row))
      for (const [inner, one] of Object.entries(row.rows)) found.push([`${name}.${inner}`, one]);
  }
  return found;
}

function tuningTable(names: string[]) {
  const missing = Object.keys(TUNING).filter(
    (name) =>
      !Object.values(TOPICS)
        .flat()
        .includes(name as never),
  );
  if (missing.length > 0) throw new Error(`no topic of the options' page has ${missing.join(", ")}`);
  const said = sentences();
  const groups = names.flatMap((name) => (isGroup(TUNING[name as keyof typeof TUNING]) ? [name] : []));
  return [
    ...groups.map((name) => `\`${name}\`: ${said.get(name)}`),
    table(
      ["option", "default", "what it does"],
      options().flatMap(([path, row]) => {
        if (!row || !names.includes(path.split(".")[0] ?? "")) return [];
        const [text, standard] = withoutDefault(said.get(path) ?? "");
        return [[`\`${path}\`<br>${kindOf(row)}`, standard ?? shown(row.default), text]];
      }),
    ),
  ].join("\n\n");
}

function placesTable() {
  const names = new Map(Object.entries(CHAT_SETTINGS).map(([name, { option }]) => [option, name]));
  const paths = options().flatMap(([path, row]) => (row ? [path] : []));
  const headers = HEADERS.map((path) => `\`x-precis-${path}\``).join(" and ");
  const elsewhere = paths.filter((path) => !names.has(path)).map((path) => `\`${path}\``);
  return [
    `In a request, they are keys of the JSON in \`x-precis-options\`; ${headers} are headers of their own. On the page, these have other names:`,
    table(
      ["option", "page"],
      paths.flatMap((path) => {
        const name = names.get(path);
        return name === undefined || name === path ? [] : [[`\`${path}\``, `\`${name}\``]];
      }),
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

function ownRows(command: Command) {
  return flagRows(command).filter(([flag]) => flag !== "--help");
}

const flagTable = (rows: readonly (readonly [string, string])[]) =>
  table(
    ["flag", "meaning"],
    rows.map(([flag, help]) => [`\`${flag}\``, marked(help)]),
  );

interface Shared {
  readonly rows: readonly (readonly [string, string])[];
  readonly notes: readonly string[];
}

/** What several commands have in the same words: flags, and notes of two or more. Of a flag with several meanings, the commonest. */
function sharedOf(commands: readonly Command[]): Shared {
  const alike = Map.groupBy(
    commands.flatMap((command) => ownRows(command)),
    ([flag, help]) => `${flag} ${help}`,
  );
  const often = [...alike.values()]
    .filter((ones) => ones.length >= Math.min(SHARED_BY, commands.length))
    .toSorted((a, b) => a.length - b.length)
    .map(([one = ["", ""]]) => one);
  const notes = commands.flatMap((command) => command.notes ?? []);
  return {
    rows: [...new Map(often.map((row) => [row[0], row])).values()].toSorted(([a], [b]) =>
      a.localeCompare(b, "en"),
    ),
    notes: [...new Set(notes.filter((note, at) => notes.indexOf(note) !== at))],
  };
}

/** What a command takes, as its help shows it; of what it shares with others, only the names of flags. */
function commandTable(name: string, command: Command, everywhere: Shared) {
  const isShared = ([flag, help]: readonly [string, string]) =>
    everywhere.rows.some(([other, words]) => other === flag && words === help);
  const rows = ownRows(command);
  const own = rows.filter((row) => !isShared(row));
  const shared = rows.filter(isShared).map(([flag]) => `\`${flag.split(" ")[0]}\``);
  return [
    `\`\`\`sh\n${command.examples.join("\n")}\n\`\`\``,
    `${command.summary} Usage: \`${usageOf(name, command)}\``,
    ...(own.length > 0 ? [flagTable(own)] : []),
    ...(shared.length > 0 ? [`Also [${shared.join(", ")}](#shared-flags).`] : []),
    ...(command.notes ?? []).filter((note) => !everywhere.notes.includes(note)).map(marked),
  ].join("\n\n");
}

/** Flags, commands and data within a sentence, as code. */
const marked = (text: string) =>
  text.replace(
    /\{ ?".*?\}(?=[),])|\{ \w.*? \}|(?<![\w-])--[a-z][a-z-]*|\bprecis (?:serve|recall|mcp|inspect|replay|eval judged)(?: --new-key NAME)?|https?:\/\/[\w.:/]*\w\/?|(?<![\w.~/:-])\/[a-z]\w*(?: \[[^\]]+\])?|[A-Z]+_[A-Z_]+/g,
    (code) => `\`${code}\``,
  );

const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");

function withoutDefault(comment: string): [string, string | undefined] {
  const found = /(?:^| )Default:? ((?:[^.]|\.(?=\d))*)\./.exec(comment);
  return found ? [comment.replace(found[0], "").trim(), found[1]] : [comment, undefined];
}

const shown = (value: unknown) =>
  value === undefined
    ? "none"
    : typeof value === "number"
      ? value.toLocaleString("en", { maximumFractionDigits: 4 })
      : `\`${JSON.stringify(value)}\``;

function kindOf(row: Row) {
  switch (row.is) {
    case "size":
      return "tokens";
    case "tokens":
      return row.least > 1 ? `tokens, at least ${row.least}` : "tokens";
    case "threshold":
      return "`Threshold`";
    case "share":
      return "share, up to 1";
    case "count":
      return row.what.replace("number of ", "");
    case "number":
      return `${row.least} to ${row.most.toLocaleString("en")}`;
    case "time":
      return "milliseconds";
    case "switch":
      return "`boolean`";
    case "choice":
      return row.names.map((name) => `\`"${name}"\``).join(", ");
    case "choice or count":
      return `${row.names.map((name) => `\`"${name}"\``).join(", ")} or a number`;
    case "text":
      return `text, up to ${row.most} characters`;
    case "prompt":
      return "`string`, or `{ id, version, text }`";
  }
}

if (import.meta.main) {
  for (const page of Object.keys(pages)) {
    const file = join(root, page);
    writeFileSync(file, withOptionTables(page, readFileSync(file, "utf8")));
  }
}
