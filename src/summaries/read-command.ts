import { MAX_READ, type Segment, splitCommand } from "./split-command.ts";

/** A command line as a person would name it. */
export interface CommandText {
  /** The same for runs that differ only in where they are run, and in where their output goes. */
  readonly key: string;
  /** What is shown of it: one line. */
  readonly name: string;
  /** The commands that `&&` joins; a line with `;` or `||` is one. */
  readonly steps: readonly CommandStep[];
  /** It only shows what is there. */
  readonly isLookup: boolean;
  /** How it ends isn't how its work ended: a pipe, `||` or `;` decides. */
  readonly hidesStatus: boolean;
  /** Its output goes through another program, which may end with a status of its own. */
  readonly isPiped: boolean;
}

/** One command that must pass before the next one is run. */
interface CommandStep {
  readonly key: string;
  readonly name: string;
  readonly isLookup: boolean;
}

/** Longer names are cut (characters). */
const MAX_NAME = 110;

/** Where a command is run says nothing about what is run. */
const PLACES = /^(?:cd|pushd|popd|chdir|set-location|sl|source|\.|sleep)\s/i;
/** … nor does how long it may take. */
const LIMITS = /^(?:(?:timeout|gtimeout)\s+(?:-\S+\s+)*\d+\w?|time|nice|nohup)\s+/;
/** What only shortens, filters or copies the output. */
const SHORTENS =
  /^(?:head|tail|tee|more|less|cat|e?grep|rg|findstr|select-object|select-string|select|out-host|out-string)\b/i;
