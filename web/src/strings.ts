import * as chat from "./strings/chat.ts";
import * as compaction from "./strings/compaction.ts";
import * as frame from "./strings/frame.ts";
import * as inspect from "./strings/inspect.ts";
import * as pages from "./strings/pages.ts";
import * as settings from "./strings/settings.ts";
import * as words from "./strings/words.ts";

/** Every word that the page shows. */
export const strings = {
  brand: "precis",
  skip: "Skip to the conversation",
  close: "Close",
  cancel: "Cancel",
  save: "Save",
  copy: "Copy",
  copied: "Copied",
  notCopied: "The browser doesn't allow copying here. Select the text and copy it by hand.",
  undo: "Undo",
  retry: "Try again",
  loading: "Loading…",
  roles: { system: "System", user: "You", assistant: "Assistant", tool: "Tool" },
  ...words,
  ...frame,
  ...chat,
  ...compaction,
  ...inspect,
  ...pages,
  ...settings,
};
