import { hasWords, spokenSentences } from "../text/sentences.ts";

/** Shorter texts ("Done.", "return true;") may be said twice and mean two things (characters). */
const LEAST_CHARS = 25;

/** A text as it is compared: marks, bullets, capital letters and blanks make no other one of it. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[*_`#>]+/g, "")
    .replace(/\s+/g, " ")
    .replace(/^[\s\-–•+"'“”]+/, "")
    .replace(/[\s.,;:!?…"'“”]+$/, "");
}

/**
 * Tells of a text whether it, or each of its sentences, stands in what is said elsewhere. Texts of fewer than `least` characters
 * are never taken for said.
 */
export function saidAlready(said: readonly string[], least = LEAST_CHARS): (text: string) => boolean {
  const all = plain(said.join("\n"));
  if (all === "") return () => false;
  const stands = (text: string): boolean => text.length >= Math.max(1, least) && hasWords(all, text);
  return (text) => {
    if (stands(plain(text))) return true;
    const sentences = spokenSentences(text)
      .map(plain)
      .filter((one) => one !== "");
    return sentences.length > 1 && sentences.every(stands);
  };
}
