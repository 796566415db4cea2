/**
 * Ids and digests that providers other than Anthropic put where it has a signature (DeepSeek a UUID, MiniMax a digest).
 * They sign nothing: what they stand on may be kept behind any prefix.
 */
const NO_SIGNATURE = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{32,128})$/i;

/** Is this what binds reasoning to the prefix that it was made with? */
export function isSignature(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !NO_SIGNATURE.test(value);
}
