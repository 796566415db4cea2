import type { StreamQuery } from "../types.ts";

/**
 * Asks the live cache where things stand. Elapsed time and counts aren't asked for: code writes them. Replace it with
 * the `query` option, for a model that was trained on another one.
 */
export const progressQuery: StreamQuery = {
  role: "user",
  text: "Pause here: the older part of this conversation is about to be cleared, and you will go on from your own notes. In a few plain sentences say what the goal is, which steps are done, in order, what else was asked or mentioned and what was answered, and which step is under way and how far it has come. Only what was said or seen. No greeting, no list, no advice.",
};
