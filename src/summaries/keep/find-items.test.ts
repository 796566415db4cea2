import { expect, test } from "vitest";
import { growth, LINEAR } from "../../../test/support/growth.ts";
import { findItems } from "./missing-items.ts";

const found = (text: string, prose = true): string[] =>
  findItems(text, prose).map((item) => `${item.kind} ${item.text}`);

test.each<[string, string[]]>([
  ["See src/core/view.ts, please.", ["path src/core/view.ts"]],
  ["./run.sh and ~/notes and /etc/hosts", ["path ./run.sh", "path ~/notes", "path /etc/hosts"]],
  ["Open README.md.", ["path README.md"]],
  ["At https://example.test/a?b=1.", ["path https://example.test/a?b=1"]],
  ["C:\\Users\\me\\a.txt is there", ["path C:\\Users\\me\\a.txt"]],
  ["and/or, 1/2, 50 km/h", ["number 50 km/h"]],
  ["It took 350 ms and 1,200.5 MB, about 15 %.", ["number 350 ms", "number 1,200.5 MB", "number 15 %"]],
  ["It costs $1,200 or €30.", ["number $1,200", "number €30"]],
  ["Due 2026-03-14, version 2.3.1.", ["number 2026-03-14", "number 2.3.1"]],
  ["需要30分钟", ["number 30分钟"]],
  ["3 files, 2nd try, utf8", []],
  ["Invoice INV-2024-0017 for commit a1b2c3d", ["id INV-2024-0017", "id a1b2c3d"]],
  ["6f1b2c3d-0000-4000-8000-aabbccddeeff is it", ["id 6f1b2c3d-0000-4000-8000-aabbccddeeff"]],
  ["createCompactor and land_at and PostgreSQL", ["name createCompactor", "name land_at", "name PostgreSQL"]],
  [
    "The Acme Widget Pro 3000 by Globex Corporation.",
    ["name Acme Widget Pro 3000", "name Globex Corporation"],
  ],
  ["DO NOT do Step 3 with mode 0o644 on Windows 11", ["name Windows 11"]],
  ["In Berlin it rains. The cat sleeps.", []],
  ["他推荐《三体》和「吾輩は猫である」", ["name 三体", "name 吾輩は猫である"]],
  ["The password is hunter2x, the key sk-abcdef1234567890abcdef, token: a1B2c3D4", []],
])("%j", (text, wanted) => {
  expect(found(text)).toEqual(wanted);
});

test("tool output gives paths, ids and identifiers, no measures and no names in words", () => {
  expect(found("Total Time 350 ms in src/a/b.ts for run-17a", false)).toEqual([
    "path src/a/b.ts",
    "id run-17a",
  ]);
});

test.each(["+", "a", "a/", "A ", "1", "_a", "-", ".", "Aa "])(
  "a long run of %j costs no more than reading it",
  (unit) => {
    expect(growth((size) => findItems(unit.repeat(size), true), 2_000)).toBeLessThan(LINEAR);
    expect(growth((size) => findItems(`a${unit.repeat(size)}/ b`, true), 2_000)).toBeLessThan(LINEAR);
  },
);
