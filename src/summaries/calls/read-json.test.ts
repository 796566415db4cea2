import { expect, it } from "vitest";
import { readJson } from "../material/lines.ts";

it("puts short values side by side and long texts on their own lines", () => {
  const long = "A passage that is long enough to stand on its own line. ".repeat(3).trim();
  expect(readJson(JSON.stringify([{ n: 1, id: "doc-a", text: long }]))).toBe(`n=1 id=doc-a\ntext=${long}`);
});

it("leaves alone what isn't JSON", () => {
  expect(readJson("{ not json")).toBeUndefined();
  expect(readJson("plain text")).toBeUndefined();
  expect(readJson("")).toBeUndefined();
});
