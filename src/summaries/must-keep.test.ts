import { describe, expect, test } from "vitest";
import { cpuMs } from "../../test/support/cpu-time.ts";
import type { Message, Part } from "../core/types.ts";
import { type MustKeepInput, mustKeepOf } from "./must-keep.ts";

const count = (text: string): number => Math.ceil(text.length / 4);
const say = (role: "user" | "assistant", text: string): Message => ({
  role,
  parts: [{ type: "text", text }],
});
const round = (args: object, text: string): Message[] => {
  const call: Part = { type: "tool-call", id: "c", name: "read", args: JSON.stringify(args) };
  return [
    { role: "assistant", parts: [call] },
    { role: "tool", parts: [{ type: "tool-result", id: "c", text }] },
  ];
};
const texts = (messages: Message[], rest: Partial<MustKeepInput> = {}): string[] =>
  mustKeepOf({ messages, run: { from: 0, to: messages.length }, cap: 1_000, count, ...rest }).map(
    ({ text }) => text,
  );

describe("citations", () => {
  const messages = [
    say("assistant", "A [1], B [2], C [3]–[5], D[^6], E 【7†source】."),
    say("user", "What does [4] say, and 【7†source】?"),
    say("assistant", "It says F [9]."),
  ];

  test("those that later messages refer to come first, whatever the ceiling", () => {
    expect(texts(messages, { run: { from: 0, to: 1 }, cap: 1 })).toEqual(["[4]", "【7†source】"]);
  });

  test("the others compete for their share", () => {
    expect(texts(messages, { run: { from: 0, to: 1 } })).toEqual(
      expect.arrayContaining(["[1]", "[2]", "[3]", "[5]", "[^6]"]),
    );
  });

  test("`later` can be narrower than the rest", () => {
    const later = { from: 2, to: 3 };
    expect(texts(messages, { run: { from: 0, to: 1 }, later, cap: 1 })).toEqual([]);
  });

  test("an index into an array of a tool's output is none", () => {
    expect(
      texts([...round({}, "rows[3] = 4"), say("user", "and [3]?")], { run: { from: 0, to: 2 } }),
    ).toEqual([]);
  });
});

describe("rank", () => {
  test("what the user named stands before what calls used, and that before what only results mention", () => {
    const messages = [
      say("user", "Please repair src/wanted/a.ts."),
      ...round({ path: "src/used/b.ts" }, "import src/seen/c.ts"),
      ...round({ path: "src/used/b.ts" }, "import src/seen/c.ts"),
    ];
    expect(texts(messages)).toEqual(["src/wanted/a.ts", "src/used/b.ts", "src/seen/c.ts"]);
  });

  test("newer before older, often before once", () => {
    const old = round({ path: "src/old/a.ts" }, "");
    const fresh = round({ path: "src/new/b.ts" }, "");
    expect(texts([...old, ...fresh])).toEqual(["src/new/b.ts", "src/old/a.ts"]);
    expect(texts([...old, ...old, ...old, ...old, ...old, ...old, ...old, ...old, ...fresh])[0]).toBe(
      "src/old/a.ts",
    );
  });

  test("what stands in a file that a call writes isn't used by the call", () => {
    const messages = [
      ...round({ path: "src/new/a.ts", content: "import src/inside/b.ts\n".repeat(30) }, ""),
      ...round({ path: "src/used/c.ts" }, ""),
    ];
    expect(texts(messages)).toEqual(["src/used/c.ts", "src/new/a.ts", "src/inside/b.ts"]);
  });

  test("a paste isn't the user's word", () => {
    const messages = [
      say("user", `Look at src/real/a.ts\n\`\`\`\nat src/pasted/b.ts\n${"some output\\n".repeat(100)}\`\`\``),
      ...round({ path: "src/used/c.ts" }, ""),
    ];
    expect(texts(messages)).toEqual(["src/real/a.ts", "src/used/c.ts", "src/pasted/b.ts"]);
  });
});

describe("bounds", () => {
  const many = Array.from({ length: 400 }, (_, at) => round({ path: `src/folder/file-${at}.ts` }, "")).flat();

  test("15 % of the ceiling", () => {
    for (const cap of [50, 200, 1_000]) {
      const used = texts(many, { cap }).reduce((sum, item) => sum + count(`${item}\n`), 0);
      expect(used).toBeLessThanOrEqual(cap * 0.15);
      expect(used).toBeGreaterThan(cap * 0.15 - 10);
    }
  });

  test("no more than 40 items", () => {
    expect(texts(many, { cap: 100_000 })).toHaveLength(40);
  });

  test("a part of a chosen item isn't chosen again", () => {
    expect(texts([say("user", "src/core/view.ts, I mean view.ts")])).toEqual(["src/core/view.ts"]);
    expect(
      texts([say("user", "src/core/view.ts"), ...round({ path: "/home/me/src/core/view.ts" }, "")]),
    ).toEqual(["src/core/view.ts"]);
  });

  test("nothing inside, nothing found", () => {
    expect(texts([])).toEqual([]);
    expect(texts([say("user", "")])).toEqual([]);
  });

  test("a megabyte of tool output in one result costs little", () => {
    const output = "12: at Object.run (/srv/app/src/core/view.ts:12:4) id=a1b2c3d4\n".repeat(16_000);
    const work = cpuMs(() => expect(texts(round({ path: "x" }, output))).not.toEqual([]));
    expect(work).toBeLessThan(1_000);
  });
});

test("the same input gives the same list", () => {
  const messages = [say("user", "a_b c_d e_f g_h"), say("assistant", "x_y z_w [1] [2]")];
  expect(texts(messages)).toEqual(texts(structuredClone(messages)));
});
