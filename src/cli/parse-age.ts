import { UsageError } from "./usage-error.ts";

const UNITS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** `30d`, `12h`, `90m`, `4w` in milliseconds. */
export function parseAge(flag: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)([mhdw])$/.exec(text);
  const unit = match?.[2] === undefined ? undefined : UNITS[match[2]];
  if (match && unit !== undefined) return Number(match[1]) * unit;
  throw new UsageError(`--${flag} ${text}: give minutes, hours, days or weeks, such as 90m, 12h, 30d or 4w.`);
}
