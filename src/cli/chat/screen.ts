import { stripVTControlCharacters } from "node:util";
import type { ApiPressure } from "../../gateway/api.ts";
import { formatCount, formatShort, plainText } from "../format.ts";
import { type Io, lookOf, type Paint, type Tone } from "../io.ts";

/** Where a chat is shown: a terminal, plain lines for scripts, or JSON. */
export interface Screen {
  readonly columns: number;
  text(piece: string): void;
  /** A piece of what the model thought before it. */
  reasoning(piece: string): void;
  endAnswer(stopped: boolean): void;
  /** What a command was asked for. */
  output(text: string): void;
  /** Something beside the conversation. */
  notice(tone: Tone, text: string): void;
  /** Something takes a while (undefined: no longer). */
  busy(label: string | undefined): void;
  meter(facts: MeterFacts | undefined): void;
}

const TONES: Readonly<Record<ApiPressure["level"], Tone>> = { green: "good", yellow: "warn", red: "bad" };

/** What the meter is drawn from: the server's own report, and what the chat is about. */
export interface MeterFacts {
  readonly pressure: Pick<
    ApiPressure,
    "pressure" | "tokens" | "budget" | "level" | "startsAt" | "isAllPinned" | "isOpen"
  >;
  /** The model's name, or that there is none. */
  readonly model: string;
  readonly auto: boolean;
}

/** `Tokens: x / y (z %)` in its colour, with as much of the rest as the terminal has room for. */
export function meterLine({ pressure, model, auto }: MeterFacts, columns: number, paint: Paint): string {
  const { tokens, budget, level, startsAt } = pressure;
  const share = `${Math.round(pressure.pressure * 100)} %`;
  const long = pressure.isOpen
    ? `Tokens: ${formatCount(tokens)}`
    : `Tokens: ${formatCount(tokens)} / ${formatCount(budget.budget)} (${share})`;
  const short = pressure.isOpen
    ? formatShort(tokens)
    : `${formatShort(tokens)}/${formatShort(budget.budget)} ${share}`;
  const meter = long.length <= columns ? long : short.slice(0, columns);
  let line = paint(TONES[level], meter);
  const when = pressure.isOpen
    ? "unknown window"
    : pressure.isAllPinned
      ? "can't compact: everything is pinned"
      : `compacts at ${Math.round(startsAt * 100)} %`;
  const more = [model, auto ? when : "compacts only on request"];
  for (const text of more) {
    const next = `${line} · ${text}`;
    if (stripVTControlCharacters(next).length > columns) break;
    line += paint("dim", ` · ${text}`);
  }
  return line;
}

/** For scripts: answers and what commands were asked for on stdout, everything else on stderr. */
export function lineScreen(io: Io): Screen {
  const { columns, paint } = lookOf(io.stderr, io.env);
  let last = "\n";
  const write = (text: string): void => {
    if (text === "") return;
    io.stdout.write(text);
    last = text.slice(-1);
  };
  return {
    columns,
    text: (piece) => write(plainText(piece)),
    reasoning: () => {},
    endAnswer(stopped) {
      if (last !== "\n") write("\n");
      if (stopped) io.stderr.write("(stopped)\n");
    },
    output: (text) => write(`${text}\n`),
    notice: (tone, text) => io.stderr.write(`${paint(tone, plainText(text))}\n`),
    busy: () => {},
    meter(facts) {
      if (facts !== undefined) io.stderr.write(`${meterLine(facts, columns, paint)}\n`);
    },
  };
}

/** For programs: one JSON object per line on stdout, and nothing else. */
export function jsonScreen(io: Io): Screen {
  let answer = "";
  const write = (value: object): void => {
    io.stdout.write(`${JSON.stringify(value)}\n`);
  };
  return {
    columns: Number.MAX_SAFE_INTEGER,
    text(piece) {
      answer += piece;
      write({ type: "text", text: piece });
    },
    reasoning: (text) => write({ type: "reasoning", text }),
    endAnswer(stopped) {
      write({ type: "answer", text: answer, stopped });
      answer = "";
    },
    output: (text) => write({ type: "output", text }),
    notice: (tone, text) => write({ type: "notice", tone, text }),
    busy: () => {},
    meter(facts) {
      if (facts === undefined) return;
      const { pressure, model } = facts;
      const { tokens, budget, level, startsAt } = pressure;
      write({
        type: "meter",
        tokens,
        ...(!pressure.isOpen && { budget: budget.budget, pressure: pressure.pressure }),
        level,
        startsAt,
        model,
      });
    },
  };
}
