import { expect, test } from "vitest";
import type { FoundItem, ItemKind } from "./missing-items.ts";
import { missingItems } from "./missing-items.ts";

const item = (kind: ItemKind, text: string): FoundItem => ({ kind, text });

test.each<[ItemKind, string, string]>([
  ["path", "src/core/View.ts", "changed `core/view.ts`"],
  ["path", "src/core/view.ts", "changed **view.ts**"],
  ["path", "C:\\work\\a\\b.txt", "C:/work/a/b.txt is read"],
  ["citation", "[4]", "as shown [3]–[5]"],
  ["citation", "[2]", "as shown [1, 2]"],
  ["citation", "【7†source】", "so 【7†other words】"],
  ["number", "1,200.5 MB", "about 1200.5MB"],
  ["number", "350 ms", "it took 350 ms in all"],
  ["number", "$1,200", "for $ 1200"],
  ["name", "Acme Widget Pro", "the “ACME  widget\npro”"],
  ["name", "PostgreSQL", "使用PostgreSQL数据库"],
  ["name", "三体", "他喜欢三体这本书"],
  ["id", "INV-2024-17", "invoice INV‑2024‑17"],
])("%s %j stands in %j", (kind, wanted, text) => {
  expect(missingItems(text, [item(kind, wanted)])).toEqual([]);
});

test.each<[ItemKind, string, string]>([
  ["path", "src/core/view.ts", "changed the view"],
  ["path", "src/core/view.ts", "changed preview.ts"],
  ["citation", "[3]", "as shown in 3"],
  ["citation", "[^4]", "as shown [4]"],
  ["citation", "[12]", "as shown [1]"],
  ["number", "10 ms", "took 110 ms"],
  ["number", "10 ms", "took 10 msec"],
  ["id", "ABC-12", "see ABC-123"],
  ["name", "Acme Widget", "the widget of Acme"],
])("%s %j doesn't stand in %j", (kind, wanted, text) => {
  expect(missingItems(text, [item(kind, wanted)])).toHaveLength(1);
});

test("a file name alone is enough only while it says which file is meant", () => {
  const items = [item("path", "a/index.ts"), item("path", "b/index.ts")];
  expect(missingItems("changed index.ts", items)).toEqual(items);
  expect(missingItems("changed a/index.ts", items)).toEqual([items[1]]);
});
