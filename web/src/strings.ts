import { chat, composer, fates, meter, outbox, tabs } from "./strings/chat.ts";
import { compaction } from "./strings/compaction.ts";
import { connection, errors, home, offline, sidebar, work } from "./strings/frame.ts";
import { inspect, timeline } from "./strings/inspect.ts";
import { clientKey, compare, gateway, judge, models, request, stream, text, usage } from "./strings/pages.ts";
import { settings } from "./strings/settings.ts";
import { dropReasons, editReasons, keepReasons, reasons, rungs, strategies } from "./strings/words.ts";

/** Every word that the page shows. */
export const strings = {
  brand: "precis",
  tagline: "See what the model sees.",
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
  reasons,
  rungs,
  dropReasons,
  editReasons,
  keepReasons,
  strategies,
  roles: { system: "System", user: "You", assistant: "Assistant", tool: "Tool" },
  errors,
  connection,
  work,
  sidebar,
  home,
  offline,
  tabs,
  chat,
  fates,
  composer,
  outbox,
  meter,
  compaction,
  text,
  inspect,
  timeline,
  compare,
  judge,
  settings,
  models,
  clientKey,
  gateway,
  request,
  usage,
  stream,
} as const;
