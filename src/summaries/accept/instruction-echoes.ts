import { firstCharacters } from "../../core/first-characters.ts";
import type { Message, Run } from "../../core/types.ts";
import { LINE_BREAK } from "../text/look-alikes.ts";
import { firstPlant, markPlant, plantIn, undisguised } from "../text/plants.ts";

/**
 * Text in tool results sometimes speaks to the model that reads it. In a summary such a sentence would come back with
 * the weight of our own words, so it may stand there only as something that is reported.
 */

/** Words that attribute what follows to someone, or that name it for what it is. */
const REPORTS =
  /\b(?:contain|includ|sa(?:id|ys?)\b|told|tells|ask(?:ed|s|ing)|instruct(?:ed|s|ing)\b|claim|attempt|tried|tries|trying|demand|request|report|embedded|inject|plant|malicious|suspicious|hostile|untrusted|stood|states?\b|stated|reads?\b|urge|want(?:s|ed) (?:the|an)|line that|text that|instruction(?:s)? (?:to|in|that)|quot|user (?:said|asked|wants|wrote)|enth(?:ie|ä)lt|forder|behaupt|verlang|versuch|stand |conten(?:ait|ía|eva|ha)|conti(?:ent|ene)|demand(?:ait|e)|tent(?:a|é)|intent|dec[ií]a|ped[ií]a|dizia|diceva|chied)|содерж|требу|требова|проси|попыт|утвержд|говорит|包含|写着|寫著|要求|声称|聲稱|试图|試圖|指出|含有|出现|含ま|試み|記載/i;
/** The same behind it, for languages whose verb comes last and for "… was not followed". */
const REPORTS_BEHIND =
  /\b(?:not (?:followed|obeyed|carried out|acted on)|was (?:ignored|refused|reported|disregarded)|were (?:ignored|refused|disregarded)|nicht befolgt|pas (?:été )?suivi|no se siguió)\b|書かれ|記載|という|と(?:ある|あっ|述べ|指示)|라고|하라는|포함|요구|的内容|的文字|未(?:执行|遵循|理会)|لم (?:يتم|تُنفذ)/i;
const OPENING_QUOTES = "“„«‹「『‘";
const CLOSING_QUOTES = "”“»›」』’";

/** Between two sentences; the blanks stay with what is split. */
const SENTENCE_BREAK = /((?<=[.!?]["'”’»]?)\s+|(?<=[。！？]))/;

/** A planted line of this many characters is enough to know it again. */
const MAX_PLANT = 240;
const MAX_PLANTS = 20;
/** Words (or characters of scripts without blanks) in a row that a summary doesn't share with a plant by chance. */
const SHARED_WORDS = 5;
const SHARED_DENSE = 10;

/** Lines of tool results and files that tell the model what to do. */
export function plantedInstructions(messages: readonly Message[], run: Run): string[] {
  const planted = new Set<string>();
  for (const { parts } of messages.slice(Math.max(0, run.from), Math.max(0, run.to))) {
    for (const part of parts) {
      const text = part.type === "tool-result" || part.type === "file" ? part.text : undefined;
      if (text === undefined) continue;
      for (const line of text.split(LINE_BREAK)) {
        if (planted.size >= MAX_PLANTS) return [...planted];
        const plant = plantIn(line);
        if (plant !== undefined) planted.add(firstCharacters(plant, MAX_PLANT).trim());
      }
    }
  }
  return [...planted];
}

/** A summary with a mark before each sentence that passes on an instruction instead of reporting it, and those sentences. */
export function markEchoes(
  text: string,
  planted: readonly string[] = [],
): { readonly text: string; readonly echoes: readonly string[] } {
  const echoes: string[] = [];
  let before = "";
  const markSentence = (piece: string): string => {
    const sentence = piece.trim();
    if (sentence === "") return piece;
    // A list under "The page contained:" is a report too.
    const announced = before.endsWith(":") && REPORTS.test(before);
    before = sentence;
    if (announced || !isEcho(sentence, planted)) return piece;
    echoes.push(firstCharacters(sentence, MAX_PLANT));
    return piece.replace(sentence, () => markPlant(sentence));
  };
  const lines = text.split("\n").map((line) => line.split(SENTENCE_BREAK).map(markSentence).join(""));
  return { text: lines.join("\n"), echoes };
}

function isEcho(sentence: string, planted: readonly string[]): boolean {
  for (const form of new Set([sentence, ...undisguised(sentence)])) {
    const plant = firstPlant(form);
    const at = plant >= 0 ? plant : sharedWith(form, planted);
    if (at >= 0) return !isReported(form, at);
  }
  return false;
}

function isReported(sentence: string, at: number): boolean {
  const before = sentence.slice(0, at);
  return REPORTS.test(before) || REPORTS_BEHIND.test(sentence.slice(at)) || isQuoted(before);
}

function isQuoted(before: string): boolean {
  let depth = 0;
  let straight = 0;
  for (const character of before) {
    if (character === '"' || character === "`") straight++;
    else if (OPENING_QUOTES.includes(character)) depth++;
    else if (CLOSING_QUOTES.includes(character)) depth--;
  }
  return depth > 0 || straight % 2 === 1;
}

/** Where the sentence repeats a plant word by word, or -1. */
function sharedWith(sentence: string, planted: readonly string[]): number {
  for (const plant of planted) {
    for (const phrase of phrases(plant)) {
      const at = sentence.toLowerCase().indexOf(phrase);
      if (at >= 0) return at;
    }
  }
  return -1;
}

function phrases(plant: string): string[] {
  const text = plant.toLowerCase();
  const words = text.split(/\s+/).filter(Boolean);
  const [pieces, length, glue] =
    words.length < SHARED_WORDS ? [text.split(""), SHARED_DENSE, ""] : [words, SHARED_WORDS, " "];
  return pieces.slice(length - 1).map((_, at) => pieces.slice(at, at + length).join(glue));
}
