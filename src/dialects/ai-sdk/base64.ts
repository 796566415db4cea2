/** Bytes that are turned into characters at once; more would overflow the argument list of `fromCharCode`. */
const SLICE_BYTES = 8_192;

/** Reading runs over the whole transcript on every call, so bytes that were encoded once aren't encoded again. */
const known = new WeakMap<object, string>();

/** The base64 text of bytes. */
export function toBase64(bytes: Uint8Array): string {
  const before = known.get(bytes);
  if (before !== undefined) return before;
  let binary = "";
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(at, at + SLICE_BYTES));
  }
  const text = btoa(binary);
  known.set(bytes, text);
  return text;
}
