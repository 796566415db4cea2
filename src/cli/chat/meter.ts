import { stripVTControlCharacters } from "node:util";
import type { ApiPressure } from "../../gateway/api.ts";
import { formatCount, formatShort } from "../format.ts";
import type { Paint, Tone } from "../paint.ts";

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
    ? "no window to compare it with"
    : pressure.isAllPinned
      ? "can't compact: everything is pinned"
      : `compacts at ${Math.round(startsAt * 100)} %`;
  const more = [model, auto ? when : "compacts only when asked"];
  for (const text of more) {
    const next = `${line} · ${text}`;
    if (stripVTControlCharacters(next).length > columns) break;
    line += paint("dim", ` · ${text}`);
  }
  return line;
}
