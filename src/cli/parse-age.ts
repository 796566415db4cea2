import { millisecondsIn } from "../config/sizes.ts";
import { UsageError } from "./usage-error.ts";

/** `30d`, `12h`, `90m`, `4w` in milliseconds. */
export function parseAge(flag: string, text: string): number {
  const age = millisecondsIn(text);
  if (age !== undefined) return age;
  throw new UsageError(`--${flag} ${text}: give minutes, hours, days or weeks, such as 90m, 12h, 30d or 4w.`);
}
