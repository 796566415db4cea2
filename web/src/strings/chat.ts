import { FATE_WORDS } from "../../../src/gateway/api.ts";
import { count, percent, short } from "../state/format.ts";
import { plural } from "./words.ts";

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

export const tabs = {
  label: "Ways to look at this conversation",
  chat: "Chat",
  inspect: "Inspect",
  timeline: "Timeline",
};

export const chat = {
  modelAt: (model: string, server: string) => `${model} (${server} answers)`,
  label: "Transcript",
  gone: "This conversation doesn't exist (any more).",
  goneFix: "It may have been deleted. Choose another one on the left.",
  empty: "Say something to begin.",
  noMessage: (number: number, total: number) =>
    `There is no message #${number} here: this conversation ends with #${total}.`,
  system: "System prompt",
  toBottom: "Jump to the newest message",
  model: "Model",
  otherModel: (named: string, used: string) =>
    `This conversation names the model ${named}, which no server here has: ${used} answers. You can choose another one beside the title.`,
  details: "Chat settings",
  answering: "Writing…",
  thinking: "Thinking…",
  elsewhere: "An answer is being written…",
  reasoning: "Reasoning",
  source: (number: string, title: string) => `Source ${number}: ${title}`,
  result: "Result",
  error: "Error",
  image: "Image",
  remoteImage: (host: string) => `Image from ${host}`,
  remoteImageHelp: "Not loaded: it would tell that server about you. Open it in a new tab?",
  openImage: "Open in a new tab",
  file: (name: string) => `File ${name}`,
  frames: (n: number) => plural(n, "video frame"),
  other: (kind: string) => `Something of the kind “${kind}”`,
  tokens: (n: number) => plural(n, "token"),
  billed: (n: number) => `${plural(n, "token")} billed`,
  copy: "Copy text",
  actions: (number: string) => `Message ${number}`,
  edit: "Edit",
  tooLongFor: (tokens: number, model: string, budget: number) =>
    `Your message has ${plural(tokens, "token")}; ${model} takes ${count(budget)} at most.`,
  tooLong: (hasLarger: boolean) =>
    `Shorten it (Edit, beside the message)${hasLarger ? ", let a model with a larger window answer," : ""} or set a larger window in the chat's settings, if the model has one.`,
  answerWith: (model: string, window: number) => `Answer with ${model} (${short(window)})`,
  editHelp: "Enter sends. The earlier version stays; you can go back to it.",
  sendEdit: "Send",
  version: (n: number, all: number) => `${n} of ${all}`,
  earlierVersion: "Previous version",
  laterVersion: "Next version",
  regenerate: "Answer again",
  moreActions: "More actions",
  fork: "Fork from here",
  pin: "Pin: always show this to the model",
  unpin: "Unpin",
  pinned: "Pinned",
  nowPinned: "Pinned: the model always sees this message.",
  nowUnpinned: "Unpinned.",
  unfinished: { stopped: "Stopped", broken: "Broke off", length: "Cut off" },
  unfinishedHelp: {
    stopped: "You stopped this answer; what had come is kept.",
    broken: "This answer didn't come to its end; what had come is kept.",
    length: "This answer reached its length limit.",
  },
  lookups: {
    line: (query: string, found: number) =>
      `Looked up: ${query}, ${found === 0 ? "nothing found" : plural(found, "passage")}`,
    show: (number: string) => `Show message ${number}`,
  },
  unanswered: "This message has no answer yet.",
  noAnswer: "No answer",
  emptyAnswer: "The model's answer is empty.",
  emptyAgain: "Another try may bring an answer.",
  half: {
    stopped: "You stopped the answer.",
    broken: "The answer broke off.",
    length: "The answer reached its length limit.",
  },
  halfFix: "Ask the model to go on, or raise “Longest answer” in the chat's settings.",
  answered: (words: number) => `The answer is there: ${plural(words, "word")}.`,
  forkOf: (title: string) => `Fork of “${title}”`,
  forkAt: (length: number) => `after ${plural(length, "message")}`,
  copyCode: "Copy code",
  done: "Done",
  open: "To do",
  table: "Table",
  showAll: "Show all",
  lines: (n: number) => plural(n, "line"),
  showLess: "Show less",
  checkKey: "Check the key in Settings",
};

