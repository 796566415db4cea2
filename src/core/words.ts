import type { DropReason, Reason, RungName, StrategyName } from "./types.ts";

/**
 * The words people read for the names in reports. Page, command line, HTML reports and docs take them from here, so that each
 * thing has one name everywhere. JSON, headers and metrics use the names themselves. The words for why a part was changed are
 * in `edits.ts`.
 */

/** Why a compaction was due; each text follows "because". */
export const REASON_WORDS: Readonly<Record<Reason, string>> = {
  pressure: "the view was nearly full",
  budget: "the view was over the budget",
  "cold-cache": "the provider's cache had expired, so it cost nothing extra",
  pause: "the conversation had paused",
  messages: "the number of messages was reached",
  turns: "the number of turns was reached",
  rejected: "the provider rejected the request as too long",
  forced: "it was requested",
  "invalid-checkpoint": "an earlier message was changed",
};

/** How the view was made to fit. */
export const RUNG_WORDS: Readonly<Record<RungName, string>> = {
  "nothing-due": "Nothing due",
  reductions: "Shortened old results",
  "known-summaries": "Reused summaries",
  continuation: "Summary by the chat's own model",
  full: "Summary by a model",
  simple: "Simple summary by a model",
  extractive: "Exact lines, no model",
  drop: "Left messages out",
  "hard-cut": "Cut long messages",
};

/** What can become of a message. */
export type FateName = "kept" | "shortened" | "covered" | "dropped";

/** What happened to a message. */
export const FATE_WORDS: Readonly<Record<FateName, string>> = {
  kept: "kept",
  shortened: "shortened",
  covered: "summarised",
  dropped: "left out",
};

/** Why a summarised message isn't shown. */
export const COVERED_WORDS = "it is in the summary";

/** Why a message was left out. */
export const DROP_WORDS: Readonly<Record<DropReason, string>> = {
  orphan: "its tool call or result is missing",
  budget: "no room left",
  strategy: "the strategy leaves it out",
  empty: "it is empty",
  reasoning: "only old reasoning",
};

/** Why a message is shown verbatim. */
export type KeepReason = "head" | "pinned" | "last-user-message" | "tail" | "new" | "kept";

/** Why a message was kept; "" where there is nothing to add. */
export const KEEP_WORDS: Readonly<Record<KeepReason, string>> = {
  head: "always shown",
  pinned: "pinned",
  "last-user-message": "the last user message",
  tail: "recent",
  new: "newer than the last compaction",
  kept: "",
};

/** What a strategy is called, and what it does. */
export const STRATEGY_WORDS: Readonly<
  Record<StrategyName, { readonly label: string; readonly help: string }>
> = {
  none: { label: "Off", help: "Nothing is changed. A conversation that is too long can't be sent." },
  "truncate-oldest": { label: "Truncate oldest", help: "The oldest messages are left out. No summary." },
  "drop-middle": {
    label: "Keep start and end",
    help: "The first turn and newest messages are kept; the middle is left out.",
  },
  "drop-all": {
    label: "Keep only the last message",
    help: "Everything but the last user message is left out.",
  },
  "summarize-oldest": {
    label: "Summarise oldest",
    help: "Older messages become a summary; the newest are kept verbatim.",
  },
  "summarize-middle": {
    label: "Summarise the middle",
    help: "The first user message and the newest messages are kept verbatim; everything between becomes a summary.",
  },
  "summarize-and-drop": {
    label: "Summarise everything",
    help: "All but the last user message becomes a summary.",
  },
  "tool-summaries": { label: "Summarise tool use", help: "Only finished tool calls are summarised." },
};

/** Numbers as people read them, in a terminal and on the page; the same in every locale, so that outputs can be compared. */

/** 1234567 → `1,234,567`. */
export const formatCount = (value: number): string =>
  Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");

/** Dollars: `$1,234`, `$1.20`, `$0.0042`, and of less than a hundredth of a cent that it is less. */
export function formatDollars(value: number): string {
  if (value === 0) return "$0";
  if (value < 0.0001) return "less than $0.0001";
  if (value >= 100) return `$${formatCount(value)}`;
  return `$${value >= 0.1 ? value.toFixed(2) : value.toFixed(4).replace(/0{1,2}$/, "")}`;
}
