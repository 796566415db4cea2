import { expect, it } from "vitest";
import { splitDocuments } from "./message-text.ts";

it("documents in tags stand apart from the question, with number and title", () => {
  const text =
    '<documents>\n<document index="2" title="Manual">200 rpm</document>\n<source>a.md</source></documents>\nHow fast?';
  expect(splitDocuments(text)).toEqual({
    rest: "How fast?",
    documents: [
      { name: "[2] Manual", text: "200 rpm" },
      { name: "source", text: "a.md" },
    ],
  });
});

it("words about tags stay as they are", () => {
  const text = "What does <document> mean, and </context>?  ";
  expect(splitDocuments(text)).toEqual({ rest: text, documents: [] });
});
