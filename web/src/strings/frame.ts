import { plural } from "./words.ts";

export const errors = {
  offline: "The server can't be reached.",
  offlineFix: "Check that precis serve is running; the page goes on by itself as soon as it is back.",
  broken: "The connection broke off.",
  brokenFix:
    "Nothing that was said is lost: the page goes on by itself as soon as the server can be reached.",
  http: (status: number) => `The server answered with status ${status}.`,
  storageFull: {
    message: "The browser has no room left to keep what you type here.",
    fix: "Send it or copy it elsewhere before you close or reload this page.",
  },
  crashed: "Something on this page broke.",
  reload: "Reload",
  backToChat: "Back to the chat",
  nowhere: "There is no such page.",
  backToStart: "Back to the start",
};

/** Work that takes a while. */
export const work = { cancelled: "Cancelled.", again: "Begin again" };

export const connection = { lost: "Connection lost. Trying again…" };

export const sidebar = {
  label: "Conversations",
  navLabel: "Conversations and pages",
  open: "Open conversations",
  close: "Close conversations",
  newChat: "New chat",
  search: "Search conversations",
  empty: {
    person: "No chats yet.",
    clients: "Programs that use this address as their base URL have their conversations here.",
  },
  of: "Whose conversations",
  whose: { person: "Chats", clients: "Clients" },
  noneFound: "Nothing found.",
  inMessages: "In messages",
  more: "Show more",
  groups: {
    pinned: "Pinned",
    today: "Today",
    week: "This week",
    older: "Older",
    archived: "Archived",
  },
  showArchived: "Show archived",
  hideArchived: "Hide archived",
  actions: (title: string) => `Actions for ${title}`,
  rename: "Rename",
  renameLabel: "New title",
  pin: "Pin",
  unpin: "Unpin",
  archive: "Archive",
  unarchive: "Bring back",
  export: "Export as JSONL",
  exportMarkdown: "Export as Markdown",
  remove: "Delete",
  removed: (title: string) => `“${title}” is deleted.`,
  compare: "Replay & compare",
  gateway: "Gateway",
  settings: "Settings",
  openFile: "Open a file",
  untitled: "Untitled",
  fork: "fork",
  messages: (n: number) => plural(n, "message"),
  busy: { answering: "answering", compacting: "summarising" },
  theme: { light: "Light", dark: "Dark", system: "As the system", label: "Appearance" },
};

export const home = {
  title: "See what the model sees.",
  lead: "A conversation that outgrows its model's window is usually cut off. precis keeps it going: older messages become a summary, nothing of the transcript is lost, and you can watch and steer every step.",
  start: "Start a chat without a model",
  ask: (model: string | undefined) => (model === undefined ? "Ask anything" : `Ask ${model} anything`),
  startOffline: "The offline assistant answers: it only quotes what the chat already holds.",
  examples: "Try an example",
  connect: "Connect a model",
  connectHelp: "A server on this machine, or any other with its address and key",
  open: "Open a file",
  titles: {
    coding: "Example: the parcel tracker",
    retrieval: "Example: questions with sources",
    stream: "Example: a bicycle repair",
  },
  coding: "Coding session",
  codingHelp: "An agent works on a parcel tracker: a system prompt and 283 messages, many tool calls.",
  retrieval: "Questions with sources",
  retrievalHelp: "A retrieval chat whose answers cite numbered documents.",
  stream: "Recorded stream",
  streamHelp: "A bicycle repair through a camera: 37 minutes on a cache of 4,096 tokens.",
  file: "Drop it anywhere, or choose it",
  fileHelp: "Chat exports, agent logs, recorded streams; JSON or JSONL, plain or gzip.",
  choose: "Choose a file",
  drop: "Drop it to open it",
  several: (n: number) =>
    `The file holds ${plural(n, "conversation")}: all of them are in the list, and the first one is open.`,
  opening: (name: string) => `Opening ${name}…`,
  tooLarge: (name: string) => `${name} is too large to open here.`,
  wrongFileFix:
    "Choose another file: a chat export, an agent's log or the body of a request, as JSON or JSONL.",
  tooLargeFix: "Use precis replay in a terminal: it reads files of any size.",
};

export const offline = {
  badge: "Offline assistant",
  text: "The offline assistant is not a language model: it only quotes what this conversation holds.",
  how: "Or set OPENAI_API_KEY or ANTHROPIC_API_KEY before you start precis serve.",
};
