import { describe, expect, it } from "vitest";
import type { Message } from "../../core/types.ts";
import { citationRegistry, citationsIn } from "./citations.ts";
import { definedSources } from "./defined-sources.ts";

const result = (value: unknown): Message => ({
  role: "tool",
  parts: [{ type: "tool-result", id: "1", text: typeof value === "string" ? value : JSON.stringify(value) }],
});
const answer = (text: string): Message => ({ role: "assistant", parts: [{ type: "text", text }] });

describe("citationsIn", () => {
  it.each([
    ["a [3] b", ["3"]],
    ["a [1, 2] b", ["1", "2"]],
    ["a [3–5] b", ["3", "4", "5"]],
    ["a [^4] b", ["^4"]],
    ["a 【7†source】 b", ["7"]],
    ["in [2024] b", []],
    ["none", []],
  ])("%s", (text, numbers) => {
    expect(citationsIn(text)).toEqual(numbers);
  });
});

describe("definedSources", () => {
  const keys = (text: string) =>
    definedSources({ type: "tool-result", id: "1", text }).map(({ number, key }) => [number, key]);

  it.each([
    ['[{"n": 3, "document_id": "doc-a", "text": "…"}]', [["3", "doc-a"]]],
    [
      '{"results": [{"index": 1, "url": "https://a.example/x", "title": "X"}]}',
      [["1", "https://a.example/x"]],
    ],
    ["[2] A title, https://b.example/y", [["2", "https://b.example/y"]]],
    ["[^4]: The handbook, page 7", [["^4", "The handbook, page 7"]]],
    ['<document index="5" source="handbook.pdf">text</document>', [["5", "handbook.pdf"]]],
    [
      '<document index="6">\n<source>handbook.pdf</source>\n<document_content>\ntext\n</document_content>\n</document>',
      [["6", "handbook.pdf"]],
    ],
    ["<doc id='7'>The pump needs oil.\nMore.</doc>", [["7", "The pump needs oil."]]],
    ["1. Report https://c.example/z", [["1", "https://c.example/z"]]],
    ["2. handbook.pdf — the pump", [["2", "handbook.pdf — the pump"]]],
    ["1. Just a step of a list", []],
  ])("%s", (text, expected) => {
    expect(keys(text)).toEqual(expected);
  });
});

describe("citationRegistry", () => {
  const renumbered: Message[] = [
    result([{ n: 1, document_id: "doc-old" }]),
    answer("Old fact [1]."),
    result([{ n: 1, document_id: "doc-new" }]),
    answer("New fact [1]."),
  ];

  it("gives sources that share a number numbers of their own, which a longer transcript doesn't change", () => {
    const registry = citationRegistry(renumbered);
    expect(registry.resolve(3, "1")).toMatchObject({ number: "102", key: "doc-new" });
    expect(registry.resolve(1, "1")).toMatchObject({ number: "101", key: "doc-old" });
    expect(registry.inText("Old fact [1].", 1)).toBe("Old fact [101].");
    expect(registry.inText("New fact [1].", 3)).toBe("New fact [102].");
    const longer = citationRegistry([
      ...renumbered,
      result([{ n: 1, document_id: "doc-newer" }]),
      answer("Newer fact [1], and as was said [101]."),
    ]);
    expect(longer.inText("Newer fact [1], and as was said [101].", 5)).toBe(
      "Newer fact [103], and as was said [101].",
    );
    expect(longer.inRecord("Old fact [101], new fact [102], made up [1], [7].", 5)).toBe(
      "Old fact [101], new fact [102], made up,.",
    );
  });

  it("leaves the host's numbers where no two sources share one", () => {
    const registry = citationRegistry([
      result([{ n: 1, url: "https://a.example" }]),
      answer("A [1]"),
      result([{ n: 2, url: "https://b.example" }]),
      answer("B [2]\n\n[2] https://b.example"),
    ]);
    expect(registry.isOwn).toBe(false);
    expect(registry.inText("A [1], B [2]", 3)).toBe("A [1], B [2]");
  });

  it("gives one source one number even if the host counts anew", () => {
    const registry = citationRegistry([
      result([{ n: 1, url: "https://a.example" }]),
      answer("A [1]"),
      result([{ n: 2, url: "https://a.example" }]),
      answer("B [2]"),
    ]);
    expect(registry.resolve(1, "1")?.number).toBe(registry.resolve(3, "2")?.number);
  });

  it("leaves brackets alone that cite nothing", () => {
    const registry = citationRegistry(renumbered);
    expect(registry.inText("rows[7] = 3", 1)).toBe("rows[7] = 3");
    expect(registry.inText("`rows[1]` and [1]", 1)).toBe("`rows[1]` and [101]");
  });
});
