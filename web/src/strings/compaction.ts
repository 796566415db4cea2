import type { Reason, RungName } from "../../../src/gateway/api.ts";
import { count, dollars } from "../state/format.ts";
import { reasons, rungs } from "./names.ts";
import { plural } from "./plural.ts";

export const compaction = {
  running: "Summarising older messages",
  runningWhy: (reason: Reason | undefined) =>
    `${reason === undefined ? "" : `Why: ${reasons[reason]}. `}You can go on; nothing is lost.`,
  cancel: "Cancel",
  covered: (n: number) => `${plural(n, "message")} covered`,
  tokens: (before: number, after: number) => `${count(before)} → ${count(after)} tokens`,
  model: (name: string) => `by ${name}`,
  noModel: "without a model",
  edited: "edited by you",
  cost: (value: number) => (value === 0 ? "free" : dollars(value)),
  why: (reason: Reason) => `because ${reasons[reason]}`,
  show: "Show",
  read: "Read the summary",
  hide: "Hide the summary",
  summaryOf: (run: string) => `Messages ${run}`,
  whatModelSees: "What the model sees in their place",
  edit: "Edit",
  editLabel: "Text of the summary",
  rebuild: "Rebuild from the originals",
  again: "Compact again…",
  undo: "Undo",
  undoHelp: "The model sees the originals again.",
  failed: "A summary failed.",
  failedInstead: (rung: RungName) => `Done instead: ${rungs[rung].toLowerCase()}.`,
  failedNothing: "Nothing was changed.",
  nothingToGain: "There is nothing to gain: a summary would be no smaller than what it stands for.",
  focusTitle: "Compact now",
  focusLabel: "What should the summary pay attention to? (optional)",
  focusPlaceholder: "e.g. the database migration and the open questions",
  focusHelp: "Older messages become a summary now. The transcript stays as it is, and you can undo it.",
  focusGo: "Compact",
};
