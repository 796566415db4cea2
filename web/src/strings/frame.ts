import { plural } from "./words.ts";

export const errors = {
  offline: "The server can't be reached.",
  offlineFix: "Check that precis serve is running. The page reconnects automatically.",
  broken: "The connection was lost.",
  brokenFix: "No message is lost. The page continues as soon as it can reach the server.",
  http: (status: number) => `The server answered with status ${status}.`,
  storageFull: {
    message: "The browser's storage is full, so what you type here isn't saved.",
    fix: "Send or copy it before you close or reload this page.",
  },
  crashed: "Something went wrong on this page.",
  reload: "Reload",
  backToChat: "Back to the chat",
  nowhere: "Page not found.",
  backToStart: "Back to the start",
};

/** Work that takes a while. */
export const work = { cancelled: "Cancelled.", again: "Start again" };

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
    clients: "Conversations of programs that use this address as their base URL appear here.",
  },
  of: "Whose conversations",
  whose: { person: "Chats", clients: "Clients" },
  noneFound: "No results.",
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
  theme: { light: "Light", dark: "Dark", system: "System", label: "Appearance" },
};

export const home = {
  title: "See what the model sees.",
  lead: "A conversation that outgrows its model's window is usually cut off. precis keeps it going: older messages become a summary, the transcript stays complete, and you can see and control every step.",
  start: "Start a chat without a model",
  ask: (model: string | undefined) => (model === undefined ? "Ask anything" : `Ask ${model} anything`),
  startOffline: "The offline assistant only quotes the chat itself.",
  examples: "Try an example",
  connect: "Connect a model",
  connectHelp: "A server on this machine, or any other by address and key",
  open: "Open a file",
  titles: {
    coding: "Example: the parcel tracker",
    retrieval: "Example: questions with sources",
    stream: "Example: a bicycle repair",
  },
  coding: "Coding session",
  codingHelp: "An agent works on a parcel tracker: a system prompt, 283 messages and many tool calls.",
  retrieval: "Questions with sources",
  retrievalHelp: "A retrieval chat whose answers cite numbered documents.",
  stream: "Recorded stream",
  streamHelp: "A bicycle repair through a camera: 37 minutes on a cache of 4,096 tokens.",
  file: "Drop it anywhere, or choose it",
  fileHelp: "Chat exports, agent logs or recorded streams, as JSON or JSONL, plain or gzipped.",
  choose: "Choose a file",
  drop: "Drop to open",
  several: (n: number) =>
    `The file contains ${plural(n, "conversation")}. All are in the list, and the first is open.`,
  opening: (name: string) => `Opening ${name}…`,
  tooLarge: (name: string) => `${name} is too large to open here.`,
  wrongFileFix: "Choose another file: a chat export, an agent log or a request body, as JSON or JSONL.",
  tooLargeFix: "Use precis replay in a terminal: it reads files of any size.",
};

export const offline = {
  badge: "Offline assistant",
  text: "The offline assistant isn't a language model: it only quotes this conversation.",
  how: "Or set OPENAI_API_KEY or ANTHROPIC_API_KEY before starting precis serve.",
};
