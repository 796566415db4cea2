import type { Profile } from "../core/types.ts";

/** Chat inside an editor: compacts at 0.8 of nine tenths of the window and keeps the last 10 messages. */
export const editor: Profile = {
  name: "editor",
  strategy: "summarize-oldest",
  startAt: 0.8,
  reserve: 0.1,
  safety: 0,
  tail: { messages: 10, minMessages: 4 },
  placement: "user",
  summary: { temperature: 0 },
  recall: { auto: true },
};