/** A shell that is given the command line as a text. */
const SHELL =
  /^(?:\S{0,80}[\\/])?(?:(?:ba|z|da|k)?sh|pwsh|powershell|cmd)(?:\.exe)?(?:\s+-\w+){0,3}?\s+(?:-l?c|-command|\/c)\s+(["'])(.*)\1$/is;
/** Asks a shell how the command before ended. */
const ASKS_STATUS =
  /^(?:echo|printf|write-host|write-output)\b.*(?:\$\?|\$LASTEXITCODE|%ERRORLEVEL%|\$\{?PIPESTATUS)/i;
/** Output that goes nowhere, or where other output goes. */
const NOWHERE = /(?<!\s)\s*(?:(?:\d|&|\*)?>{1,2}\s*(?:&\d|\/dev\/null|\$null|nul\b)|<\s*\/dev\/null)/gi;

/** Programs that show, compare or shorten what is there, and words of a shell that do nothing by themselves. */
const LOOKS = new Set(
  (
    "cat bat less more head tail nl tac ls dir tree find fd locate grep egrep fgrep rg ag ack findstr sed awk sort uniq wc cut tr jq yq " +
    "column diff cmp file stat du df pwd which where type whereis env printenv date whoami hostname uname ps echo printf cd pushd popd " +
    "true false test [ [[ sleep wait export set source . read basename dirname realpath readlink strings xxd od man for case do then else done fi esac"
  ).split(" "),
);
/** … and PowerShell's, which name them by what they do. */
const LOOKING_VERB = /^(?:get|select|test|measure|where|format|sort|compare|resolve|out|write)-/;
/** Words by which programs of all kinds are asked to show something: `git log`, `docker ps`, `gh pr view`. */
const LOOKING_WORDS = new Set(
  (
    "status log diff show blame list ls ps view get describe info search help version grep doc logs rev-parse ls-files ls-tree " +
    "ls-remote cat-file rev-list merge-base reflog shortlog"
  ).split(" "),
);
const LOOKING_FLAG = /^(?:--(?:version|help|get|list|show)|-h|-V)(?:$|[-=])/;
/** Without a name behind them, these list what there is. */
const LISTS = new Set(["branch", "remote", "tag"]);
/** Words of a shell before the command itself, and settings for it. */
const LEADING =
  /^(?:(?:do|then|else|if|elif|while|until|!|\{|\(|env|command|exec)\s+|\w+=(?:\$\(|[^\s$"'(]*\s+|(?:"[^"]*"|'[^']*')\s+))+/;
/** Words of a command that are looked at. */
const MAX_WORDS = 12;

/** What a command line runs, without what is by the way. */
export function readCommand(given: string): CommandText {
  const line = given.length <= MAX_READ ? (SHELL.exec(given)?.[2] ?? given) : given;
  const all = splitCommand(line).map(plainSegment);
  const segments = essential(all);
  const isChain = segments.every(({ operator }) => operator === "" || operator === "&&" || operator === "|");
  const steps = isChain ? chainOf(segments) : [segments];
  const rest = line.length > 0 && segments.length === 0 ? line.trim() : joined(segments);
  return {
    // What isn't read beyond the beginning, or below `<<`, still tells two commands apart.
    key: isWhole(line) ? rest : line,
    name: nameOf(rest, line),
    steps: steps.map((step) => ({
      key: isWhole(line) ? joined(step) : line,
      name: nameOf(joined(step), steps.length > 1 ? "" : line),
      isLookup: step.every(looksUp),
    })),
    isLookup: segments.length > 0 && segments.every(looksUp),
    hidesStatus: all.some(({ operator }) => operator !== "" && operator !== "&&"),
    isPiped: all.some(({ operator }) => operator === "|"),
  };
}

/** Was all of it read? */
function isWhole(line: string): boolean {
  return line.length <= MAX_READ && !(line.includes("<<") && line.includes("\n"));
}

function plainSegment({ text, bare, operator }: Segment): Segment {
  let plain = "";
  let plainBare = "";
  let from = 0;
  for (const { 0: found, index } of bare.matchAll(NOWHERE)) {
    plain += text.slice(from, index);
    plainBare += bare.slice(from, index);
    from = index + found.length;
  }
  plain += text.slice(from);
  plainBare += bare.slice(from);
  const limit = LIMITS.exec(plainBare)?.[0].length ?? 0;
  return { text: plain.slice(limit).trim(), bare: plainBare.slice(limit).trim(), operator };
}

/** Without changes of the folder before the work, and without what shortens its output or asks how it ended. */
function essential(all: readonly Segment[]): Segment[] {
  let from = 0;
  while (from < all.length - 1 && PLACES.test(all[from]!.text) && all[from + 1]!.operator !== "||") from++;
  let to = all.length;
  while (to > from + 1 && isByTheWay(all[to - 1]!)) to--;
  const [first, ...more] = all.slice(from, to);
  return first === undefined ? [] : [{ ...first, operator: "" }, ...more];
}

function isByTheWay({ text, operator }: Segment): boolean {
  if (operator === "|") return SHORTENS.test(text);
  if (operator === "||") return text === "true" || text === ":";
  return operator === ";" && ASKS_STATUS.test(text);
}

/** Pipelines joined by `&&`. */
function chainOf(segments: readonly Segment[]): Segment[][] {
  const steps: Segment[][] = [];
  for (const segment of segments)
    if (segment.operator === "|") steps.at(-1)?.push(segment);
    else steps.push([{ ...segment, operator: "" }]);
  return steps;
}

function joined(segments: readonly Segment[]): string {
  return segments
    .map(({ text, operator }) =>
      operator === "" ? text : operator === ";" ? `; ${text}` : ` ${operator} ${text}`,
    )
    .join("");
}

/** One line that says what is run: the text that it is given on further lines is left out. */
function nameOf(text: string, line: string): string {
  const [first = "", ...more] = text.split("\n");
  if (more.length === 0 && !(line.includes("<<") && line.includes("\n"))) return cut(first, MAX_NAME);
  const opening = first.search(/\s*(?:<<|["'`$][^"'`]*$|"\$\()/);
  return `${cut((opening > 0 ? first.slice(0, opening) : first).trimEnd(), MAX_NAME - 2)} …`;
}

/** Does it change nothing? */
function looksUp({ text, bare }: Segment): boolean {
  if (/>(?!&)/.test(bare)) return false;
  const words = text.replace(LEADING, "").split(/\s+/, MAX_WORDS);
  const [first = "", ...rest] = words;
  const program = (/[^\\/]*$/.exec(first.replace(/^["'(]+|["')]+$/g, ""))?.[0] ?? "")
    .toLowerCase()
    .replace(/\.exe$/, "");
  if (program === "" || /^\w+=/.test(first)) return true;
  if (program === "sed" && rest.some((word) => /^-[a-z]*i|^--in-place/.test(word))) return false;
  if (program === "find" && rest.some((word) => /^-(?:delete|exec)/.test(word))) return false;
  if (program === "xargs") return rest.some((word) => LOOKS.has(word));
  if (LOOKS.has(program) || LOOKING_VERB.test(program)) return true;
  const named = rest.filter((word) => !word.startsWith("-"));
  if (LISTS.has(named[0] ?? "") && named.length === 1 && !rest.some((word) => /^-[dDmM]/.test(word)))
    return true;
  return (
    named.slice(0, 2).some((word) => LOOKING_WORDS.has(word)) || rest.some((word) => LOOKING_FLAG.test(word))
  );
}

/** A text within a length, with a sign where it goes on. */
export function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit).toWellFormed().trimEnd()}…`;
}
