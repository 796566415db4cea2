/**
 * Ids and digests that providers other than Anthropic put where it has a signature (DeepSeek a UUID, MiniMax a digest).
 * They sign nothing: what they stand on may be kept behind any prefix.
 */
const NO_SIGNATURE = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{32,128})$/i;

/** Is this what binds reasoning to the prefix that it was made with? */
export function isSignature(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !NO_SIGNATURE.test(value);
}

/**
 * Share of encrypted reasoning that stands for it when tokens are counted: base64 splits into about four times as many
 * tokens as the reasoning that it hides (three bytes in four characters, and a token per 1.4 instead of per 4).
 */
const SHARE = 1 / 4;

/** The text of reasoning that only the provider can read. It is never shown, only counted and hashed. */
export function opaqueReasoning(data: string): string {
  return data.slice(0, Math.ceil(data.length * SHARE));
}
