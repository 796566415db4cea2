import { ConfigError } from "./errors.ts";
import { contentHash } from "./hash.ts";
import { summaryProof } from "./summary-proof.ts";
import type { Summary } from "./types.ts";

/**
 * A summary in the user's own words: a new record beside the old one, which stays as it is. Put it into a store, or into
 * the `summaries` of a state. It speaks for its messages from the next compaction on, word for word, until the user edits it
 * again or has them summarised anew.
 *
 * @example
 * ```ts
 * import { editedSummary, memoryStore, type Summary } from "precis";
 *
 * export async function correct(summary: Summary, text: string) {
 *   await memoryStore().save({ summaries: [editedSummary(summary, { text, now: Date.now() })] });
 * }
 * ```
 */
export function editedSummary(
  summary: Summary,
  edit: {
    readonly text: string;
    readonly now: number;
    /** How long the text is. Default: characters ÷ 4. */
    readonly tokens?: number;
  },
): Summary {
  const text = edit.text.trim();
  if (text === "") {
    throw new ConfigError({
      option: "text",
      message: "the edited summary is empty.",
      fix: "Say something, or undo the compaction to see the messages again.",
    });
  }
  const key = contentHash(JSON.stringify([summary.key, "edited", edit.now, text]));
  // What the model noted says what this person may just have taken out.
  const { anew: _, notes: __, ...rest } = summary;
  return {
    ...rest,
    key,
    text,
    author: "user",
    tokens: { ...summary.tokens, text: edit.tokens ?? Math.ceil(text.length / CHARACTERS_PER_TOKEN) },
    at: edit.now,
    proof: summaryProof(key, text),
  };
}

const CHARACTERS_PER_TOKEN = 4;
