import {
  type DropReason,
  EDIT_REASONS,
  type Reason,
  type RungName,
  type StrategyName,
} from "../../../src/gateway/api.ts";

/** What a person calls the reasons, steps and strategies that the server names. */

export const reasons: Readonly<Record<Reason, string>> = {
  pressure: "the view was nearly full",
  budget: "the budget was reached",
  "cold-cache": "the provider's cache had expired, so it cost nothing extra",
  pause: "there was a pause",
  messages: "the number of messages was reached",
  turns: "the number of turns was reached",
  rejected: "the provider refused the request as too long",
  forced: "you asked for it",
  "invalid-checkpoint": "an earlier message was changed",
};

export const rungs: Readonly<Record<RungName, string>> = {
  "nothing-due": "Nothing due",
  reductions: "Shortened old results",
  "known-summaries": "Used summaries it had",
  continuation: "Summary by the chat's own model",
  full: "Summary by a model",
  simple: "Simple summary by a model",
  extractive: "Exact lines, no model",
  drop: "Left messages out",
  "hard-cut": "Cut long messages",
};

export const dropReasons: Readonly<Record<DropReason, string>> = {
  orphan: "its tool call or result is gone",
  budget: "no room left",
  strategy: "the strategy leaves it out",
  empty: "nothing in it",
  reasoning: "only old reasoning",
};

export const editReasons = EDIT_REASONS;

export const keepReasons = {
  head: "always shown",
  pinned: "pinned by you",
  "last-user-message": "your last message",
  tail: "recent",
  new: "newer than the last compaction",
  kept: "",
} as const;

export const strategies: Readonly<Record<StrategyName, { label: string; help: string }>> = {
  "summarize-oldest": {
    label: "Summarise oldest",
    help: "Older messages become a summary; the newest stay word for word.",
  },
  "summarize-middle": {
    label: "Summarise the middle",
    help: "Your first message and the newest stay word for word; what lies between becomes a summary.",
  },
  "drop-middle": {
    label: "Keep start and end",
    help: "The first turn and the newest messages stay; the middle is left out.",
  },
  "truncate-oldest": { label: "Truncate oldest", help: "The oldest messages are left out. No summary." },
  "summarize-and-drop": {
    label: "Summarise everything",
    help: "All but your last message becomes a summary.",
  },
  "tool-summaries": { label: "Summarise tool work", help: "Only finished tool calls are summarised." },
  "drop-all": { label: "Keep only the last message", help: "Everything but your last message is left out." },
  none: { label: "Off", help: "Nothing is changed; a conversation that is too long can't be sent." },
};
