/** One command of a command line. */
export interface Segment {
  readonly text: string;
  /** The same with what is quoted, or run inside of it, blotted out: operators in there aren't the line's own. */
  readonly bare: string;
  /** What stands before it; nothing before the first one. */
  readonly operator: "" | "&&" | "||" | "|" | ";";
}

/** Of a longer command line only the beginning is read (characters). */
export const MAX_READ = 2_000;
const BLOT = "_";

/** A command line's single commands, as far as shells of all kinds write them alike. What follows `<<` on further lines is no command. */
export function splitCommand(line: string): Segment[] {
  const segments: Segment[] = [];
  let operator: Segment["operator"] = "";
  let text = "";
  let bare = "";
  let quote = "";
  let depth = 0;
  const end = (next: Segment["operator"]): void => {
    if (text.trim() !== "" && !text.trimStart().startsWith("#")) {
      const start = text.length - text.trimStart().length;
      segments.push({ text: text.trim(), bare: bare.slice(start).trimEnd(), operator });
    }
    operator = segments.length === 0 ? "" : next;
    text = "";
    bare = "";
  };
  for (let at = 0; at < line.length && at < MAX_READ; at++) {
    const character = line[at]!;
    const two = line.slice(at, at + 2);
    if (two === "\\\n") {
      at++;
      continue;
    }
    if (quote !== "") {
      if (character === "\\" && quote === '"' && line[at + 1] === '"') {
        text += two;
        bare += BLOT + BLOT;
        at++;
        continue;
      }
      if (character === quote) quote = "";
    } else if (character === "'" || character === '"' || character === "`") quote = character;
    else if (character === "(") depth++;
    else if (character === ")") depth = Math.max(0, depth - 1);
    else if (depth === 0) {
      if (character === "\n" && bare.includes("<<")) break;
      if (two === "&&" || two === "||") {
        end(two);
        at++;
        continue;
      }
      if (character === "|") {
        end("|");
        continue;
      }
      const before = line[at - 1];
      const isJoined = character === "&" && (before === ">" || before === "<" || line[at + 1] === ">");
      if (character === ";" || character === "\n" || (character === "&" && !isJoined)) {
        end(";");
        continue;
      }
    }
    const isBlot = quote !== "" || depth > 0 || character === "'" || character === '"' || character === "`";
    text += character;
    bare += isBlot ? BLOT : character;
  }
  end("");
  return segments;
}
