import fc from "fast-check";
import cl100k from "gpt-tokenizer/bpeRanks/cl100k_base";
import o200k from "gpt-tokenizer/bpeRanks/o200k_base";
import { countTokens as countCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens as countO200k } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { growth, LINEAR } from "../../test/support/growth.ts";
import { byProof } from "../../test/support/proof.ts";
import { anyCharacter } from "../testing/arbitraries/texts.ts";
import { createBpe, exactCounter, patientCounter, readVocabulary } from "./exact-counter.ts";
import cl100kText from "./vocabularies/cl100k_base.ts";
import o200kText from "./vocabularies/o200k_base.ts";

const NO_SPECIAL = { disallowedSpecial: new Set<string>() };
const REFERENCE = {
  o200k_base: (text: string) => countO200k(text, NO_SPECIAL),
  cl100k_base: (text: string) => countCl100k(text, NO_SPECIAL),
};
const VOCABULARY = { o200k_base: o200k, cl100k_base: cl100k };
const TEXT = { o200k_base: o200kText, cl100k_base: cl100kText };
const ENCODINGS = ["o200k_base", "cl100k_base"] as const;

/** gpt-tokenizer doesn't find its own tokens that start with a byte order mark, and so counts more than there are. */
const BOM = /\uFEFF/;
/** The most that cutting a pre-token in two may change its count. */
const TOKENS_PER_CUT = 8;

const CJK = Array.from({ length: 3_000 }, (_, i) => String.fromCharCode(0x4e00 + i)).join("");

/** Lines of a text that is counted in several regions. */
const LINES = byProof({ sample: 5_000, more: 20_000, all: 20_000 });

/** Pseudo-random letters, the same in every run. */
function letters(length: number, alphabet = "abcdefghijklmnopqrstuvwxyz"): string {
  let seed = 12_345;
  let text = "";
  for (let i = 0; i < length; i++) {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    text += alphabet[(seed >> 8) % alphabet.length];
  }
  return text;
}

/** Strings as adversarial as they come: any code unit, lone surrogates included. */
const anyString = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 })
    .map((units) => String.fromCharCode(...units)),
);
/** Strings of few kinds of characters, so that long pre-tokens and merges happen. */
const repetitive = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        " ",
        "\n",
        "\r\n",
        "\t",
        "a",
        "ab",
        "Az",
        "=",
        "-",
        "/",
        "'s",
        "é",
        "语",
        "한",
        "😀",
        "\u0301",
        "7",
      ),
      fc.integer({ min: 1, max: 90 }),
    ),
    { maxLength: 12 },
  )
  .map((runs) => runs.map(([text, times]) => text.repeat(times)).join(""));

