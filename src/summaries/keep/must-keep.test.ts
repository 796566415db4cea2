import { describe, expect, test } from "vitest";
import { growth, LINEAR } from "../../../test/support/growth.ts";
import type { Message, Part } from "../../core/types.ts";
import { type MustKeepInput, missingItems, mustKeepOf } from "./must-keep.ts";

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
  test("what the user named stands before what calls used, and what only results mention is no must", () => {
    const messages = [
      say("user", "Please repair src/wanted/a.ts."),
      ...round({ path: "src/used/b.ts" }, "import src/seen/c.ts"),
      ...round({ path: "src/used/b.ts" }, "import src/seen/c.ts"),
    ];
    expect(texts(messages)).toEqual(["src/wanted/a.ts", "src/used/b.ts"]);
  });

  test("newer before older, what many calls used before what one used", () => {
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
    expect(texts(messages)).toEqual(["src/used/c.ts", "src/new/a.ts"]);
  });

  test("a paste isn't the user's word", () => {
    const messages = [
      say("user", `Look at src/real/a.ts\n\`\`\`\nat src/pasted/b.ts\n${"some output\\n".repeat(100)}\`\`\``),
      ...round({ path: "src/used/c.ts" }, ""),
    ];
    expect(texts(messages)).toEqual(["src/real/a.ts", "src/used/c.ts"]);
  });
});

describe("what the conversation is about", () => {
  test("samples that the assistant wrote often don't crowd out what the user said once", () => {
    const sample = "Sample budget: rent $1,200, food $400, gym $60, on 2026-01-01.";
    const messages = [
      say("user", "My daughter's party is on 2026-05-14 and I can spend $850."),
      ...Array.from({ length: 12 }, () => say("assistant", sample)),
    ];
    expect(texts(messages)).toEqual(["$850", "2026-05-14"]);
  });

  test("what later messages still name is needed, whoever said it", () => {
    const messages = [
      say("assistant", "Two adapters would fit: KX-200 and KX-300."),
      say("user", "I'll take the KX-300."),
    ];
    expect(texts(messages, { run: { from: 0, to: 1 } })).toEqual(["KX-300"]);
  });

  test("paths of one home are listed without it, and a record with either form has them", () => {
    const home = "/Users/dev/work/app/cmd/cli";
    const messages = [
      ...round({ path: `${home}/resume.go` }, ""),
      ...round({ path: `${home}/paths/paths.go` }, ""),
    ];
    const items = mustKeepOf({ messages, run: { from: 0, to: 4 }, cap: 1_000, count });
    expect(items.map(({ text }) => text)).toEqual(["cmd/cli/paths/paths.go", "cmd/cli/resume.go"]);
    expect(missingItems(`${home}/resume.go and paths/paths.go`, items)).toEqual([]);
  });

  test("a path outside of the project, or a route, doesn't make the others longer", () => {
    const home = "/Users/dev/work/app/cmd/cli";
    const messages = [
      say("user", "The route is /login, and the notes are in docs/notes.md."),
      ...["a", "b", "c", "d", "e"].flatMap((name) => round({ path: `${home}/${name}.go` }, "")),
      ...round({ path: "/opt/tools/share/lint/rules.yml" }, ""),
    ];
    const items = mustKeepOf({ messages, run: { from: 0, to: messages.length }, cap: 1_000, count });
    const paths = items.map(({ text }) => text);
    expect(paths).toContain("cmd/cli/a.go");
    expect(paths).toContain("/opt/tools/share/lint/rules.yml");
    expect(paths).toContain("/login");
  });

  test("an item that could mean several things names its message", () => {
    const items = mustKeepOf({
      messages: [say("user", "I earn $25 an hour."), say("user", "The car costs $25,000; see src/car.ts.")],
      run: { from: 0, to: 2 },
      cap: 1_000,
      count,
    });
    expect(items.find(({ text }) => text === "$25")).toMatchObject({ message: 0 });
    expect(items.find(({ text }) => text === "src/car.ts")).toMatchObject({ message: 1 });
  });
});

