import { canonicalJson } from "../checkpoint.ts";
import { contentHash } from "../hash.ts";
import { summaryProof } from "../summary-proof.ts";
import type { Checkpoint, Summary } from "../types.ts";
import { legacyHash } from "./hash.ts";

/**
 * What a chain hash of version 1 is called today; undefined if it isn't known. `length` is how many messages it names.
 */
export type Rename = (hash: string, length: number) => string | undefined;

/** A checkpoint of version 1 as this version writes it; undefined if it isn't genuine or its messages aren't known. */
export function upgradeCheckpoint(checkpoint: Checkpoint, rename: Rename): Checkpoint | undefined {
  const { id, texts: oldTexts, ...body } = checkpoint;
  const hash = rename(body.hash, body.length);
  if (hash === undefined || id !== legacyHash(canonicalJson(body))) return undefined;
  const texts: Record<string, string> = {};
  const renamed = new Map<string, string>();
  for (const [old, text] of Object.entries(oldTexts)) {
    if (legacyHash(text) !== old) return undefined;
    renamed.set(old, contentHash(text));
    texts[contentHash(text)] = text;
  }
  const textOf = (old: string): string => renamed.get(old) ?? old;
  const entries = body.entries.map((entry) => {
    if (entry.type === "insert") return { ...entry, text: textOf(entry.text) };
    if (entry.type !== "edit") return entry;
    const edits = entry.edits.map((edit) => ("text" in edit ? { ...edit, text: textOf(edit.text) } : edit));
    return { ...entry, edits };
  });
  const json = canonicalJson({ ...body, hash, entries });
  return { id: contentHash(json), ...(JSON.parse(json) as Omit<Checkpoint, "id" | "texts">), texts };
}

/**
 * A summary of version 1 as this version writes it. It keeps its key: not all that the key was made from is in the record,
 * and whoever edits or shows a summary calls it by its key.
 */
export function upgradeSummary(summary: Summary, rename: Rename): Summary | undefined {
  const { key, text, covers, proof } = summary;
  const hash = rename(summary.hash, covers.to);
  if (hash === undefined || proof !== legacyHash(`${key}\n${text}`)) return undefined;
  return { ...summary, hash, proof: summaryProof(key, text) };
}