describe.each(ENCODINGS)("%s", (encoding) => {
  const reference = REFERENCE[encoding];

  test("counts any text as gpt-tokenizer does", async () => {
    const counter = await exactCounter(encoding);
    fc.assert(
      fc.property(fc.oneof(anyString, repetitive), (text) => {
        fc.pre(!BOM.test(text));
        expect(counter.count(text)).toBe(reference(text));
      }),
      { numRuns: byProof({ sample: 60, more: 3_000, all: 30_000 }) },
    );
  });

  test.each([
    ["", 0],
    ["Hello, world!", 4],
  ])("counts %j as %i", async (text, tokens) => {
    expect((await exactCounter(encoding)).count(text)).toBe(tokens);
  });

  test("special tokens are ordinary text", async () => {
    const counter = await exactCounter(encoding);
    for (const text of ["<|endoftext|>", "a <|im_start|>system<|im_sep|> b<|im_end|>"]) {
      expect(counter.count(text)).toBe(reference(text));
      expect(counter.count(text)).toBeGreaterThan(4);
    }
  });

  test("a lone surrogate counts as what leaves on the wire", async () => {
    const counter = await exactCounter(encoding);
    for (const text of ["\uD83D", "a\uDE00b", "x".repeat(20) + "\uD800".repeat(7)])
      expect(counter.count(text)).toBe(reference(text.toWellFormed()));
  });

  test("a byte order mark counts as in the original tokenizer, where it is part of some tokens", async () => {
    const counter = await exactCounter(encoding);
    const texts = ["\uFEFF", "\uFEFFusing", "\uFEFFnamespace"];
    const bytesOf = (text: string) => String([...new TextEncoder().encode(text)]);
    const wanted = new Set(texts.map(bytesOf));
    const tokens = VOCABULARY[encoding].map(String).filter((token) => wanted.has(token));
    expect(tokens.sort()).toEqual([...wanted].sort());
    for (const text of texts) {
      expect(counter.count(text)).toBe(1);
      expect(reference(text)).toBeGreaterThan(1);
    }
  });

  test("the second count of a text is the first one's", async () => {
    const counter = await exactCounter(encoding);
    fc.assert(
      fc.property(anyString, anyString, (one, two) => {
        const first = [one, two, one + two].map((text) => counter.count(text));
        expect([one, two, one + two].map((text) => counter.count(text))).toEqual(first);
      }),
      { numRuns: byProof({ sample: 30, more: 200, all: 2_000 }) },
    );
  });

  test("everyone shares one counter", async () => {
    expect(await exactCounter(encoding)).toBe(await exactCounter(encoding));
  });

  test("a cut of a long pre-token changes the count by a few tokens at most", async () => {
    const countPiece = createBpe(readVocabulary(TEXT[encoding]));
    const units = fc.oneof(
      fc.string({ unit: fc.constantFrom(..."=-_*#~<>/|.:"), minLength: 1, maxLength: 4 }),
      fc.string({ unit: fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz"), minLength: 1, maxLength: 4 }),
      fc.constantFrom(" ", "\n", "\t", "\r\n", " \n", "é", "语", "的一", "😀", "\u0301"),
    );
    const repeated = units.map((unit) => unit.repeat(Math.ceil(700 / unit.length)));
    const random = fc
      .constantFrom("abcdefghijklmnopqrstuvwxyz", "abc", "=-", "=-_*#~<>/|", "的一是不了人我在有他这为之大来")
      .chain((letters) =>
        fc.string({ unit: fc.constantFrom(...letters), minLength: 400, maxLength: 700, size: "max" }),
      );
    fc.assert(
      fc.property(fc.oneof(repeated, random), fc.integer({ min: 1, max: 399 }), (piece, cut) => {
        const parts = countPiece(piece.slice(0, cut)) + countPiece(piece.slice(cut));
        expect(Math.abs(parts - countPiece(piece))).toBeLessThanOrEqual(TOKENS_PER_CUT);
      }),
      { numRuns: byProof({ sample: 60, more: 3_000, all: 30_000 }) },
    );
  });

  test.each([
    ["one letter", "a".repeat(17_000), 1],
    ["rules", "=".repeat(17_000), 1],
    ["random letters", letters(17_000), 1],
    ["text with one long run of spaces", `So ${" ".repeat(17_000)}on`, 1],
  ])("%s: longer than the guard, within its bound", async (_name, text, cuts) => {
    const counter = await exactCounter(encoding);
    expect(Math.abs(counter.count(text) - reference(text))).toBeLessThanOrEqual(cuts * TOKENS_PER_CUT);
  });

  test("a text of several regions counts as the sum of its lines", async () => {
    const counter = await exactCounter(encoding);
    const line = "const total = items.reduce((sum, item) => sum + item.price, 0); // 合計 \n";
    expect(counter.count(line.repeat(LINES))).toBe(LINES * counter.count(line));
  });
});

describe("a long text", () => {
  const LINE = "const total = items.reduce((sum, item) => sum + item.price, 0); // 合計、don't 12345 ";
  const texts: readonly (readonly [string, string])[] = [
    ["words without line breaks", LINE.replaceAll("\n", " ").repeat(2_500)],
    ["lines", `${LINE}\n`.repeat(2_500)],
    ["JSON without blanks", JSON.stringify(Array.from({ length: 20_000 }, (_, n) => ({ id: n, a: "b's" })))],
    ["CJK with punctuation", "東京は、日本の首都です。人口は1400万人。".repeat(6_000)],
    ["base64", letters(200_000, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")],
    ["blanks between words", `a${" ".repeat(40)}`.repeat(4_000)],
    ["empty lines and slashes", "a\n\n//b/\n /c\t\r\n".repeat(16_000)],
    ["emoji and marks", "e\u0301😀 x".repeat(30_000)],
  ];

  test.each(texts)("of %s counts as a whole, though it is counted region by region", async (_name, text) => {
    for (const encoding of ENCODINGS)
      expect((await patientCounter(encoding)).count(text)).toBe(REFERENCE[encoding](text));
  });

  test("that was counted with pauses is known", async () => {
    const counter = await patientCounter("o200k_base");
    const text = `${letters(300)} `.repeat(5_000);
    const owner = { text };
    let pauses = 0;
    const pause = async () => void pauses++;
    const tokens = await counter.countFor(owner, text, pause);
    expect(pauses).toBeGreaterThan(text.length / 40_000);
    expect(counter.count(text)).toBe(tokens);
    pauses = 0;
    expect(await counter.countFor(owner, text, pause)).toBe(tokens);
    expect(pauses).toBe(0);
  });
});

describe("any input takes time in proportion to its length", () => {
  const MB = 1 << 20;
  const inputs: readonly (readonly [string, (length: number) => string])[] = [
    ["spaces", (n) => " ".repeat(n)],
    ["one letter", (n) => "a".repeat(n)],
    ["rules", (n) => "=".repeat(n)],
    ["line breaks", (n) => "\n".repeat(n)],
    ["random letters", (n) => letters(n)],
    ["CJK without punctuation", (n) => letters(n, CJK)],
    ["combining marks", (n) => "\u0301".repeat(n)],
    ["emoji", (n) => "😀".repeat(n / 2)],
    ["base64", (n) => letters(n, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")],
  ];

  test.each(inputs)("%s cost no more than reading them", async (_name, make) => {
    const counter = await exactCounter("o200k_base");
    const texts = new Map([MB / 64, MB / 8].map((size) => [size, make(size)]));
    let round = 0;
    const cost = growth((size) => {
      // A text that was counted before is remembered.
      const text = `${round++} ${texts.get(size)}`;
      expect(counter.count(text)).toBeGreaterThan(text.length / 200);
    }, MB / 64);
    expect(cost).toBeLessThan(LINEAR);
  });

  /** So many are more than the pattern has stack for, if they are matched at once; 4 millions aren't. */
  const LENGTH = 10_000_000;
  const UNITS = ["😀", "语", "\u0301", " "];
  test("ten million characters without a break neither throw nor hang", async () => {
    const counter = await exactCounter("o200k_base");
    for (const unit of byProof({ sample: UNITS.slice(0, 1), more: UNITS, all: UNITS }))
      expect(counter.count(unit.repeat(LENGTH / unit.length))).toBeGreaterThan(LENGTH / 200);
  });
});
