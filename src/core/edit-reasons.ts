/** Why a part of a message was changed, in words for people. Whoever needs the reasons or the words takes them from here. */
export const EDIT_REASONS = {
  "old-image": "old image left out",
  "old-reasoning": "old reasoning left out",
  "signed-reasoning": "reasoning left out that was signed for the earlier prompt",
  "superseded-result": "the same was read again later",
  "large-result": "large old result clipped",
  "old-retrieval": "old passages became their source ids",
  "tail-result": "large recent result clipped",
  "hard-cut": "cut to fit the budget",
  summary: "takes the summary",
  "host-state": "the host's state of the work joined it",
  recall: "what was recalled for it joined it",
  "interface-only": "fields for the interface left out",
} as const satisfies Readonly<Record<string, string>>;

/** Why a part was changed. */
export type EditReason = keyof typeof EDIT_REASONS;
