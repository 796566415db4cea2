/**
 * What a model reads over or takes for something else: characters that nobody sees, and letters that look like others.
 * Text of others is compared in its plain form, so that `<\u2062/conversation-summary>` and `＜/conversation‐summary＞`
 * are found like the real thing.
 */

/** Everything that ends a line for some reader: besides `\n` also CR, VT, FF, NEL, LS and PS. */
export const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;
const LINE_BREAKS = new RegExp(LINE_BREAK, "g");

/**
 * Characters without a shape: controls, soft hyphen, zero-width space, marks of direction, invisible operators, fillers,
 * tag characters (whole sentences have been smuggled in them) and variation selectors beyond the one behind a picture.
 */
const SHAPELESS = new RegExp(
  `[${[
    "\\u0000-\\u0008\\u000e-\\u001f\\u007f-\\u0084\\u0086-\\u009f",
    "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f",
    "\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb",
    "\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}",
  ].join("")}]`,
  "gu",
);
/** Joiners and selectors, with the characters around them. */
const JOINERS = /(?<=(.|^))((?:\u200c|\u200d|[\ufe00-\ufe0f])+)(?=(.|$))/gsu;
/** Scripts that need joiners, and pictures. In others they only hide something. */
const JOINED = /^[\p{L}\p{M}\p{S}\p{N}]$/u;
const NEVER_JOINED = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Sm}]$/u;
const ASCII_ONLY = /^[\t\n\r\x20-\x7e]*$/;

/** Text in which nothing can be hidden. */
export function isAscii(text: string): boolean {
  return ASCII_ONLY.test(text);
}

/** The text without characters that nobody sees. What can be seen stays letter for letter. */
export function withoutInvisible(text: string): string {
  if (isAscii(text)) return text;
  return text
    .replace(SHAPELESS, "")
    .replace(JOINERS, (run: string, before: string, _run: string, after: string) =>
      isNeeded(run, before, after) ? run : "",
    );
}

/** At most one selector and one joiner, behind something that takes them. */
function isNeeded(run: string, before: string, after: string): boolean {
  const joins = (character: string) => JOINED.test(character) && !NEVER_JOINED.test(character);
  if (!/^[\ufe00-\ufe0f]?(?:\u200c|\u200d)?$/.test(run) || !joins(before)) return false;
  return !/(?:\u200c|\u200d)$/.test(run) || joins(after);
}

/** The text with `\n` as its only line break. */
export function withPlainBreaks(text: string): string {
  return isAscii(text) && !text.includes("\r") ? text : text.replace(LINE_BREAKS, "\n");
}

/** Letters and signs that look like the ASCII ones on the right, as far as Unicode's own compatibility forms don't say so. */
const TWINS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ["аɑα", "a"],
    ["ьв", "b"],
    ["сϲ", "c"],
    ["ԁ", "d"],
    ["еєε", "e"],
    ["ɡ", "g"],
    ["һн", "h"],
    ["іιı", "i"],
    ["ј", "j"],
    ["кκ", "k"],
    ["ӏ", "l"],
    ["м", "m"],
    ["ոп", "n"],
    ["оοօ", "o"],
    ["рρ", "p"],
    ["гᴦ", "r"],
    ["ѕ", "s"],
    ["тτ", "t"],
    ["սυ", "u"],
    ["ѵν", "v"],
    ["ѡω", "w"],
    ["хχ", "x"],
    ["уγ", "y"],
    ["‹〈⟨〈❮˂ᐸ≺", "<"],
    ["›〉⟩〉❯˃ᐳ≻", ">"],
    ["⁄∕╱⧸", "/"],
    ["‐‑‒–—―−⁃﹘", "-"],
    ["꞉ːː∶׃։", ":"],
    ["‘’ʼʹ′´`＇‛", "'"],
    ["№♯", "#"],
  ].flatMap(([like, plain]) => [...like!].map((character) => [character, plain!])),
);
const TWIN = new RegExp(`[${Object.keys(TWINS).join("")}]`, "gu");

/** The text in compatibility form, without invisible characters: for patterns of every language. */
export function plainForm(text: string): string {
  return isAscii(text) ? text : withoutInvisible(text).normalize("NFKC");
}

/** The text as it looks, in lower-case ASCII as far as it looks like that: for words of ours. */
export function skeleton(text: string): string {
  // A numero sign would become two letters, and an accent hides nothing.
  const ascii = isAscii(text)
    ? text
    : withoutInvisible(text)
        .replaceAll("№", "#")
        .normalize("NFKD")
        .replace(/[\p{M}\u200c\u200d]/gu, "");
  return ascii.toLowerCase().replace(TWIN, (character) => TWINS[character]!);
}

/** Everything that can be taken for the beginning of a tag. */
const BRACKET = /[<＜﹤‹〈⟨〈❮˂ᐸ≺]/g;
/** Blanks and slashes may stand between a bracket and the name. */
const BEFORE_NAME = /[\s/／⁄∕╱⧸\u200c\u200d]/;
/** Characters of a name that are looked at: names of ours are short. */
const MAX_NAME = 100;

/** The text with `&lt;` in place of every bracket that begins a tag, however it is disguised; `names` matches its name. */
export function escapeTags(text: string, names: RegExp): string {
  return text.replace(BRACKET, (bracket, at: number) => {
    let from = at + 1;
    while (from < text.length && BEFORE_NAME.test(text[from]!)) from++;
    return names.test(skeleton(text.slice(from, from + MAX_NAME))) ? "&lt;" : bracket;
  });
}

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
