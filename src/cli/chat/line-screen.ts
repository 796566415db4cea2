import type { Io } from "../io.ts";
import { lookOf } from "../paint.ts";
import { plainText } from "../plain-text.ts";
import { meterLine } from "./meter.ts";
import type { Screen } from "./screen.ts";

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
