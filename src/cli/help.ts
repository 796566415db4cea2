import { COMMON_FLAGS, type CommandLine, type Flag } from "./parse-flags.ts";
import { wrap } from "./wrap.ts";

const INDENT = 2;
/** Widest line of the help texts, for terminals that are wider. */
const MAX_WIDTH = 90;
/** Below this the flag and its text stand on lines of their own. */
const TWO_COLUMNS_FROM = 64;

export function mainHelp(commands: readonly CommandLine[], columns: number): string {
  const rows = commands.map((command) => [command.name, command.summary] as const);
  return [
    "precis keeps any LLM conversation inside its token budget.",
    "",
    "usage: precis COMMAND [FILE] [flags]",
    "",
    ...twoColumns(rows, columns),
    "",
    ...twoColumns(
      [
        ["--help", "this text; precis COMMAND --help tells a command's flags"],
        ["--version", "the version"],
      ],
      columns,
    ),
    "",
    ...wrap(
      "FILE is a JSON or JSONL conversation, plain or gzip: a request body, a list of messages, or a log of an agent. - is stdin.",
      Math.min(columns, MAX_WIDTH),
    ),
    "",
  ].join("\n");
}

export function commandHelp(command: CommandLine, columns: number): string {
  const width = Math.min(columns, MAX_WIDTH);
  const flags: readonly (readonly [string, Flag])[] = Object.entries({ ...command.flags, ...COMMON_FLAGS });
  const rows = flags.map(
    ([name, flag]) =>
      [flag.value === undefined ? `--${name}` : `--${name} ${flag.value}`, flag.help] as const,
  );
  return [
    ...wrap(command.summary, width),
    "",
    ...wrap(`usage: ${command.usage}`, width, 4),
    "",
    ...twoColumns(rows, columns),
    "",
    ...command.notes.flatMap((note) => [...wrap(note, width), ""]),
    "examples:",
    ...command.examples.map((example) => `${" ".repeat(INDENT)}${example}`),
    "",
  ].join("\n");
}

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
