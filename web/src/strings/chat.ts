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
  gone: "This conversation doesn't exist.",
  goneFix: "It may have been deleted. Choose another one from the list.",
  empty: "Write a message to begin.",
  noMessage: (number: number, total: number) =>
    `Message #${number} doesn't exist: this conversation ends with #${total}.`,
  system: "System prompt",
  toBottom: "Jump to the newest message",
  model: "Model",
  otherModel: (named: string, used: string) =>
    `This conversation names the model ${named}, which no connected server offers, so ${used} answers. You can choose another model next to the title.`,
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
  remoteImageHelp:
    "Not loaded, because loading it would reveal your address to that server. Open it in a new tab?",
  openImage: "Open in a new tab",
  file: (name: string) => `File ${name}`,
  frames: (n: number) => plural(n, "video frame"),
  other: (kind: string) => `Content of type “${kind}”`,
  tokens: (n: number) => plural(n, "token"),
  billed: (n: number) => `${plural(n, "token")} billed`,
  copy: "Copy text",
  actions: (number: string) => `Message ${number}`,
  edit: "Edit",
  tooLongFor: (tokens: number, model: string, budget: number) =>
    `Your message has ${plural(tokens, "token")}; ${model} accepts at most ${count(budget)}.`,
  tooLong: (hasLarger: boolean) =>
    `Shorten it (Edit, next to the message)${hasLarger ? ", choose a model with a larger window," : ""} or set a larger window in the chat's settings if the model has one.`,
  answerWith: (model: string, window: number) => `Answer with ${model} (${short(window)})`,
  editHelp: "Press Enter to send. The earlier version is kept, and you can go back to it.",
  sendEdit: "Send",
  version: (n: number, all: number) => `${n} of ${all}`,
  earlierVersion: "Previous version",
  laterVersion: "Next version",
  regenerate: "Regenerate",
  moreActions: "More actions",
  fork: "Fork from here",
  pin: "Pin: always show this to the model",
  unpin: "Unpin",
  pinned: "Pinned",
  nowPinned: "Pinned: the model always sees this message.",
  nowUnpinned: "Unpinned.",
  unfinished: { stopped: "Stopped", broken: "Interrupted", length: "Cut off" },
  unfinishedHelp: {
    stopped: "You stopped this answer. The part received so far is kept.",
    broken: "This answer was interrupted. The part received so far is kept.",
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
  emptyAgain: "Try again to get an answer.",
  half: {
    stopped: "You stopped the answer.",
    broken: "The answer was interrupted.",
    length: "The answer reached its length limit.",
  },
  halfFix: "Ask the model to continue, or raise “Longest answer” in the chat's settings.",
  answered: (words: number) => `Answer complete: ${plural(words, "word")}.`,
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
    kept: "The model sees this verbatim.",
    edited: "The model sees a shortened version.",
    covered: "The model sees a summary instead of this.",
    dropped: "The model doesn't see this.",
  },
};

export const composer = {
  label: "Message",
  placeholder: "Write a message",
  offlinePlaceholder: "Ask about this conversation",
  send: "Send",
  sendLater: "Send after the answer",
  stop: "Stop",
  attach: "Add images, text files or PDFs",
  attached: (n: number) => `Image ${n}`,
  removeImage: (n: number) => `Remove image ${n}`,
  hint: "Enter to send, Shift+Enter for a new line",
  busyHint: "An answer is being written: Enter queues your message, Esc stops the answer",
  removeFile: (name: string) => `Remove ${name}`,
  pasted: (n: number) => (n === 1 ? "Pasted text" : `Pasted text ${n}`),
  reading: (name: string) => `Reading ${name}…`,
  size: (chars: number) => (chars < 1_000 ? plural(chars, "character") : `${short(chars)} characters`),
  tooLarge: (name: string) => `${name} is larger than 10 MB, the limit for attachments.`,
  notText: (name: string) => `${name} isn't a text file, a PDF or an image.`,
  brokenPdf: (name: string) => `${name} isn't a readable PDF.`,
  emptyPdf: (name: string) => `${name} contains images only, no text.`,
  openFix: "To open a transcript, drop it outside the message box.",
};

export const outbox = {
  label: "Not sent yet",
  sending: "Sending…",
  offline: "Not sent: no connection. It is sent automatically once you're back online.",
  busy: "Queued: it is sent automatically after the current answer.",
  behind: "Queued: it is sent automatically after the previous message.",
  sendNow: "Send now",
  takeBack: "Back to the message box",
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
  toolsHelp: "subtracted from the window",
  free: "Free",
  startsIn: (tokens: number, ratio: number) =>
    `Compaction starts at ${percent(ratio)}: in about ${plural(Math.max(1, Math.round(tokens)), "token")}.`,
  allPinned: (ratio: number) =>
    `Compaction starts at ${percent(ratio)}, but every message is pinned, so none can be hidden. Unpin some, or choose a larger window.`,
  /** Compaction starts now: what the next message brings. */
  next: {
    compaction: (ratio: number) => `Compaction starts at ${percent(ratio)}: with the next message.`,
    "nothing-to-gain": (ratio: number) =>
      `Compaction starts at ${percent(ratio)}, but there is nothing to gain yet: a summary would be no shorter than the messages it replaces.`,
    held: (ratio: number) =>
      `Compaction starts at ${percent(ratio)}. It is on hold: the last one was undone or is recent, or another would free too little.`,
    impossible: () =>
      "The system prompt and last message alone don't fit the budget. Shorten them, or choose a larger window.",
  },
  noWindow:
    "No model is connected yet, so no window is known. Set one in the chat's settings to see what would happen.",
  off: "Automatic compaction is off for this chat.",
  budget: (window: number, reserve: number, tools: number, safety: number) =>
    `Window ${count(window)} − ${count(reserve)} for the answer − ${count(tools)} for tools − ${count(safety)} for safety`,
  compactNow: "Compact now",
};
