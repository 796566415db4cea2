import { type AnsweredFrom, sharedWords } from "./is-off-topic.ts";

/** An answer to somebody is short; a longer text that begins like one has a record behind its first words (characters). */
const MAX_REPLY = 600;
/** A text that ends with a question shares at least so many distinctive words with what it reports. */
const LEAST_SHARED = 2;
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
    if (/[?？!！]\s*$/.test(text) && (shared === undefined || shared < LEAST_SHARED)) return true;
  }
  return shared === 0 && input.sourceTokens >= REAL_SOURCE && tokens < FEW_TOKENS;
}
