/** What a UTF-16 code unit is to the term scanner. */
const SEPARATOR = 1;
/** Letter, digit or joiner of a script that puts spaces between words. */
export const WORD = 2;
/** Letter of a script without spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese). */
export const DENSE = 3;
/** A sign that means something by itself (€, →, ✓), or half of a character outside of the first 65,536: emoji, rare letters. */
export const SYMBOL = 4;

const ASCII_JOINERS = "_/.~@$-";
const DENSE_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const LETTER = /[\p{L}\p{N}\p{M}]/u;
const SIGN = /[\p{Sc}\p{Sm}\p{So}§¶†‡‰]/u;
/** Lines and bars of tables, patterns of dots (spinners), and what stands for a character that was lost: they say nothing. */
const DRAWING = /[\u2500-\u259f\u2800-\u28ff\ufffc\ufffd]/;

/** Filled on first use: most transcripts touch a few hundred of the 65,536 code units. */
const classes = new Uint8Array(65_536);

function classify(code: number): number {
  if (code < 128) {
    const isDigit = code >= 48 && code <= 57;
    const isLetter = (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
    return isDigit || isLetter || ASCII_JOINERS.includes(String.fromCharCode(code)) ? WORD : SEPARATOR;
  }
  if (code >= 0xd800 && code <= 0xdfff) return SYMBOL;
  const character = String.fromCharCode(code);
  if (DENSE_SCRIPT.test(character)) return DENSE;
  if (LETTER.test(character)) return WORD;
  return SIGN.test(character) && !DRAWING.test(character) ? SYMBOL : SEPARATOR;
}

/** The class of a UTF-16 code unit. */
export function characterClass(code: number): number {
  const known = classes[code] as number;
  if (known !== 0) return known;
  const fresh = classify(code);
  classes[code] = fresh;
  return fresh;
}
