import cl100k from "gpt-tokenizer/bpeRanks/cl100k_base";
import o200k from "gpt-tokenizer/bpeRanks/o200k_base";
import { CL100K_TOKEN_SPLIT_REGEX, O200K_TOKEN_SPLIT_REGEX } from "gpt-tokenizer/encodingParams/constants";
import { expect, test } from "vitest";
import { readVocabulary, SPLIT_PATTERNS } from "./exact-counter.ts";
import cl100kText from "./vocabularies/cl100k_base.ts";
import o200kText from "./vocabularies/o200k_base.ts";

const bytesOf = (token: string | readonly number[]) =>
  Buffer.from(typeof token === "string" ? token : Uint8Array.from(token)).toString("hex");

test.each([
  ["o200k_base", o200kText, o200k],
  ["cl100k_base", cl100kText, cl100k],
] as const)("%s: every token has the rank and the bytes that it was published with", (_, text, published) => {
  const read = readVocabulary(text).map(bytesOf);
  expect(read.length).toBe(published.length);
  expect(read.filter((bytes, rank) => bytes !== bytesOf(published[rank]!))).toEqual([]);
});

test("a token that starts with a byte order mark is text", () => {
  expect(readVocabulary(o200kText).filter((token) => token[0] === "\uFEFF").length).toBeGreaterThan(0);
});

test("texts are cut by the patterns that the vocabularies were made with", () => {
  expect(SPLIT_PATTERNS.o200k_base).toBe(O200K_TOKEN_SPLIT_REGEX.source);
  expect(SPLIT_PATTERNS.cl100k_base).toBe(CL100K_TOKEN_SPLIT_REGEX.source);
});
