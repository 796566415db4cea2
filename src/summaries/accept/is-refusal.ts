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
