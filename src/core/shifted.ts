import type { Run } from "./types.ts";

/** The same run, counted from another beginning. */
export function shifted({ from, to }: Run, by: number): Run {
  return { from: from + by, to: to + by };
}
