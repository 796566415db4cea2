import { onceFor } from "../../core/collections.ts";
import type { Message } from "../../core/types.ts";
import { typedText } from "../material/user-words.ts";

/** Languages in which a summary message is framed. Any other conversation gets English. */
export type Language = "en" | "de" | "fr" | "es" | "pt" | "it" | "ru" | "ar" | "zh" | "ja" | "ko";

/** What a prompt calls them. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: "English",
  de: "German",
  fr: "French",
  es: "Spanish",
  pt: "Portuguese",
  it: "Italian",
  ru: "Russian",
  ar: "Arabic",
  zh: "Chinese",
  ja: "Japanese",
  ko: "Korean",
};

/** The newest messages of the user say which language is spoken, each by its beginning (messages, characters). */
const NEWEST = 12;
const LOOKED_AT = 1_000;
/** Names and code are in Latin letters everywhere: so much of all letters is enough for another script. */
const SCRIPT_SHARE = 0.3;
const LEAST_LETTERS = 4;
/** So many of the commonest words, more than those of any other language by so much. */
const LEAST_WORDS = 3;
const AHEAD = 1.4;

/** Dutch is there so that it isn't taken for one of the others: it has no frame of its own. */
const COMMON: readonly (readonly [Language, string])[] = [
  ["en", "the and is of to that it with for this you what please not are in on be have can do"],
  [
    "de",
    "und der die das ist nicht ich mit ein eine für auf bitte wie wir auch dass den dem im es zu was kann sind noch",
  ],
  ["fr", "le la les des est et une un dans pour que je pas vous avec sur du ce qui il au nous fais peux"],
  ["es", "el la los las que una un por con para está como pero muy del más y en se lo es de mi al"],
  ["pt", "que não uma um com para você está como os mas muito do da em e o as no na por de é isso"],
  ["en", "de het een en van ik je niet is dat te op met wat er zijn maar naar voor kijk"],
  ["it", "che non una un per con sono il di della come anche gli è questo la le in del mi si i e nel"],
];
/** Which of them have a word, by place. */
const HAVING = new Map<string, number[]>();
for (const [at, [, words]] of COMMON.entries())
  for (const word of words.split(" ")) HAVING.set(word, [...(HAVING.get(word) ?? []), at]);

/** A character that neither Latin letters nor usual punctuation have. */
const OTHER_SCRIPT = /[^\0-\u036f\u2000-\u2bff]/;

/** The language in which the user writes. */
export const languageOf = onceFor(read);

function read(messages: readonly Message[]): Language {
  const texts: string[] = [];
  for (let at = messages.length - 1; at >= 0 && texts.length < NEWEST; at--) {
    const { role, parts } = messages[at]!;
    const part = role === "user" ? parts.find(({ type }) => type === "text") : undefined;
    if (part?.type !== "text" || part.text.trimStart().startsWith("<")) continue;
    texts.push(typedText(part.text.slice(0, LOOKED_AT)));
  }
  const said = texts.join("\n");
  return byScript(said) ?? byWords(said) ?? "en";
}

function byScript(said: string): Language | undefined {
  if (!OTHER_SCRIPT.test(said)) return undefined;
  const letters = said.match(/\p{L}/gu)?.length ?? 0;
  const count = (pattern: RegExp): number => said.match(pattern)?.length ?? 0;
  const isEnough = (one: number): boolean => one >= LEAST_LETTERS && one >= letters * SCRIPT_SHARE;
  const kana = count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  const han = count(/\p{Script=Han}/gu);
  if (isEnough(kana + han)) return kana * 10 > han ? "ja" : "zh";
  if (isEnough(count(/\p{Script=Hangul}/gu))) return "ko";
  // Ukrainian, Serbian, Persian and Urdu have letters of their own.
  if (isEnough(count(/\p{Script=Cyrillic}/gu))) return /[іїєґўђћљњџ]/i.test(said) ? "en" : "ru";
  if (isEnough(count(/\p{Script=Arabic}/gu))) return /[پچگژٹڈڑں]/.test(said) ? "en" : "ar";
  return undefined;
}

function byWords(said: string): Language | undefined {
  const scores = COMMON.map(([language]) => ({ language, hits: 0, kinds: new Set<string>() }));
  for (const word of said.toLowerCase().match(/\p{L}+/gu) ?? [])
    for (const at of HAVING.get(word) ?? []) {
      scores[at]!.hits++;
      scores[at]!.kinds.add(word);
    }
  const [best, second] = scores.sort((a, b) => b.hits - a.hits);
  return best!.kinds.size >= LEAST_WORDS && best!.hits >= second!.hits * AHEAD ? best!.language : undefined;
}
