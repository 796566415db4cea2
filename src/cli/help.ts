import { COMMANDS, type Command, GROUPS } from "./commands.ts";
import { flagName } from "./flags.ts";
import { wrap } from "./io.ts";
import { HELP, membersOf, TOP_NAMES } from "./parse-command.ts";

const INDENT = 2;
/** Widest line of the help texts, for terminals that are wider. */
const MAX_WIDTH = 90;
/** Below this the flag and its text stand on lines of their own. */
const TWO_COLUMNS_FROM = 64;

const rowsOf = (names: readonly string[]) =>
  names.map(
    (name) => [name, (GROUPS[name] ?? (COMMANDS as Record<string, Command>)[name]!).summary] as const,
  );

/** The help about a command, a group of them, or all. */
export function helpAbout(name: string | undefined, columns: number): string {
  const width = Math.min(columns, MAX_WIDTH);
  const command = name === undefined ? undefined : (COMMANDS as Record<string, Command>)[name];
  const group = name === undefined ? undefined : GROUPS[name];
  const notes = (texts: readonly string[] = []) => texts.flatMap((note) => [...wrap(note, width), ""]);
  if (command)
    return [
      ...wrap(command.summary, width),
      "",
      ...wrap(`usage: ${usageOf(name!, command)}`, width, 4),
      "",
      ...twoColumns(flagRows(command), columns),
      "",
      ...notes(command.notes),
      command.examples.length > 1 ? "examples:" : "example:",
      ...command.examples.map((example) => `${" ".repeat(INDENT)}${example}`),
      "",
    ].join("\n");
  if (group)
    return [
      ...wrap(group.summary, width),
      "",
      `usage: precis ${name} SUBCOMMAND [flags]`,
      "",
      ...twoColumns(rowsOf(membersOf(name!)), columns),
      "",
      ...notes(group.notes),
      ...wrap(`precis ${name} SUBCOMMAND --help shows the flags of one.`, width),
      "",
    ].join("\n");
  return [
    "precis keeps any LLM conversation inside its token budget.",
    "",
    "usage: precis COMMAND [FILE] [flags]",
    "",
    ...twoColumns(rowsOf(TOP_NAMES), columns),
    "",
    ...twoColumns(
      [
        ["--help", "show this text; precis COMMAND --help shows the flags of a command"],
        ["--version", "show the version"],
      ],
      columns,
    ),
    "",
    ...wrap(
      "FILE is a conversation as JSON or JSONL, plain or gzip: a request body, a list of messages, or an agent's log. - means stdin.",
      width,
    ),
    "",
  ].join("\n");
}

export const usageOf = (name: string, { args }: Pick<Command, "args">): string =>
  `precis ${[name, args.replace(/ -- .*/, "")].filter(Boolean).join(" ")} [flags]${/ -- .*/.exec(args)?.[0] ?? ""}`;

/** Each flag as it is typed, with its sentence. What all commands have stands last. */
export const flagRows = ({
  flags: { json, ...own },
}: Pick<Command, "flags">): (readonly [string, string])[] =>
  Object.entries({ ...own, ...(json && { json }), ...HELP }).map(([name, { value, help }]) => [
    `--${flagName(name)}${value === undefined ? "" : ` ${value}`}`,
    help,
  ]);

/** Names with their texts, side by side where there is room. */
export function twoColumns(rows: readonly (readonly [string, string])[], columns: number): string[] {
  const width = Math.min(columns, MAX_WIDTH);
  const pad = " ".repeat(INDENT);
  if (columns < TWO_COLUMNS_FROM)
    return rows.flatMap(([name, text]) => [
      `${pad}${name}`,
      ...wrap(text, width - 3 * INDENT).map((line) => pad.repeat(3) + line),
    ]);
  const nameWidth = Math.max(...rows.map(([name]) => name.length)) + INDENT;
  return rows.flatMap(([name, text]) =>
    wrap(text, width - nameWidth - INDENT).map(
      (line, index) => `${pad}${(index === 0 ? name : "").padEnd(nameWidth)}${line}`,
    ),
  );
}
