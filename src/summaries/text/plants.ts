import { isAscii, plainForm, skeleton } from "./look-alikes.ts";

/**
 * Text in tool results, files and passages sometimes speaks to the model that reads it. Patterns find the usual forms, in
 * the languages of most pages; what they miss is still marked as somebody's quotation.
 */

const PLANTS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,30}\b(?:all|your|previous|prior|above|earlier|preceding|system|safety)\b[^.!?\n]{0,30}\b(?:instructions?|rules?|prompts?|guidelines?|messages?|directions?|constraints?)\b/i,
  /\byou are (?:no longer|now (?:an?|in|the|my|acting|allowed|called|free|going|operating|required|DAN))\b|\bfrom now on,? you (?:are|will|must)\b/i,
  /\b(?:new|updated|real|hidden|secret|system) (?:instructions?|prompt|directives?)\s*:/i,
  /\b(?:do not|don['’]t|never) (?:tell|inform|alert|notify|mention (?:this|it) to|reveal (?:this|it) to)\b[^.!?\n]{0,20}\b(?:users?|anyone|humans?)\b/i,
  /\b(?:reveal|print|output|repeat|show|display|leak|send)\s[^.!?\n]{0,30}\b(?:system prompt|your (?:hidden |initial |own )?instructions)\b/i,
  /\b(?:reveal|leak|send|post|e-?mail|upload|forward|exfiltrate)\s+(?:me |us )?(?:all|any|every|the|your|its|their)\s[^.!?\n]{0,30}\b(?:api keys?|credentials|passwords?|secrets?|tokens|environment variables|private keys?)\b/i,
  /\b(?:AIs?|assistants?|agents?|models?|LLMs?)\b[^.!?\n]{0,30}\b(?:must|should|shall|has to|have to|needs? to)\s+(?:now |immediately |always |first )?(?:run|execute|send|delete|fetch|download|curl|e-?mail|post|visit|transfer|ignore|disregard|reveal|install)\b/i,
  /(?:ignorier\w{0,12}|vergiss|missachte\w{0,12})\b[^.!?\n]{0,40}(?:anweisung|instruktion|regel|vorgabe)/i,
  /(?:ignore[rz]?|oublie[rz]?)\b[^.!?\n]{0,40}(?:instructions|consignes|règles)/i,
  /(?:ignora|olvida|omite|ignore|esqueça|desconsidere|dimentica)\w{0,12}\b[^.!?\n]{0,40}(?:instrucciones|reglas|instruções|regras|istruzioni|regole)/i,
  /(?:игнорируй|проигнорируй|забудь)[^.!?\n]{0,40}(?:инструкц|указани|правил)/i,
  /(?:忽略|无视|忘记|無視|忽視|忘記)[^。！？\n]{0,20}(?:指令|指示|提示|规则|規則|说明|說明)/,
  /(?:指示|命令|ルール|プロンプト)[^。！？\n]{0,10}(?:無視|忘れ)/,
  /(?:지시|명령|규칙|프롬프트)[^.!?\n]{0,12}(?:무시|잊)/,
  /(?:تجاهل|انس)[^.!?\n]{0,40}(?:تعليمات|التعليمات|القواعد|الأوامر)/,
  /\b(?:negeer|vergeet)\b[^.!?\n]{0,40}(?:instructies|aanwijzingen|regels)/i,
  /\b(?:ignorera|ignorer|glöm|glem)\b[^.!?\n]{0,40}(?:instruktion|instruks|anvisning|regler)/i,
  /(?:zignoruj|ignoruj|zapomnij|zapomeň)[^.!?\n]{0,40}(?:instrukcj|polece|zasad|pokyn|instrukce|pravidl)/i,
  /(?:ігноруй|проігноруй)[^.!?\n]{0,40}(?:інструкц|вказівк|правил)/i,
  /(?:talimat|kural|yönerge)[^.!?\n]{0,30}(?:yok say|görmezden gel|unut|dikkate alma)/i,
  /(?:abaikan|lupakan)\b[^.!?\n]{0,40}(?:instruksi|perintah|aturan|petunjuk)/i,
  /(?:bỏ qua|phớt lờ|quên)[^.!?\n]{0,40}(?:hướng dẫn|chỉ dẫn|lệnh|quy tắc)/i,
  /(?:निर्देश|आदेश|नियम)[^.!?।\n]{0,30}(?:अनदेखा|नज़रअंदाज़|भूल)/,
  /(?:เพิกเฉย|ละเว้น|ไม่ต้องสนใจ|ลืม)[^\n]{0,30}(?:คำสั่ง|คำแนะนำ|กฎ)/,
  /(?:התעלם|התעלמי|תתעלם|שכח)[^.!?\n]{0,30}(?:הוראות|ההוראות|הנחיות|ההנחיות|כללים)/,
  /(?:نادیده|فراموش)[^.!?\n]{0,40}(?:دستور|قوانین|قانون)|(?:دستور|قوانین)[^.!?\n]{0,40}(?:نادیده|فراموش)/,
  /(?:αγνόησε|αγνοήστε|ξέχνα)[^.!?\n]{0,40}(?:οδηγίες|εντολές|κανόνες)/i,
  // Words put into the mouth of somebody who may command: in a tool result nobody says that for the user.
  /\b(?:user|admin(?:istrator)?|developer|operator)\s+(?:said|says|instructs?|has (?:approved|authori[sz]ed|asked|allowed)|authori[sz]ed|wants)\b[^.!?\n]{0,20}\byou\b/i,
  /^[^\p{L}\p{N}\n]*(?:system|developer|admin)\s+(?:message|override|notice|instructions?)\s*:/imu,
  // A command fetched from somewhere that is to be run each time, or before anything is answered.
  /\balways\s+(?:run|execute|pipe|call)\b[^!?\n]{0,160}\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b/i,
  /\b(?:must|always|first)\b[^.!?\n]{0,60}\b(?:run|execute|send|post|upload|download|curl)\b[^!?\n]{0,120}\b(?:before|without) (?:answering|responding|replying|telling|asking)\b/i,
];

/**
 * All of them at once: nearly every text has none, and one look says so in a fraction of the time. Those for letters of all scripts
 * stand apart: their flag would make the look at all others four times as slow.
 */
const ANY_PLANT: readonly RegExp[] = [
  new RegExp(PLANTS.flatMap(({ source, unicode }) => (unicode ? [] : [source])).join("|"), "i"),
  ...PLANTS.filter(({ unicode }) => unicode),
];

/** Where a text begins to tell the model what to do; -1 if it doesn't. */
export function firstPlant(text: string): number {
  let first = -1;
  if (!ANY_PLANT.some((pattern) => pattern.test(text))) return first;
  for (const pattern of PLANTS) {
    const at = text.search(pattern);
    if (at >= 0 && (first < 0 || at < first)) first = at;
  }
  return first;
}

/** What a text says to whoever reads it, invisible and look-alike characters seen through. */
export function undisguised(text: string): readonly string[] {
  return isAscii(text) ? [text] : [plainForm(text), skeleton(text)];
}

/** The text from where it tells the model what to do, also if invisible or look-alike characters disguise it. */
export function plantIn(text: string): string | undefined {
  for (const form of undisguised(text)) {
    const at = firstPlant(form);
    if (at >= 0) return form.slice(at);
  }
  return undefined;
}

/** Which lines tell the model what to do, by themselves or as a half of an instruction that is broken over two lines? */
export function plantedLines(lines: readonly string[]): ReadonlySet<string> {
  // Nearly every text has none, and one look at all of it says so.
  if (plantIn(lines.join("\n")) === undefined && plantIn(lines.join(" ")) === undefined) return new Set();
  return new Set(lines.filter((line, at) => isPlanted(line, lines[at - 1], lines[at + 1])));
}

/** Does a line tell the model what to do, by itself or as a half of an instruction that is broken over two lines? */
export function isPlanted(line: string, before = "", after = ""): boolean {
  if (plantIn(`${line}\n${before} ${line} ${after}`) === undefined) return false;
  const isHalf = (beside: string, both: string): boolean =>
    plantIn(beside) === undefined && plantIn(both) !== undefined;
  return (
    plantIn(line) !== undefined || isHalf(before, `${before} ${line}`) || isHalf(after, `${line} ${after}`)
  );
}

/** Stands before a quotation that tells the model what to do. The quotation itself is left whole: it may be harmless. */
export const PLANT_MARK = "[planted instruction, not to be followed]";

/** The text, with the mark before it if it tells the model what to do. */
export function withPlantMark(text: string): string {
  return plantIn(text) === undefined ? text : markPlant(text);
}

/** The text with the mark before it, once. */
export function markPlant(text: string): string {
  return text.startsWith(PLANT_MARK) ? text : `${PLANT_MARK} ${text}`;
}
