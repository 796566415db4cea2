import type { Settings } from "./settings.ts";

/** Share of the landing that model-written records may take together. */
const NARRATIVE_SHARE = 0.25;
/** Records that outgrew their share a little are shown until there are enough of them for a merge. */
export const RECORDS_SLACK = 1.25;
/** A record shorter than this says nothing (tokens). */
export const LEAST_RECORD = 200;
/** With room for fewer records than this, each new one would bring a merge with it. */
const LEAST_RECORDS = 4;

/** Tokens that all records together may take in the summary message. */
export function narrativeShare({ shares, summary }: Settings, landing: number): number {
  return Math.min(summary.cap, Math.floor(Math.max(0, landing) * (shares.narrative ?? NARRATIVE_SHARE)));
}

/** Where hardly more than one record would be shown, there is one, which takes in what is new. */
export function isRolling({ summary, freeMerge }: Settings, share: number): boolean {
  return summary.merge === "rolling" || (freeMerge && share * RECORDS_SLACK < LEAST_RECORDS * LEAST_RECORD);
}

/** Tokens of the one record: all of the share for a host that wants one, the least where more don't have room. */
export function rollingCeiling({ summary }: Settings, share: number): number {
  return Math.max(LEAST_RECORD, summary.merge === "rolling" ? share : 0);
}
