import { isExactNumber, isRecord, parseReadable } from "../core/json.ts";
import { editParts, type Reduction } from "./reduction.ts";

/** A string of at least this many characters in a passage is its text, not a name. */
const TEXT_CHARACTERS = 160;
/** Nobody retrieves more at once. To parse it would take a server's time from everybody; other reductions shorten it (characters). */
const LONGEST = 1_000_000;
/** Keys that identify a source. */
const IDENTITY =
  /^(n|nr|no|index|number|rank|id|.*[_-]?ids?|.*Id|source|url|uri|link|href|title|name|path|file)$/;

/** Old retrieval results (JSON lists of passages) keep what identifies their sources and lose the passages. */
export const oldRetrieval: Reduction = {
  name: "old-retrieval",
  apply(draft, input) {
    return editParts(draft, input, (part, at) => {
      if (part.type !== "tool-result" || part.locked || part.media?.length) return undefined;
      const sources = sourcesOf(part.text);
      if (!sources || input.measure.text(sources) >= input.measure.text(part.text)) return undefined;
      return { type: "replace", part: at.part, text: sources, why: "old-retrieval" };
    });
  },
};

/** The sources of a JSON retrieval result as JSON, or undefined if it isn't one. */
export function sourcesOf(text: string): string | undefined {
  if (text.length > LONGEST) return undefined;
  const first = text.trimStart()[0];
  if (first !== "[" && first !== "{") return undefined;
  let value: unknown;
  try {
    value = parseReadable(text);
  } catch {
    return undefined;
  }
  const passages = passagesIn(value);
  return passages && JSON.stringify({ sources: passages, note: "passages no longer shown" });
}

function passagesIn(value: unknown): Record<string, unknown>[] | undefined {
  if (Array.isArray(value)) {
    const passages: Record<string, unknown>[] = [];
    for (const one of value) {
      const source = passageSource(one);
      if (source === undefined) return undefined;
      passages.push(source);
    }
    return passages.length > 0 ? passages : undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  for (const inner of Object.values(value)) {
    if (Array.isArray(inner)) {
      const found = passagesIn(inner);
      if (found) return found;
    }
  }
  return undefined;
}

/** What identifies one passage; undefined if it has no long text or no identity. */
function passageSource(value: unknown): Record<string, unknown> | undefined {
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value);
  const hasText = entries.some(([, inner]) => typeof inner === "string" && inner.length >= TEXT_CHARACTERS);
  const identity = entries.filter(
    ([key, inner]) =>
      IDENTITY.test(key) &&
      (typeof inner === "number" ||
        isExactNumber(inner) ||
        (typeof inner === "string" && inner.length < TEXT_CHARACTERS)),
  );
  return hasText && identity.length > 0 ? Object.fromEntries(identity) : undefined;
}