export const fates = {
  kept: capital(FATE_WORDS.kept),
  edited: capital(FATE_WORDS.shortened),
  covered: capital(FATE_WORDS.covered),
  dropped: capital(FATE_WORDS.dropped),
  help: {
    kept: "The model sees this word for word.",
    edited: "The model sees a shorter form.",
    covered: "The model doesn't see this; a summary speaks for it.",
    dropped: "The model doesn't see this.",
  },
};

export const composer = {
  label: "Message",
  placeholder: "Write a message",
  offlinePlaceholder: "Ask about what this conversation holds",
  send: "Send",
  sendLater: "Send when the answer is there",
  stop: "Stop",
  attach: "Add images, texts or PDFs",
  attached: (n: number) => `Image ${n}`,
  removeImage: (n: number) => `Remove image ${n}`,
  hint: "Enter sends, Shift+Enter makes a new line",
  busyHint: "An answer is being written: Enter sends your message after it, Esc stops it",
  removeFile: (name: string) => `Remove ${name}`,
  pasted: (n: number) => (n === 1 ? "Pasted text" : `Pasted text ${n}`),
  reading: (name: string) => `Reading ${name}…`,
  size: (chars: number) => (chars < 1_000 ? plural(chars, "character") : `${short(chars)} characters`),
  tooLarge: (name: string) => `${name} is larger than 10 MB, the most that is attached to a message.`,
  notText: (name: string) => `${name} isn't a text, a PDF or an image.`,
  brokenPdf: (name: string) => `${name} can't be read as a PDF.`,
  emptyPdf: (name: string) => `${name} holds pictures only, no text.`,
  openFix: "To open a transcript, drop it on the page outside of the message box.",
};

export const outbox = {
  label: "Not sent yet",
  sending: "Sending…",
  offline: "Not sent: there is no connection. It goes out by itself as soon as there is one.",
  busy: "Not sent yet: an answer is being written. It goes out by itself afterwards.",
  behind: "Not sent yet: it goes out by itself after the message before it.",
  sendNow: "Send now",
  takeBack: "Back into the box",
};

export const meter = {
  word: "Tokens:",
  figures: (used: number, budget: number, ratio: number) =>
    `${count(used)} / ${count(budget)} (${percent(ratio)})`,
  short: (used: number, budget: number) => `${short(used)} / ${short(budget)}`,
  label: "What fills the view",
  busy: "Summarising…",
  fill: {
    system: "System prompt",
    summary: "Summaries",
    user: "You",
    assistant: "Assistant",
    tool: "Tool results",
    image: "Images",
  },
  tools: "Tools",
  toolsHelp: "taken from the window beforehand",
  free: "Free",
  startsIn: (tokens: number, ratio: number) =>
    `Compaction starts at ${percent(ratio)}: in about ${plural(Math.max(1, Math.round(tokens)), "token")}.`,
  allPinned: (ratio: number) =>
    `Compaction starts at ${percent(ratio)}, but everything is pinned, so nothing can be hidden. Unpin some messages, or choose a larger window.`,
  /** Compaction starts now: what the next message brings. */
  next: {
    compaction: (ratio: number) => `Compaction starts at ${percent(ratio)}: with the next message.`,
    "nothing-to-gain": (ratio: number) =>
      `Compaction starts at ${percent(ratio)}, but there is nothing to gain yet: a summary would be no smaller than what it stands for.`,
    held: (ratio: number) =>
      `Compaction starts at ${percent(ratio)}. It waits: the last one was undone or is still new, or there is hardly anything to gain yet.`,
    impossible: () =>
      "System prompt and last message alone don't fit the budget: shorten them, or choose a larger window.",
  },
  noWindow:
    "No model is connected yet, so there is no window to compare it with. Set a window in the chat's settings to see what would happen.",
  off: "Automatic compaction is off for this chat.",
  budget: (window: number, reserve: number, tools: number, safety: number) =>
    `Window ${count(window)} − ${count(reserve)} for the answer − ${count(tools)} for tools − ${count(safety)} for safety`,
  compactNow: "Compact now",
};