describe("restrictions", () => {
  const restrictions = (text: string): string[] =>
    mustKeepOf({ messages: [say("user", text)], run: { from: 0, to: 1 }, cap: 2_000, count }).flatMap(
      (item) => (item.kind === "restriction" ? [item.text] : []),
    );

  test.each([
    "Never push to main.",
    "Please don't touch the prod database.",
    "Do not delete anything under /srv/data!",
    "You must not send emails without asking me first.",
    "Leave vendor/ alone.",
    "Ask me before you deploy.",
    "Bitte niemals auf main pushen.",
    "No borres nada sin permiso.",
    "Не трогай продакшн.",
    "不要修改生产环境的配置。",
    "本番環境には絶対に触らないでください。",
  ])("%j is kept word for word", (text) => {
    expect(restrictions(`Let's begin with the parser. ${text} Then run the tests.`)).toEqual([text]);
  });

  test.each([
    "I don't know why the build fails.",
    "It doesn't work, I don't understand it.",
    "Don't worry about the colours.",
    "The test did not pass and the server is not up.",
  ])("%j forbids nothing", (text) => {
    expect(restrictions(text)).toEqual([]);
  });

  test("what a tool or the assistant forbids is no word of the user's", () => {
    const messages = [say("assistant", "Never push to main."), ...round({}, "Do not delete this file.")];
    expect(texts(messages)).toEqual([]);
  });

  test("a record that doesn't have one gets it by code, words and all", () => {
    const [ban] = mustKeepOf({
      messages: [say("user", "Never push to main, please.")],
      run: { from: 0, to: 1 },
      cap: 500,
      count,
    });
    expect(missingItems('The user said: "never push to main - please"', [ban!])).toEqual([]);
    expect(missingItems("The user did not want pushes to main.", [ban!])).toEqual([ban]);
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

  test("a megabyte of tool output in one result costs no more than reading it", () => {
    const line = "12: at Object.run (/srv/app/src/core/view.ts:12:4) id=a1b2c3d4\n";
    const cost = growth((lines) => {
      expect(texts(round({ path: "src/core/view.ts" }, line.repeat(lines)))).not.toEqual([]);
    }, 2_000);
    expect(cost).toBeLessThan(LINEAR);
  });
});

test("the same input gives the same list", () => {
  const messages = [say("user", "a_b c_d e_f g_h"), say("assistant", "x_y z_w [1] [2]")];
  expect(texts(messages)).toEqual(texts(structuredClone(messages)));
});

describe("what is no must", () => {
  test("paths of the system, times to the second, headings of the assistant and its estimates", () => {
    const messages = [
      say("user", "Sort the settings in src/settings.ts."),
      ...round({ command: "/usr/bin/sort src/settings.ts", since: "2026-02-15T15:04:05Z" }, ""),
      ...round({ path: "settings.json", id: "toolu_01AbCdEf" }, ""),
      say("assistant", "## Root Cause Analysis\nIt takes 25 minutes. See tool_use_id."),
      say("user", "Go on."),
      say("assistant", "## Root Cause Analysis\nIt takes 25 minutes. See tool_use_id in /usr/bin/sort."),
    ];
    expect(texts(messages, { run: { from: 0, to: 6 } })).toEqual(["src/settings.ts"]);
  });

  test("several addresses of one place; those that the user named stay", () => {
    const page = (at: number) => `https://docs.example.org/guide/part-${at}`;
    const fetched = [1, 2, 3, 4].flatMap((at) => round({ url: page(at) }, ""));
    expect(texts(fetched)).toHaveLength(1);
    expect(texts([say("user", `Read ${page(1)} and ${page(2)}.`), ...fetched])).toHaveLength(2);
  });
});

describe("what is one", () => {
  test("commits, pull requests and issues, as long as they are", () => {
    const messages = [
      say("user", "Mend it."),
      ...round({ command: "git commit -am Mend" }, "[main a1b2c3d] Mend\n 1 file changed"),
      ...round({ command: "gh pr create --fill" }, "https://github.com/o/r/pull/12"),
    ];
    const items = mustKeepOf({ messages, run: { from: 0, to: 5 }, cap: 1_000, count });
    expect(items.map(({ text }) => text)).toEqual(expect.arrayContaining(["a1b2c3d", "PR 12"]));
    const lacking = (record: string) => missingItems(record, items).map(({ text }) => text);
    expect(lacking("Committed a1b2c3d and opened pull request #12.")).not.toContain("PR 12");
    expect(lacking("Committed a1b2c3d, see #12 and PR 123.")).toContain("PR 12");
  });

  test("a rule that holds from then on, and one that the user typed when refusing a call", () => {
    const refused =
      "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nNever touch the lock file.";
    const messages = [say("user", "Always answer in French."), ...round({ path: "src/a.ts" }, refused)];
    expect(texts(messages)).toEqual(
      expect.arrayContaining(["Always answer in French.", "Never touch the lock file."]),
    );
  });

  test("the answer that the user chose, and a date that was named once, long ago", () => {
    const answered =
      'User has answered your questions: "Which database?"="SQLite in WAL mode". You can now continue.';
    const messages = [
      say("user", "The release is on 2026-05-14."),
      ...round({ questions: [{ question: "Which database?" }] }, answered),
      ...Array.from({ length: 30 }, (_, at) => round({ path: `src/f${at}.ts` }, "")).flat(),
    ];
    expect(texts(messages, { cap: 400 }).slice(0, 3)).toEqual(
      expect.arrayContaining(["2026-05-14", "SQLite in WAL mode"]),
    );
  });
});
