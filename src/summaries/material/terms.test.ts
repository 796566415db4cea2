import { describe, expect, it } from "vitest";
import { growth, LINEAR } from "../../../test/support/growth.ts";
import { shapeOf, TermTable } from "./terms.ts";

const termsOf = (text: string): string[] => {
  const table = new TermTable();
  return table.scan(text).map((id) => table.terms[id]!);
};

describe("TermTable", () => {
  it("finds a path, its file and its words", () => {
    expect(termsOf("open src/parser/lexer_state.ts now")).toEqual([
      "open",
      "src/parser/lexer_state.ts",
      "parser",
      "lexer_state.ts",
      "lexer",
      "state",
    ]);
  });

  it("leaves out punctuation around a term and words of fewer than four letters", () => {
    expect(termsOf("--force. (the) end of it... done-")).toEqual(["force", "done"]);
  });

  it("finds words in scripts without spaces", () => {
    expect(termsOf("数据库连接失败").length).toBeGreaterThan(1);
    expect(termsOf("데이터베이스 연결").length).toBe(2);
    expect(termsOf("база данных")).toEqual(["база", "данных"]);
  });

  it("gives the same term the same number, each once per text", () => {
    const table = new TermTable();
    expect(table.scan("alpha beta alpha")).toEqual([0, 1]);
    expect(table.scan("beta")).toEqual([1]);
  });

  it("takes linear time on rules and encoded data", () => {
    const cost = growth((size) => expect(termsOf(`${"-".repeat(size)}a`)).toEqual([]), 40_000);
    expect(cost).toBeLessThan(LINEAR);
  });
});

describe("shapeOf", () => {
  it.each([
    ["src/core/types.ts", "path"],
    ["types.ts", "dotted"],
    ["snake_case", "name"],
    ["camelCase", "name"],
    ["abc123", "digits"],
    ["well-known", "joined"],
    ["Berlin", "capitalised"],
    ["word", "plain"],
  ])("%s is %s", (term, shape) => {
    expect(shapeOf(term)).toBe(shape);
  });
});
