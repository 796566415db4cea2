import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { plainText } from "../format.ts";
import { columnsOf, type Io, lookOf, type Paint } from "../io.ts";
import { commandNames } from "./commands.ts";
import { type MeterFacts, meterLine, type Screen } from "./screen.ts";

/** A terminal that a person sits at. */
export interface Terminal extends Screen {
  readonly paint: Paint;
  /** The next line, or undefined when there will be none. */
  read(): Promise<string | undefined>;
  close(): void;
}

interface TerminalEvents {
  /** Ctrl-C while something is under way. */
  interrupt(): void;
  /** Ctrl-C twice. */
  quit(): void;
}

const PROMPT = "› ";
/** Two Ctrl-C within this time mean that a person wants to leave (milliseconds). */
const TWICE_MS = 3_000;
const INPUTS_KEPT = 200;
const ERASE_BELOW = "\u001b[J";
/** Pasted text comes in brackets, so that its line ends don't send it. */
const PASTE_ON = "\u001b[?2004h";
const PASTE_OFF = "\u001b[?2004l";

export function createTerminal(io: Io, events: TerminalEvents): Terminal {
  const { paint } = lookOf(io.stdout, io.env);
  const columns = () => columnsOf(io.stdout, io.env);
  const { write, freshLine, lineEnded, ...answer } = createTerminalOutput(io.stdout, paint);
  let facts: MeterFacts | undefined;
  let reading: ((line: string | undefined) => void) | undefined;
  let closed = false;
  let isDone = false;
  /** Lines that were typed ahead. */
  const queue: string[] = [];
  /** Lines of a message that isn't sent yet. */
  let begun: string[] = [];
  let isPasting = false;
  /** When Ctrl-C was pressed last. */
  let interruptedAt = Number.NEGATIVE_INFINITY;

  // While an answer is written nothing of what is typed may get in between; it shows when the prompt comes back.
  const out = new Writable({
    write(piece: Buffer, _, done) {
      if (reading !== undefined) io.stdout.write(piece.toString());
      done();
    },
  });
  Object.defineProperty(out, "columns", { get: columns });
  const resize = (): void => {
    if (reading !== undefined) show();
    out.emit("resize");
  };
  const stdout = io.stdout as Partial<NodeJS.WriteStream>;
  stdout.on?.("resize", resize);

  const input: Interface = createInterface({
    input: io.stdin,
    output: out,
    terminal: true,
    historySize: INPUTS_KEPT,
    completer: (line: string) => [
      line.startsWith("/") ? commandNames.filter((name) => name.startsWith(line)) : [],
      line,
    ],
  });
  io.stdout.write(PASTE_ON);

  const show = (): void => {
    const line = facts === undefined || begun.length > 0 ? "" : `${meterLine(facts, columns(), paint)}\n`;
    input.setPrompt(begun.length > 0 ? "… " : `${line}${paint("accent", PROMPT)}`);
    input.prompt(true);
  };
  /** Readline goes up as many rows as it drew last; after other output there is nothing of it to go up to. */
  const forgetRows = (): void => {
    Reflect.set(input, "prevRows", 0);
  };
  const eraseTyped = (): void => {
    const { rows } = input.getCursorPos();
    io.stdout.write(`${rows > 0 ? `\u001b[${rows}A` : ""}\r${ERASE_BELOW}`);
    forgetRows();
  };
  /** Writes above the line that is being typed. */
  const above = (text: string): void => {
    answer.busy(undefined);
    if (reading === undefined) {
      freshLine();
      write(text);
      return;
    }
    eraseTyped();
    write(text);
    show();
  };
  const give = (line: string | undefined): void => {
    const take = reading;
    reading = undefined;
    lineEnded();
    take?.(line);
  };

  io.stdin.on("keypress", (_: string | undefined, key: { readonly name?: string } | undefined) => {
    if (key?.name === "paste-start") isPasting = true;
    else if (key?.name === "paste-end") isPasting = false;
  });
  input.on("line", (typed) => {
    interruptedAt = Number.NEGATIVE_INFINITY;
    // A backslash at the end goes on in the next line, too.
    if (isPasting || typed.endsWith("\\")) {
      begun.push(isPasting ? typed : typed.slice(0, -1));
      if (reading !== undefined) show();
      return;
    }
    const line = [...begun, typed].join("\n");
    begun = [];
    if (reading === undefined) queue.push(line);
    else give(line);
  });
  input.on("SIGINT", () => {
    const isSecond = performance.now() - interruptedAt < TWICE_MS;
    interruptedAt = performance.now();
    if (isSecond) {
      events.quit();
      input.close();
    } else if (reading === undefined) events.interrupt();
    else if (input.line !== "" || begun.length > 0) {
      begun = [];
      input.write(null, { ctrl: true, name: "e" });
      input.write(null, { ctrl: true, name: "u" });
      show();
    } else above(`${paint("dim", "Ctrl-C again or Ctrl-D quits.")}\n`);
  });
  input.on("close", () => {
    if (closed) return;
    closed = true;
    if (reading !== undefined) io.stdout.write("\n");
    give(undefined);
  });

  return {
    ...answer,
    paint,
    get columns() {
      return columns();
    },
    async read() {
      const ahead = queue.shift();
      if (ahead !== undefined) {
        write(`${paint("accent", PROMPT)}${plainText(ahead)}\n`);
        return ahead;
      }
      if (closed) return undefined;
      return new Promise((resolve) => {
        freshLine();
        reading = resolve;
        forgetRows();
        show();
      });
    },
    output: (text) => above(`${text}\n`),
    notice: (tone, text) => above(`${paint(tone, `● ${plainText(text)}`)}\n`),
    meter(next) {
      facts = next;
      if (reading === undefined) return;
      eraseTyped();
      show();
    },
    close() {
      if (isDone) return;
      isDone = true;
      answer.busy(undefined);
      stdout.off?.("resize", resize);
      input.close();
      io.stdout.write(PASTE_OFF);
    },
  };
}

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const SPIN_MS = 100;
const ERASE_LINE = "\r\u001b[K";

/** What is written to a terminal from its top to its bottom. It knows whether a line has ended. */
interface TerminalOutput extends Pick<Screen, "text" | "reasoning" | "endAnswer" | "busy"> {
  write(text: string): void;
  /** Ends the line that was begun, if there is one. */
  freshLine(): void;
  /** The terminal itself ended the line. */
  lineEnded(): void;
}

function createTerminalOutput(stdout: Io["stdout"], paint: Paint): TerminalOutput {
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
