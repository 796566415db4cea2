import { resampled } from "../../src/eval/bootstrap.ts";

/** The middle of a list of numbers: one slow run on a busy machine doesn't move it. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Milliseconds of processor time that something takes: unlike the clock it doesn't count what others do meanwhile. */
export async function time(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

export const round = (value: number, digits = 3): number => Number(value.toFixed(digits));

/** The median of values, and the interval that holds 95 of 100 medians of as many of them drawn again. */
export function withInterval(values: readonly number[]): { median: number; low: number; high: number } {
  const drawn = (random: () => number) =>
    median(values.map(() => values[Math.floor(random() * values.length)]!));
  const { low, high } = resampled(1, drawn);
  return { median: round(median(values)), low: round(low), high: round(high) };
}
