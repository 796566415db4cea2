/** Texts and bytes as base64, in every runtime. */

/** One base64 text of several: each piece may be filled up at its end. Pieces that are no base64 count for nothing. */
export function joinBase64(pieces: readonly string[]): string {
  return btoa(pieces.map(decoded).join(""));
}

/** A text as base64 that may stand in addresses. */
export function sealText(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The text in it; the empty text where it isn't base64. */
export function unsealText(sealed: string): string {
  const binary = decoded(sealed.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(binary, (letter) => letter.charCodeAt(0)));
}

function decoded(text: string): string {
  try {
    return atob(text);
  } catch {
    return "";
  }
}
