/**
 * Stands where an edit would leave a message or a text part without content. Anthropic refuses empty and
 * whitespace-only text, some OpenAI-compatible servers refuse empty messages; visible text is legal everywhere.
 */
export const EMPTY_TEXT = "(empty)";

/** The text itself, or the placeholder when a provider would refuse it as empty. */
export function legalText(text: string): string {
  return text.trim() === "" ? EMPTY_TEXT : text;
}

/** Texts that are added to a text are separated from it, as paragraphs are. */
export const PARAGRAPH = "\n\n";

/** Joins the texts of several wire parts that make up one part. */
export function joinTexts(texts: readonly string[]): string {
  return texts.length === 1 ? (texts[0] ?? "") : texts.join("\n");
}
