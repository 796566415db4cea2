/**
 * Share of encrypted reasoning that stands for it when tokens are counted: base64 splits into about four times as many
 * tokens as the reasoning that it hides (three bytes in four characters, and a token per 1.4 instead of per 4).
 */
const SHARE = 1 / 4;

/** The text of reasoning that only the provider can read. It is never shown, only counted and hashed. */
export function opaqueReasoning(data: string): string {
  return data.slice(0, Math.ceil(data.length * SHARE));
}
