/** One command of a command line, in words. */
export interface ShellCommand {
  readonly words: readonly ShellWord[];
  /** What stands before it; nothing before the first one. */
  readonly operator: "" | "&&" | "||" | "|" | ";";
  /** The file that its output goes to, if it takes the place of what was in there. */
  readonly output?: ShellWord;
}

/** A word as the shell hands it on. */
interface ShellWord {
  readonly text: string;
  /** It holds something that only the shell knows: a variable, or what another command prints. */
  readonly isOpen: boolean;
}

/** Of a longer command line only the beginning is read (characters). */
const MAX_READ = 4_000;

const WORD =
  /\\\n|[^\S\n]+|(?<comment>(?<=^|\s)#[^\n]*)|(?<operator>&&|\|\||[|;\n]|&(?!>))|(?<output>(?:\d|&)?>{1,2}(?!&))|(?<input>\d?<{1,3}|\d?>&\d?-?)|(?<group>[(){}])|(?<word>(?:'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|[^\s'"\\|;&<>(){}]|\{[^\s{}]*\}|\$\{[^}]*\})+)/gy;

/**
 * The single commands of a command line that are run whatever else happens, as far as shells write them alike. What stands in
 * brackets or behind `<<` on further lines isn't read.
 */
export function shellCommands(line: string): ShellCommand[] {
  const commands: ShellCommand[] = [];
  let words: ShellWord[] = [];
  let output: ShellWord | undefined;
  let operator: ShellCommand["operator"] = "";
  let waitsFor: "file" | "input" | undefined;
  let hasText = false;
  let depth = 0;
  const end = (next: ShellCommand["operator"]): void => {
    if (words.length > 0) commands.push({ words, operator, ...(output !== undefined && { output }) });
    if (words.length > 0 || next === "||") operator = next;
    words = [];
    output = undefined;
    waitsFor = undefined;
  };
  const text = line.slice(0, MAX_READ);
  let read = 0;
  for (const { 0: whole, groups = {} } of text.matchAll(WORD)) {
    read += whole.length;
    const { operator: found, output: into, input, group, word } = groups;
    if (group !== undefined) depth += group === "(" || group === "{" ? 1 : -1;
    if (depth > 0) continue;
    if (found !== undefined) {
      if (found === "\n" && hasText) return ended();
      end(found === "\n" || found === "&" ? ";" : (found as ShellCommand["operator"]));
    } else if (into !== undefined) waitsFor = into.endsWith(">>") || into.startsWith("2") ? "input" : "file";
    else if (input !== undefined) {
      hasText ||= input.endsWith("<<");
      waitsFor = input.includes("<") ? "input" : undefined;
    } else if (word !== undefined) {
      const one = readWord(word);
      if (waitsFor === "file") output = one;
      else if (waitsFor === undefined) words.push(one);
      waitsFor = undefined;
    }
  }
  // Behind a quote that nobody closes, nobody knows what is run.
  return read === line.length ? ended() : commands;

  function ended(): ShellCommand[] {
    end("");
    return commands;
  }
}

function readWord(word: string): ShellWord {
  const isOpen = /[$`]/.test(word.replace(/'[^']*'/g, ""));
  const text = word.replace(/'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|\\([\s\S])/g, (_, single, double, escaped) =>
    String(single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped),
  );
  return { text, isOpen };
}
