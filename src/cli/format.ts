/** Numbers in a terminal. */

export { formatCount, formatDollars } from "../core/number-words.ts";

/** 950 → `950`, 12345 → `12.3k`, 1234567 → `1.23M`. */
export function formatShort(value: number): string {
  if (value >= 999_500) return `${trim((value / 1e6).toFixed(value < 1e7 ? 2 : 1))}M`;
  if (value >= 1_000) return `${trim((value / 1e3).toFixed(value < 1e5 ? 1 : 0))}k`;
  return String(Math.round(value));
}

/** 0.1234 → `12.3 %`. */
export const formatShare = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`;

/** How much less (or more) the first is than the second: `−61.6 %`. */
export function formatChange(value: number, base: number): string {
  if (base === 0) return "±0 %";
  const change = value / base - 1;
  if (Math.abs(change) < 0.0005) return "±0 %";
  return `${change < 0 ? "−" : "+"}${Math.abs(change * 100).toFixed(1)} %`;
}

/** A moment to the minute: `2026-01-31 23:59`. */
export const formatTime = (at: number): string => new Date(at).toISOString().replace("T", " ").slice(0, 16);

const trim = (text: string): string => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
