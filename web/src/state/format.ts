import { formatCount as count, formatDollars as dollars } from "../../../src/gateway/api.ts";

export { count, dollars };

/** 12.3k, for places with little room. */
export function short(value: number): string {
  if (value < 1_000) return String(Math.round(value));
  if (value < 99_950) return `${(value / 1_000).toFixed(1).replace(/\.0$/, "")}k`;
  if (value < 999_500) return `${Math.round(value / 1_000)}k`;
  return `${(value / 1_000_000).toFixed(1).replace(/\.0$/, "")}M`;
}

/** 42 % */
export const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`;

/** $0.05 of ticks that are `step` apart: all are written with as many digits. */
export const dollarTick = (value: number, step: number): string =>
  value === 0
    ? "$0"
    : `${value < 0 ? "−" : ""}$${Math.abs(value).toFixed(step >= 1 ? 0 : Math.max(2, -Math.floor(Math.log10(step))))}`;

/** 0.4 %, 12 %: a share of which a little matters. */
export const rate = (ratio: number): string =>
  ratio > 0 && ratio < 0.0995 ? `${(Math.max(ratio, 0.001) * 100).toFixed(1)} %` : percent(ratio);

/** −$0.12 */
export const signedDollars = (value: number): string => (value < 0 ? `−${dollars(-value)}` : dollars(value));

/** All times and dates are written as the browser's language has them: 14:03 or 2:03 PM, 18 Nov or Nov 18. */
const writing = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat(undefined, options);
  return (at: number): string => format.format(at);
};
export const hourOf = writing({ hour: "numeric", minute: "2-digit" });
const secondOf = writing({ hour: "numeric", minute: "2-digit", second: "2-digit" });
export const dayOf = writing({ day: "numeric", month: "short" });
export const minuteOf = writing({ day: "numeric", month: "short", hour: "numeric", minute: "2-digit" });
export const instant = writing({ dateStyle: "medium", timeStyle: "medium" });

/** 14:03:09 of today, or 18 Nov, 14:03. */
export const moment = (at: number, now = Date.now()): string =>
  new Date(at).toDateString() === new Date(now).toDateString() ? secondOf(at) : minuteOf(at);

/** 340 ms, 2.1 s, 3 min */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.round(ms / 60_000)} min`;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** now, 5 min ago, 3 h ago, 2 d ago, 14 Mar */
export function ago(at: number, now: number): string {
  const age = now - at;
  if (age < MINUTE_MS) return "now";
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min ago`;
  if (age < DAY_MS) return `${Math.floor(age / HOUR_MS)} h ago`;
  if (age < 7 * DAY_MS) return `${Math.floor(age / DAY_MS)} d ago`;
  return dayOf(at);
}

/** "32k", "1.5m", "12 000" → tokens; undefined for anything else. */
export function parseTokens(text: string): number | undefined {
  const match = /^([\d\s_,.]+?)\s*([km]?)$/i.exec(text.trim());
  if (!match) return undefined;
  const unit = match[2]!.toLowerCase();
  const written = match[1]!.replace(/[\s_]/g, "");
  // Without a unit, a point or a comma parts thousands: 1.5 is no 15.
  if (unit === "" && !/^(\d+|\d{1,3}([.,]\d{3})+)$/.test(written)) return undefined;
  const digits = unit === "" ? written.replace(/[,.]/g, "") : written.replace(",", ".");
  const value = Number(digits) * (unit === "k" ? 1_000 : unit === "m" ? 1_000_000 : 1);
  return Number.isFinite(value) && value > 0 ? Math.round(value) : undefined;
}

/** A moment of a stream: 1:05, or 1:02:05 after an hour. */
export function clock(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  const two = (n: number) => String(n).padStart(2, "0");
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(whole % 60)}`;
}
