/** The sample on which the estimate is fitted: so many texts, so many characters of each. */
const SAMPLE_TEXTS = 160;
const SAMPLE_LENGTH = 400;
/** A large prime, because lines often come in turns (a key, a value): an even step would see only one kind. */
const STRIDE = 7_919;
/** Where length and units hardly differ over the sample, the fit would say nothing about other texts. */
const LEAST_SPREAD = 0.01;
/** Tokens per character where there is nothing to measure. */
const USUAL = 0.25;

/** Kinds of characters. */
const SPACE = 1;
const LOWER = 2;
const UPPER = 3;
const DIGIT = 4;
const SIGN = 5;
/** Outside of ASCII: about a token each. */
const OTHER = 6;
/** The longest run of each kind that is about one token. */
const LONGEST = [0, 16, 7, 2, 3, 3, 1];
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/\s/.test(character)) return SPACE;
  if (/[a-z]/.test(character)) return LOWER;
  if (/[A-Z]/.test(character)) return UPPER;
  return /\d/.test(character) ? DIGIT : SIGN;
});

/**
 * Estimates tokens of a text from its length and its units, fitted to the counter on a sample: counting every line would
 * take longer than choosing among them, and by length alone a line full of numbers looks as cheap as prose.
 */
export function estimateTokens(
  texts: readonly string[],
  count: (text: string) => number,
): (text: string) => number {
  let ll = 0;
  let lu = 0;
  let uu = 0;
  let lt = 0;
  let ut = 0;
  let length = 0;
  let tokens = 0;
  for (let one = 0; one < Math.min(texts.length, SAMPLE_TEXTS); one++) {
    const text = texts[(one * STRIDE) % texts.length]!.slice(0, SAMPLE_LENGTH);
    const l = text.length;
    const u = unitsOf(text);
    const t = count(text);
    ll += l * l;
    lu += l * u;
    uu += u * u;
    lt += l * t;
    ut += u * t;
    length += l;
    tokens += t;
  }
  const byLength = length === 0 ? USUAL : tokens / length;
  const spread = ll * uu - lu * lu;
  const perCharacter = (lt * uu - ut * lu) / spread;
  const perUnit = (ll * ut - lu * lt) / spread;
  // A counter that goes by length alone, or a sample that says nothing.
  if (!(spread > LEAST_SPREAD * ll * uu && perUnit > 0 && perCharacter >= -perUnit))
    return (text) => text.length * byLength;
  return (text) => Math.max(1, perCharacter * text.length + perUnit * unitsOf(text));
}

/** About what tokenizers of byte pairs cut a text into: pieces of words, numbers by threes, signs. */
function unitsOf(text: string): number {
  let units = 0;
  let run = 0;
  let before = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const kind = code < 128 ? KINDS[code]! : OTHER;
    if (kind === before && kind !== OTHER) {
      run++;
      if (run > LONGEST[kind]!) {
        units++;
        run = 1;
      }
      continue;
    }
    // A capital letter and the small ones after it are one word; so are a space and what follows it.
    if (!(before === UPPER && kind === LOWER && run === 1) && kind !== SPACE) units++;
    run = 1;
    before = kind;
  }
  return units;
}
