import type { Io } from "../io.ts";
import type { Paint } from "../paint.ts";
import { plainText } from "../plain-text.ts";
import type { Screen } from "./screen.ts";

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const SPIN_MS = 100;
const ERASE_LINE = "\r\u001b[K";

/** What is written to a terminal from its top to its bottom. It knows whether a line has ended. */
export interface TerminalOutput extends Pick<Screen, "text" | "reasoning" | "endAnswer" | "busy"> {
  write(text: string): void;
  /** Ends the line that was begun, if there is one. */
  freshLine(): void;
  /** The terminal itself ended the line. */
  lineEnded(): void;
}

export function createTerminalOutput(stdout: Io["stdout"], paint: Paint): TerminalOutput {
  let kind: "text" | "reasoning" | undefined;
  let last = "\n";
  let spinner: NodeJS.Timeout | undefined;

  const write = (text: string): void => {
    stdout.write(text);
    last = text.slice(-1);
  };
  const freshLine = (): void => {
    if (last !== "\n") write("\n");
  };
  const stopSpinner = (): void => {
    if (spinner === undefined) return;
    clearInterval(spinner);
    spinner = undefined;
    stdout.write(ERASE_LINE);
  };
  const piece = (now: "text" | "reasoning", text: string): void => {
    stopSpinner();
    if (kind !== undefined && kind !== now) write("\n\n");
    kind = now;
    const plain = plainText(text);
    if (plain === "") return;
    stdout.write(now === "reasoning" ? paint("dim", plain) : plain);
    last = plain.slice(-1);
  };

  return {
    write,
    freshLine,
    lineEnded() {
      last = "\n";
    },
    text: (text) => piece("text", text),
    reasoning: (text) => piece("reasoning", text),
    endAnswer(stopped) {
      stopSpinner();
      freshLine();
      kind = undefined;
      if (stopped) write(`${paint("warn", "(stopped)")}\n`);
      write("\n");
    },
    busy(label) {
      stopSpinner();
      if (label === undefined) return;
      let frame = 0;
      spinner = setInterval(() => {
        stdout.write(`${ERASE_LINE}${paint("dim", `${SPINNER[frame++ % SPINNER.length]} ${label}`)}`);
      }, SPIN_MS);
    },
  };
}
