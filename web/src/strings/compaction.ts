import type { Reason, RungName } from "../../../src/gateway/api.ts";
import { count, dollars, percent } from "../state/format.ts";
import { plural, reasons, rungs } from "./words.ts";

/** How many messages a compaction hid or shortened, and how. */
interface Hidden {
  readonly covered: number;
  readonly dropped: number;
  readonly edited: number;
}

export const compaction = {
  running: "Summarising older messages",
  runningWhy: (reason: Reason | undefined) =>
    `${reason === undefined ? "" : `Why: ${reasons[reason]}. `}You can go on; nothing is lost.`,
  cancel: "Cancel",
  /** What a compaction did with messages; shortened ones are told only where nothing else was done. */
  done: ({ covered, dropped, edited }: Hidden) =>
    covered + dropped === 0
      ? `${plural(edited, "message")} shortened`
      : [
          ...(covered > 0 ? [`${plural(covered, "message")} summarised`] : []),
          ...(dropped > 0 ? [`${plural(dropped, "message")} left out`] : []),
        ].join(", "),
  label: (done: string, last: string) => `${done}, after ${last}`,
  tokens: (before: number, after: number) => `${count(before)} → ${count(after)} tokens`,
  /** Later counts may differ: precis learns how a provider counts. */
  countedThen: "tokens as counted then",
  model: (name: string) => `by ${name}`,
  found: "made earlier for the same messages",
  edited: "edited by you",
  free: "No model is asked: it costs nothing.",
  /** What a summary takes where it is right at once, and its price then and at most: second tries and thoughts included. */
  price: (model: string, tokens: number, value: number | undefined, most: number | undefined) =>
    `${model} reads about ${count(tokens)} tokens for it, ${value === undefined || most === undefined ? "at most twice as many; its prices aren't known" : `for ${value < 0.0001 ? "" : "about "}${dollars(value)}, ${dollars(most)} at most`}.`,
  /** The same of a part of the conversation, or of all of it. */
  about: (model: string, tokens: number, value: number | undefined) =>
    `${model} reads about ${count(tokens)} tokens for it${value === undefined ? "; its prices aren't known" : `, for ${value < 0.0001 ? "" : "about "}${dollars(value)}`}.`,
  /** What a model was paid; 0: it has no known prices. */
  cost: (value: number) => (value === 0 ? "cost unknown" : dollars(value)),
  key: { client: "paid with the client's key", server: "paid with the server's key" },
  /** What a compaction did otherwise than one may expect. */
  warnings: {
    "summaries-unused":
      "No model was asked for a summary: an early message is another one in each request, so the last summaries couldn't be used.",
    "summaries-too-dear":
      "No model was asked for a summary: summaries have cost their share of what the chat itself costs.",
    "summarizer-busy": "No model was asked for a summary: too many others were being written.",
    "summarizer-resting":
      "No model was asked for a summary: it failed lately, and is asked again in a while.",
    "no-room-for-summaries":
      "No model was asked for a summary: system prompt, pins and the newest message leave no room to show one.",
    "tail-shortened": "Fewer of the newest messages stayed than the settings say: more don't fit.",
  } as Readonly<Partial<Record<string, string>>>,
  why: (reason: Reason) => `because ${reasons[reason]}`,
  show: "Show",
  read: "Read the summary",
  hide: "Hide the summary",
  more: "More",
  less: "Less",
  summaryOf: (run: string) => `Messages ${run}`,
  whatModelSees: "What the model sees in their place",
  form: "How the summary is shown",
  readable: "Readable",
  asSent: "As sent",
  noEdit:
    "No model wrote this: code chose exact lines of the messages, so there are no words to edit. Pin a message to have the model see all of it, or choose a summariser in the chat's settings and rebuild.",
  sections: {
    narrative: "Summary",
    words: "What you said",
    answers: "What the assistant said",
    lines: "Exact lines",
    said: "Said earlier",
    sources: "Sources",
    files: "Files",
    states: "Done and open",
    state: "Where the work stands",
  },
  /** The whole idea in one sentence, with this conversation's numbers. */
  guide: ({ covered, dropped, edited }: Hidden, before: number, after: number) => {
    const messages = covered || dropped || edited;
    const became = covered > 0 ? "now a summary" : dropped > 0 ? "now left out" : "now shortened";
    return `${plural(messages, "older message")} ${messages === 1 ? "is" : "are"} ${became}: ${count(before)} → ${count(after)} tokens.`;
  },
  guideHelp: (cost: number) =>
    `Nothing of the transcript is lost.${cost === 0 ? "" : ` The summary cost ${dollars(cost)}.`}`,
  sides: "Before and after",
  seeIn: (window: string) => `See it in ${window}`,
  seeInTitle: (tokens: number, window: number) =>
    `All ${count(tokens)} tokens fit this model's window of ${count(window)}, so nothing has to be summarised.`,
  seeInNoModel: (tokens: number) =>
    `These are ${count(tokens)} tokens. No model is connected yet, so nothing has to be summarised.`,
  seeInHelp: (window: string) =>
    `A model with a window of ${window} would need a summary. Nothing is lost by looking.`,
  over: (tokens: number, budget: number) =>
    `${count(tokens)} tokens don't fit the budget of ${count(budget)}.`,
  overHelp: "Older messages become a summary before the next answer.",
  overImpossible:
    "System prompt and last message alone are too long for it: shorten them, or choose a larger window in the chat's settings.",
  now: "Do it now",
  edit: "Edit",
  editLabel: "Text of the summary",
  rebuild: "Rebuild from the originals",
  rebuildHelp: "The summaries are written anew from the messages themselves. You can undo it.",
  rebuildGo: "Rebuild",
  again: "Compact again…",
  undo: "Undo",
  undoHelp: "The model sees the originals again.",
  undone: "Undone: the model sees the originals again.",
  saved: "Saved: the model reads your words from now on.",
  restored: "The summaries are back.",
  cleared: "Cleared: the model sees the whole transcript again, and the next summary is written anew.",
  cancelled: "Cancelled. Nothing was changed.",
  failed: "A summary failed.",
  failedInstead: (rung: RungName) => `Done instead: ${rungs[rung].toLowerCase()}.`,
  failedNothing: "Nothing was changed.",
  nothingToGain: "There is nothing to gain: a summary would be no smaller than what it stands for.",
  justCompacted:
    "It was just compacted and nothing was said since; the view stays as it is. To go further, compact a part, or say what the summary should pay attention to.",
  upTo: (number: string) => `Compact up to ${number}`,
  run: (run: string) => `Compact ${run}`,
  upToHere: "Compact up to here",
  startRange: "Start a range here",
  rangeStart: "A range starts here",
  rangeTo: (number: string) => `Compact from ${number} to here`,
  onlyThis: "Compact this message",
  forgetRange: "Forget the start of the range",
  focusTitle: "Compact now",
  focusLabel: "What should the summary pay attention to? (optional)",
  focusPlaceholder: "e.g. the database migration and the open questions",
  focusHelp: "Older messages become a summary now. The transcript stays as it is, and you can undo it.",
  focusGo: "Compact",
  gainLooking: "Working out what it frees…",
  gain: (before: number, after: number) =>
    `${count(before)} → about ${count(after)} tokens: it frees about ${count(before - after)} (${percent(1 - after / before)}).`,
};
