/** Stands between two tokens of a vocabulary's text. */
const SEPARATOR = "\x7f";
/** Byte b of a token that isn't text stands there as this + b: the second half of a surrogate pair, which no text begins with. */
const FIRST_BYTE = 0xdc00;
const LAST_BYTE = FIRST_BYTE + 0xff;

/** A vocabulary: index = rank; bytes where the token isn't text. */
export type Vocabulary = readonly (string | readonly number[])[];

/** Reads what `scripts/make-vocabularies.mjs` wrote. */
export function readVocabulary(text: string): Vocabulary {
  return text.split(SEPARATOR).map((token) => (isBytes(token) ? bytesOf(token) : token));
}

function isBytes(token: string): boolean {
  const first = token.charCodeAt(0);
  return first >= FIRST_BYTE && first <= LAST_BYTE;
}

function bytesOf(token: string): number[] {
  return Array.from({ length: token.length }, (_, at) => token.charCodeAt(at) - FIRST_BYTE);
}
