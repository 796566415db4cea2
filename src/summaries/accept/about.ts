/** So many items, and not one of them in a text of this length: it is about something else. */
const MANY_ITEMS = 8;
const MIN_TOKENS = 40;
/** Share of a summary's distinctive words that its source has, at least. Other scripts share only names. */
const MIN_SHARED = 0.08;
const MIN_WORDS = 15;
/** The same where the answer may be in another language: a number, a name. */
const LEAST_SHARED = 0.02;

/** An answer, what it was made from, and how many of the items that it should carry it lacks. */
interface AnsweredFrom {
  readonly text: string;
  readonly tokens: number;
  readonly missing: number;
  readonly mustKeep: number;
  readonly source: string | undefined;
}

/** Is the answer about something else than its source? Judged by the words and items that they share. */
export function isOffTopic(
  /** The material is looked at only if many items are missing: it may be in another language. */
  input: AnsweredFrom & { readonly material: string | undefined },
): boolean {
  if (input.missing < input.mustKeep) return false;
  const isMany = input.mustKeep >= MANY_ITEMS && input.tokens >= MIN_TOKENS;
  const { text, source, material } = input;
  if (source === undefined && !isMany) return false;
  const read = source ?? material;
  if (read === undefined) return true;
  const words = distinctiveWords(text);
  const least = source === undefined ? LEAST_SHARED : MIN_SHARED;
  return words.size >= MIN_WORDS && sharedWords(text, read) < words.size * least;
}

/** How many distinctive words of a text its source has, too. */
function sharedWords(text: string, source: string, shortest = SHORTEST): number {
  const known = distinctiveWords(source, shortest);
  let shared = 0;
  for (const word of distinctiveWords(text, shortest)) if (known.has(word)) shared++;
  return shared;
}

/** Shorter words stand in every text (letters). */
const SHORTEST = 5;

/** Words of some letters, numbers, and pairs of characters of scripts without blanks. */
function distinctiveWords(text: string, shortest = SHORTEST): Set<string> {
  const words = new Set<string>();
  const lower = text.toLowerCase();
  for (const [word] of lower.matchAll(
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]{2,}|[\p{L}\p{N}]{4,}/gu,
  )) {
    if (/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u.test(word))
      for (let at = 0; at + 2 <= word.length; at++) words.add(word.slice(at, at + 2));
    else if (word.length >= shortest || /\d/.test(word)) words.add(word);
  }
  return words;
}

/** An answer to somebody is short; a longer text that begins like one has a record behind its first words (characters). */
const MAX_REPLY = 600;
/** A text that ends with a question shares at least so many distinctive words with what it reports. */
const LEAST_REPORTED = 2;
/** Words of so many letters count as common ones. */
const SHORT_WORD = 4;
/** A text of so few tokens that has no word in common with so many is about nothing. */
const FEW_TOKENS = 60;
const REAL_SOURCE = 1_000;

/** Beginnings of an answer to somebody, in the languages that models fall into. */
const OPENERS =
  /^(?:sure|of course|certainly|absolutely|got it|understood|okay|ok|alright|great|thanks|thank you|hello|hi|hey|happy to|i['’]d be (?:happy|glad)|i(?:['’]m| am) ready|how (?:can|may) i|what (?:would|can|should|do) (?:you|i)|please (?:tell|let|provide)|let me know|here to help|natürlich|gerne?|klar|verstanden|bien sûr|d['’]accord|avec plaisir|claro|por supuesto|entendido|certamente|certo|volentieri|конечно|хорошо|当然|好的|明白|もちろん|承知|はい|물론|네)(?![\p{L}])/iu;
/** It speaks to somebody: asks what they want, offers to go on. */
const SPEAKS_TO =
  /\b(?:would|do|can|could|should|shall) (?:you|i|we)\b[^.\n]{0,60}\?|\blet me know\b|\bhow (?:can|may) i (?:help|assist)\b|\bi(?:['’]ll| will| can) (?:help|assist|get started|start|begin|continue|now)\b|\bwhat(?:['’]s| is) (?:next|your)\b|(?:kann|soll|darf) ich [^.\n]{0,60}\?|möchten sie [^.\n]{0,60}\?|puis-je [^.\n]{0,60}\?|¿[^?\n]{0,80}\?|чем (?:могу|я могу) помочь|有什么|需要我|どの(?:ように|ような)|무엇을/iu;

/** Is the text an answer to somebody instead of a record? "Sure! What would you like me to do?" must never stand in a view. */
export function isReply(input: AnsweredFrom & { readonly sourceTokens: number }): boolean {
  const { text, tokens, source } = input;
  if (input.missing < input.mustKeep) return false;
  const shared = source === undefined ? undefined : sharedWords(text, source, SHORT_WORD);
  if (text.length <= MAX_REPLY && SPEAKS_TO.test(text)) {
    if (OPENERS.test(text.replace(/^[\s"'“*_#>-]+/, ""))) return true;
    if (/[?？!！]\s*$/.test(text) && (shared === undefined || shared < LEAST_REPORTED)) return true;
  }
  return shared === 0 && input.sourceTokens >= REAL_SOURCE && tokens < FEW_TOKENS;
}
