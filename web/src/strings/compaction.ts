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
    `${reason === undefined ? "" : `Why: ${reasons[reason]}. `}You can keep chatting; nothing is lost.`,
  cancel: "Cancel",
  /** What a compaction did with messages; shortened ones are mentioned only where nothing else was done. */
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
  countedThen: "tokens as counted at the time",
  model: (name: string) => `by ${name}`,
  found: "reused from earlier",
  edited: "edited by you",
  free: "No model is used: it costs nothing.",
  /** The tokens of a summary that succeeds at once, its price then, and the most it can cost with retries and reasoning. */
  price: (model: string, tokens: number, value: number | undefined, most: number | undefined) =>
    `${model} reads about ${count(tokens)} tokens for this, ${value === undefined || most === undefined ? "at most twice as many; its prices are unknown" : `for ${value < 0.0001 ? "" : "about "}${dollars(value)}, ${dollars(most)} at most`}.`,
  /** The same of a part of the conversation, or of all of it. */
  about: (model: string, tokens: number, value: number | undefined) =>
    `${model} reads about ${count(tokens)} tokens for this${value === undefined ? "; its prices are unknown" : `, for ${value < 0.0001 ? "" : "about "}${dollars(value)}`}.`,
  /** What a model was paid; 0: it has no known prices. */
  cost: (value: number) => (value === 0 ? "cost unknown" : dollars(value)),
  key: { client: "paid with the client's key", server: "paid with the server's key" },
  /** What a compaction did that one may not expect. */
  warnings: {
    "summaries-unused":
      "No model was asked for a summary: an early message changes with every request, so the last summaries couldn't be reused.",
    "summaries-too-dear":
      "No model was asked for a summary: summaries have used up their share of this chat's cost.",
    "summarizer-busy": "No model was asked for a summary: too many others were being written.",
    "summarizer-resting":
      "No model was asked for a summary: it failed recently and will be tried again later.",
    "no-room-for-summaries":
      "No model was asked for a summary: the system prompt, pins and newest message leave no room for one.",
    "tail-shortened": "Fewer recent messages were kept than the settings say, because no more fit.",
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
    "This can't be edited: it consists of exact lines from the messages. Pin a message to show all of it to the model, or choose a summarizer in the chat's settings and rebuild.",
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
    `All ${count(tokens)} tokens fit this model's window of ${count(window)}, so nothing needs summarising.`,
  seeInNoModel: (tokens: number) =>
    `This is ${count(tokens)} tokens. No model is connected yet, so nothing needs summarising.`,
  seeInHelp: (window: string) =>
    `A model with a window of ${window} would need a summary. Trying it changes nothing.`,
  over: (tokens: number, budget: number) =>
    `${count(tokens)} tokens don't fit the budget of ${count(budget)}.`,
  overHelp: "Older messages will be summarised before the next answer.",
  overImpossible:
    "The system prompt and last message alone are too long. Shorten them, or choose a larger window in the chat's settings.",
  now: "Do it now",
  edit: "Edit",
  editLabel: "Text of the summary",
  rebuild: "Rebuild from the originals",
  rebuildHelp: "The summaries are rewritten from the original messages. You can undo this.",
  rebuildGo: "Rebuild",
  again: "Compact again…",
  undo: "Undo",
  undoHelp: "The model sees the originals again.",
  undone: "Undone: the model sees the originals again.",
  saved: "Saved: the model sees your text from now on.",
  restored: "The summaries are back.",
  cleared: "Cleared: the model sees the whole transcript again. The next summary starts from scratch.",
  cancelled: "Cancelled. Nothing was changed.",
  failed: "The summary failed.",
  writeAgain: "Write it again",
  failedInstead: (rung: RungName) => `Done instead: ${rungs[rung].toLowerCase()}.`,
  failedNothing: "Nothing was changed.",
  nothingToGain: "There is nothing to gain: a summary would be no shorter than the messages it replaces.",
  justCompacted:
    "The chat was just compacted and has no new messages, so nothing changed. To go further, compact a range, or say what the summary should focus on.",
  upTo: (number: string) => `Compact up to ${number}`,
  run: (run: string) => `Compact ${run}`,
  upToHere: "Compact up to here",
  startRange: "Start range here",
  rangeStart: "Range starts here",
  rangeTo: (number: string) => `Compact from ${number} to here`,
  onlyThis: "Compact this message",
  forgetRange: "Cancel the range",
  focusTitle: "Compact now",
  focusLabel: "What should the summary focus on? (optional)",
  focusPlaceholder: "e.g. the database migration and the open questions",
  focusHelp: "Older messages are summarised now. The transcript stays unchanged, and you can undo this.",
  focusGo: "Compact",
  gainLooking: "Estimating the savings…",
  gain: (before: number, after: number) =>
    `${count(before)} → about ${count(after)} tokens: frees about ${count(before - after)} (${percent(1 - after / before)}).`,
};
