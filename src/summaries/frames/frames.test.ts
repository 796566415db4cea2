import { beforeAll, describe, expect, it } from "vitest";
import type { Message } from "../../core/types.ts";
import { summaryMessage } from "../summary-message.ts";
import { escapeText } from "../text/escape.ts";
import { SECTION_NAMES } from "../write/section-titles.ts";
import { readSections, reframe } from "../write/sections.ts";
import { frameOf, loadFrame } from "./frames.ts";
import { LANGUAGE_NAMES, type Language, languageOf } from "./language.ts";

const count = (text: string): number => Math.ceil(text.length / 4);
const say = (role: Message["role"], text: string): Message => ({ role, parts: [{ type: "text", text }] });
const SAID: Readonly<Record<Language, string>> = {
  en: "Please look at the tests and tell me what is wrong with them.",
  de: "Bitte schau dir die Tests an und sag mir, was mit dem Parser nicht stimmt.",
  fr: "Regarde les tests et dis-moi ce qui ne va pas dans le parser, je ne comprends pas.",
  es: "Mira las pruebas y dime qué está mal en el parser, por favor, que no lo entiendo.",
  pt: "Olhe os testes e me diga o que está errado com o parser, não entendo isso.",
  it: "Guarda i test e dimmi che cosa non va con il parser, non lo capisco.",
  ru: "Посмотри тесты в src/parser.ts и скажи, что с ними не так.",
  ar: "انظر إلى الاختبارات في src/parser.ts وقل لي ما الخطأ فيها من فضلك.",
  zh: "请看一下 src/parser.ts 的测试，告诉我哪里有问题。",
  ja: "src/parser.ts のテストを見て、どこが間違っているか教えてください。",
  ko: "src/parser.ts의 테스트를 보고 무엇이 잘못되었는지 알려 주세요.",
};
const languages = Object.keys(LANGUAGE_NAMES) as Language[];
const talk = (language: Language): Message[] =>
  Array.from({ length: 30 }, (_, turn) => [
    say("user", `${SAID[language]} (${turn})`),
    say("assistant", `src/file_${turn}.ts: value_${turn} = ${turn * 7};`),
  ]).flat();
const made = (language: Language) =>
  summaryMessage({
    messages: talk(language),
    hidden: [{ from: 0, to: 50 }],
    visible: (index) => index >= 50,
    cap: 900,
    count,
    narrative: [{ text: "## Open\n- The parser.", covers: { from: 0, to: 20 } }],
  })!.text;

beforeAll(async () => loadFrame("de"));

describe.each(languages)("a conversation in %s", (language) => {
  it("is recognised, and framed in its own language", () => {
    expect(languageOf(talk(language))).toBe(language);
    const text = made(language);
    const { introduction, titles, headings } = frameOf(language);
    expect(text).toContain(introduction.replace("#", "#1–50"));
    expect(text).toContain(`\n${titles.words}\n`);
    expect(text).toContain(`## ${headings.get("open") ?? "Open"}\n- The parser.`);
  });

  it("has a summary message that is read back as it was written, and stays as it is", () => {
    const text = made(language);
    expect(readSections(text).words?.length).toBeGreaterThan(0);
    expect(reframe(text)).toBe(text);
  });

  it("has titles that nobody else can write", () => {
    const { titles } = frameOf(language);
    for (const name of SECTION_NAMES)
      expect(escapeText(`x\n${titles[name]}\ny`)).toBe(`x\n\\${titles[name]}\ny`);
  });
});

it.each([
  ["code alone", "src/parser.ts"],
  ["a word or two", "ok, go"],
  ["Ukrainian", "Подивись на тести і скажи, що з ними не так, якщо їх немає."],
  ["Persian", "لطفاً آزمون‌ها را ببین و بگو چه چیزی اشتباه است، پس از آن گزارش کن."],
  ["Dutch", "Kijk naar de tests en zeg me wat er mis is met de parser."],
])("%s gets English", (_, said) => {
  expect(languageOf([say("user", said)])).toBe("en");
});

it("doesn't take pasted output for what the user speaks", () => {
  const english = Array.from({ length: 40 }, (_, at) =>
    say("assistant", `The value is ${at} and that is what the test wants.`),
  );
  expect(languageOf([...english, say("user", SAID.de)])).toBe("de");
});
