import { describe, expect, it } from "vitest";
import { spokenSentences } from "../text/sentences.ts";
import { setsLastingRule } from "./rules.ts";

const lastingRules = (text: string): string[] => spokenSentences(text).filter(setsLastingRule);

describe("setsLastingRule", () => {
  it.each([
    "Always run the tests before you commit.",
    "From now on answer in French",
    "I’d prefer tabs over spaces.",
    "Never touch the migrations.",
    "Antworte ab jetzt auf Deutsch.",
    "À partir de maintenant, utilise des tirets.",
    "Recuerda que no uso Docker.",
    "Всегда пиши тесты.",
    "以后都用中文回答，记住。",
    "今後は必ずテストを書いてください",
    "항상 한국어로 답해 주세요",
    "دائما استخدم اللغة العربية",
    "Spaces, never tabs.",
    "It must never happen again.",
    "Push to branches, never on main.",
    "The client wants it in UTC, never in local time.",
    "It never answers at night, so always try twice.",
  ])("%s", (text) => {
    expect(setsLastingRule(text)).toBe(true);
  });

  it.each([
    "Fix the failing test in parser.ts",
    "What does this do?",
    "Thanks, that works",
    "Nevertheless it failed",
    "store.test.ts breaks on the server every other day, never on my desk.",
    "The upload stalls at times, but never in the office.",
    "Tell me why it never happens here.",
  ])("not: %s", (text) => {
    expect(setsLastingRule(text)).toBe(false);
  });
});

it("finds the sentences that set a rule", () => {
  expect(lastingRules("Look at this. Never delete files! Thanks.")).toEqual(["Never delete files!"]);
});

it("a point inside a file's name, an address or a number ends no sentence", () => {
  expect(
    lastingRules("It is slow. Take ~/dumps/osby-0218.db, 214 MB, and never open the original. Fine."),
  ).toEqual(["Take ~/dumps/osby-0218.db, 214 MB, and never open the original."]);
  expect(lastingRules("Look.\nAlways run queue.test.ts with Node 22.13!\nThen stop.")).toEqual([
    expect.stringContaining("Always run queue.test.ts with Node 22.13!"),
  ]);
});
