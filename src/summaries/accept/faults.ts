import { parseJson } from "../../core/json.ts";

/** A call that a model wrote as text, because the request forbade real ones. */
const CALL_TAG =
  /^[ \t]*(?:<(?:[\w-]+:)?(?:tool[_-]call|tool[_-]use|function[_-]calls?|invoke)[\s>]|<function=|<\|(?:tool_calls?|python_tag)|<｜tool▁calls|\[TOOL_CALLS\]|to=functions\.|functions\.\w+\s*[({:])/im;
const CODE = /^```[\s\S]*?^```|`[^`\n]*`/gm;

export function hasToolCall(text: string): boolean {
  return CALL_TAG.test(text.replace(CODE, " ")) || isCallBody(text);
}

/** `{"name": "read", "arguments": {…}}` and its relatives, alone or in a list. */
function isCallBody(text: string): boolean {
  const value = /^[[{]/.test(text) ? parseJson(text) : undefined;
  const calls: unknown[] = Array.isArray(value) ? value : [value];
  return calls.length > 0 && calls.every(isCall);
}

function isCall(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const has = (keys: string): boolean => keys.split(" ").some((key) => key in value);
  return (
    has("name tool tool_name function action tool_calls function_call") &&
    has("arguments parameters args input action_input tool_calls function_call")
  );
}

/** An error that arrived as an answer: proxies and servers send them with status 200. */

/** A longer text that mentions an error reports it. */
const MAX_ERROR = 600;
/** Share of lines that are frames of a stack trace. */
const TRACE_SHARE = 0.5;

const WHOLE: readonly RegExp[] = [
  /^(?:<!doctype html|<html[\s>]|<\?xml )/i,
  /^(?:undefined|null|NaN|\[object \w+\]|error)[.!]?$/i,
  /^data:\s*[{[]/,
];

const BEGINNINGS: readonly RegExp[] = [
  /^[\p{P}\p{S}\s]{0,4}(?:\w*error|\w*exception|fatal|panic|failed|failure|fehler|erreur|erro|errore|fout|błąd|ошибка|hata|错误|錯誤|エラー|오류|خطأ|lỗi)\s*(?:\(?(?:code|http)?\s*\d{3}\)?)?\s*[:：!\]–-]/iu,
  /^(?:\d{3}\s+)?(?:internal server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out|too many requests|request time-?out|unauthorized|forbidden|not found|bad request|payload too large)\b/i,
  /^(?:error|failed|unable|could not|couldn['’]t) (?:generating|to generate|to create|creating|to summari[sz]e|summari[sz]ing|generate|create|summari[sz]e|while)\b/i,
  /^(?:an?|the) (?:unexpected |internal |unknown )?error (?:has )?occurred/i,
  /^(?:upstream (?:connect|request)|connection (?:refused|reset|timed out)|request (?:failed|timed out)|fetch failed|socket hang up|ECONN|ETIMEDOUT|ENOTFOUND)/i,
  /^(?:rate limit|quota|you exceeded your current quota|the model is (?:currently )?overloaded|overloaded|context length exceeded|maximum context length|this model's maximum)/i,
  /^(?:es ist ein (?:unerwarteter )?fehler|une erreur|ha ocurrido un error|ocorreu um erro|si è verificato un errore|произошла ошибка|发生(?:了)?错误|發生錯誤|エラーが発生|오류가 발생)/i,
];

const TRACE_LINE =
  /^\s*(?:at\s+\S.*(?::\d+|\(native\)|\([^)]*\))|File "[^"]+", line \d+|Traceback \(most recent call last\)|goroutine \d+|\.{3} \d+ more|Caused by: |[\w.$]+\([\w.]+\.java:\d+\)|\S+\.(?:go|rb|rs|php|c|cpp):\d+)/;

export function isErrorText(text: string): boolean {
  if (WHOLE.some((pattern) => pattern.test(text)) || isErrorBody(text) || isTrace(text)) return true;
  return text.length <= MAX_ERROR && BEGINNINGS.some((pattern) => pattern.test(text));
}

/** `{"error": {…}}`, `{"detail": "…"}`, `{"type":"error", …}`, `{"code": 500, "message": "…"}`. */
function isErrorBody(text: string): boolean {
  if (!/^[[{]/.test(text)) return false;
  const value = parseJson(text);
  if (value === undefined)
    return text.length <= MAX_ERROR && /^[[{]\s*"(?:error|errors|detail)"\s*:/.test(text);
  const body: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof body !== "object" || body === null) return true;
  const keys = Object.keys(body);
  const record = body as Record<string, unknown>;
  return (
    keys.length === 0 ||
    ["error", "errors", "detail", "fault", "error_code"].some(
      (key) => key in record && record[key] !== null,
    ) ||
    record["type"] === "error" ||
    record["object"] === "error" ||
    record["success"] === false ||
    ("message" in record && ("code" in record || "status" in record || "statusCode" in record))
  );
}

function isTrace(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const frames = lines.filter((line) => TRACE_LINE.test(line)).length;
  return frames >= 2 && frames >= lines.length * TRACE_SHARE;
}

/** Loops and noise: what a model writes when it has lost its way. Counted in characters, so any language will do. */

/** Length of the pieces that are compared, and of the stretches in which they are counted: long loops need long ones. */
const PIECE = 12;
const SHORT_STRETCH = 300;
const STRETCHES = [SHORT_STRETCH, 600, 1_200, 1_800];
/** Shorter texts are judged by words and lines alone. */
const MIN_STRETCH = 240;
/** In text of any language nearly all pieces of a stretch differ; in lists and tables at least every third does. */
const MIN_DISTINCT = 0.3;
/** In a short stretch a few long paths with one beginning look alike. */
const MIN_DISTINCT_SHORT = 0.2;
/** The same line so often, and in such a share of all lines. */
const SAME_LINE = 6;
const SAME_LINE_SHARE = 0.4;
/** The same long line, in a smaller share. */
const LONG_LINE = 40;
const SAME_LONG_LINE_SHARE = 0.2;
/** Words that may all be equal without being a loop ("no no no"). */
const MIN_WORDS = 4;
/** Letters and digits among all characters that aren't blank. */
const MIN_READABLE = 0.35;
/** Characters that stand for broken encoding. */
const MAX_BROKEN = 0.05;

export function isGarbage(text: string): boolean {
  return isNoise(text) || allWordsEqual(text) || repeatsLines(text) || loops(text);
}

function isNoise(text: string): boolean {
  const visible = text.replace(/\s+/g, "");
  if (visible === "") return false;
  const readable = visible.match(/[\p{L}\p{N}\p{M}]/gu)?.length ?? 0;
  const broken = visible.match(/\ufffd/g)?.length ?? 0;
  // Rules and borders of tables are no noise, as long as they stand around words.
  const bare = visible.replace(/([^\p{L}\p{N}])\1{2,}/gu, "$1");
  return readable < bare.length * MIN_READABLE || broken > visible.length * MAX_BROKEN;
}

function allWordsEqual(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return words.length >= MIN_WORDS && new Set(words).size === 1;
}

function repeatsLines(text: string): boolean {
  const lines = text
    .split("\n")
    // Numbers at the front of a looping list differ.
    .map((line) => line.replace(/^[\s\d.):*#>-]+/, "").trim())
    .filter((line) => (line.match(/\p{L}/gu)?.length ?? 0) >= 3);
  const times = new Map<string, number>();
  for (const line of lines) times.set(line, (times.get(line) ?? 0) + 1);
  for (const [line, count] of times) {
    const share = line.length >= LONG_LINE ? SAME_LONG_LINE_SHARE : SAME_LINE_SHARE;
    if (count >= SAME_LINE && count >= lines.length * share) return true;
  }
  return false;
}

/** A stretch of text in which the same pieces come back again and again. */
function loops(text: string): boolean {
  const plain = text
    .toLowerCase()
    .replace(/\s+/g, " ")
    .replace(/([^\p{L}\p{N}])\1+/gu, "$1")
    .trim();
  if (plain.length < MIN_STRETCH) return hasShortLoop(plain);
  return STRETCHES.some((length) => {
    const last = Math.max(0, plain.length - length);
    for (let from = 0; from < last; from += length / 2)
      if (isLoop(plain.slice(from, from + length))) return true;
    return isLoop(plain.slice(last));
  });
}

function isLoop(stretch: string): boolean {
  const pieces = new Set<string>();
  const total = stretch.length - PIECE + 1;
  for (let at = 0; at < total; at++) pieces.add(stretch.slice(at, at + PIECE));
  return pieces.size < total * (stretch.length <= SHORT_STRETCH ? MIN_DISTINCT_SHORT : MIN_DISTINCT);
}

/** A short text that is one piece, over and over. */
function hasShortLoop(text: string): boolean {
  return /^(.{1,40}?)\1{5,}.{0,40}$/s.test(text) && text.length >= 24;
}

/** A refusal is short. A long text that contains such a sentence reports one, or quotes it. */
const MAX_REFUSAL = 700;
/** A refusal begins with itself. */
const MAX_LEAD = 160;

const DO =
  "(?:help|assist|comply|summari[sz]e|provide|continue|fulfil+|create|generate|write|process|produce|complete|discuss|engage|do (?:that|this)|answer|support|share|access)";

const REFUSALS: readonly RegExp[] = [
  // English
  new RegExp(
    `\\bI(?:['’]m| am)?\\s+(?:really |very |so )?(?:sorry|afraid|apologi[sz]e)?[^.\\n]{0,40}?\\b(?:can['’]?t|cannot|can not|won['’]t|will not|(?:am |['’]m )?(?:unable|not able|not allowed|not permitted) to|must decline to|decline to)\\s+(?:be able to )?${DO}\\b`,
    "i",
  ),
  /^(?:I['’]m |I am )?(?:sorry|unfortunately|apologies)\b[^\n]{0,60}\b(?:I|we)\b[^\n]{0,20}\b(?:can['’]?t|cannot|unable|not able|won['’]t)\b/i,
  /\bas an? (?:AI|artificial intelligence|(?:large )?language model)\b/i,
  /\b(?:against|violates?) (?:my|the|our) (?:guidelines|policy|policies|programming)\b/i,
  /\b(?:there (?:is|was) (?:no|nothing)|I (?:don['’]t|do not|can['’]t) (?:see|have|find)|you (?:haven['’]t|have not|didn['’]t|did not) (?:provided?|shared?|included?))\b[^.\n]{0,40}\b(?:conversation|transcript|messages?|text|content|summari[sz]e)\b/i,
  /\bplease (?:provide|share|paste|send)\b[^.\n]{0,40}\b(?:conversation|transcript|messages?|text|content)\b/i,
  // German, Dutch, Swedish
  /\b(?:ich kann|kann ich|ich darf)\b[^.\n]{0,60}\b(?:nicht|leider)\b[^.\n]{0,40}\b(?:helfen|zusammenfassen|bereitstellen|erstellen|beantworten|unterstützen|fortfahren|tun|nachkommen)\b/i,
  /\b(?:tut mir leid|es tut mir leid)\b[^.\n]{0,60}\b(?:nicht|kein)\b/i,
  /\bik kan\b[^.\n]{0,60}\b(?:niet|geen)\b[^.\n]{0,40}\b(?:helpen|samenvatten|geven|doen)\b/i,
  /\bjag kan (?:tyvärr )?inte\b/i,
  // French, Spanish, Portuguese, Italian
  /\bje (?:ne )?(?:peux|suis|puis)\b[^.\n]{0,30}\bpas\b[^.\n]{0,30}\b(?:aider|répondre|résumer|fournir|mesure|faire|donner)\b/i,
  /\b(?:lo siento|no puedo|no me es posible)\b[^.\n]{0,50}\b(?:ayudar|resumir|proporcionar|cumplir|responder|puedo|continuar|hacer)\b/i,
  /\b(?:desculpe|sinto muito|não posso|não consigo)\b[^.\n]{0,50}\b(?:ajudar|resumir|fornecer|posso|responder|continuar|fazer|atender)\b/i,
  /\b(?:mi dispiace|non posso)\b[^.\n]{0,50}\b(?:aiutar\w*|riassumere|fornire|posso|rispondere|continuare)\b/i,
  // Polish, Russian, Ukrainian, Turkish
  /\b(?:przepraszam|nie mogę)\b[^.\n]{0,50}(?:pomóc|podsumować|mogę|odpowiedzieć|kontynuować)/i,
  /(?:не могу|не можу)[^.\n]{0,40}(?:помочь|предоставить|обобщить|ответить|продолжить|выполнить|допомогти|надати)/i,
  /(?:üzgünüm|özür dilerim)[^.\n]{0,60}(?:yardımcı olamam|yapamam|edemem|veremem|olamıyorum)/i,
  // Chinese, Japanese, Korean
  /(?:抱歉|对不起|對不起|很遗憾)[^。\n]{0,30}(?:无法|不能|無法)|(?:我)(?:无法|不能|無法)(?:帮助|协助|提供|总结|回答|满足|協助|幫助|處理)/,
  /(?:申し訳|すみません|恐れ入り)[^。\n]{0,60}(?:できません|できかねます|お手伝い|お答え)|(?:要約|お手伝い|対応)(?:することは|は)?(?:できません|できかねます)/,
  /(?:죄송|미안)[^.\n]{0,40}(?:없습니다|어렵습니다|못합니다)/,
  // Arabic, Hebrew, Hindi, Vietnamese, Indonesian
  /(?:آسف|عذر|أعتذر|لا أستطيع|لا يمكنني)[^.\n]{0,40}(?:لا يمكنني|لا أستطيع|مساعد|تلخيص|تقديم)/,
  /(?:מצטער|לא יכול)[^.\n]{0,40}(?:לא יכול|לעזור|לסכם)/,
  /(?:क्षमा|माफ़|माफ)[^।\n]{0,60}(?:नहीं|असमर्थ)/,
  /(?:xin lỗi)[^.\n]{0,50}(?:không thể)/i,
  /(?:maaf)[^.\n]{0,50}(?:tidak (?:bisa|dapat))/i,
];

/** The model declined, or says that there is nothing to summarise. Only the whole of a short text counts. */
export function isRefusal(text: string): boolean {
  if (text.length > MAX_REFUSAL) return false;
  const lead = text.slice(0, MAX_LEAD);
  return REFUSALS.some((pattern) => {
    const at = text.search(pattern);
    return at >= 0 && at < lead.length && beginsWithIt(text, at);
  });
}

/** Nothing but a greeting or an apology stands before it: "The user asked …; I can't …" is a report. */
function beginsWithIt(text: string, at: number): boolean {
  const before = text.slice(0, at);
  return !/[\p{L}\p{N}][^\n]{40,}[.!?:;]\s|\n/u.test(before) && (before.match(/[.!?]\s/g)?.length ?? 0) <= 1;
}

/** No text has so many characters for each of its tokens; only a server that heeds no limit sends more. */
const MOST_PER_TOKEN = 32;
/** Answers to small requests may be many times too long and still be shortened (characters). */
const LEAST = 40_000;

/** Characters of an answer that are looked through: to judge megabytes takes seconds, in which nobody else is served. */
export function mostChars(cap: number): number {
  return Math.max(LEAST, cap * MOST_PER_TOKEN);
}

/** So many items, and not one of them in a text of this length: it is about something else. */
const MANY_ITEMS = 8;
const MIN_TOKENS = 40;
/** Share of a summary's distinctive words that its source has, at least. Other scripts share only names. */
const MIN_SHARED = 0.08;
const MIN_DISTINCTIVE = 15;
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
  return words.size >= MIN_DISTINCTIVE && sharedWords(text, read) < words.size * least;
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
