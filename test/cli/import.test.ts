import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { openStore } from "../../src/stores/open-store.ts";
import { runCli, scratchFolder } from "./run-cli.ts";

const folder = scratchFolder();
afterAll(folder.remove);
const logs = folder.path("logs");
const db = folder.path("past.db");
mkdirSync(`${logs}/project`, { recursive: true });

const lines = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");
const said = (role: "user" | "assistant", content: unknown, id: string, message = id) => ({
  type: role,
  uuid: id,
  sessionId: "s1",
  timestamp: "2026-01-02T10:00:00.000Z",
  message: { role, content, ...(role === "assistant" && { id: message, model: "claude-x" }) },
});
const claude = `${logs}/project/s1.jsonl`;
writeFileSync(
  claude,
  lines([
    said("user", "The staging database is called amber-7.", "u1"),
    said("assistant", [{ type: "text", text: "Noted: amber-7." }], "a1"),
    said("user", "Where do the backups go?", "u2"),
    said("assistant", [{ type: "text", text: "Let me look." }], "a2", "m2"),
  ]),
);
writeFileSync(
  `${logs}/rollout.jsonl.gz`,
  gzipSync(
    lines([
      { timestamp: "2026-01-02T10:00:00Z", type: "session_meta", payload: { id: "s-7" } },
      ...["Rename the flag to zephyr.", "Run the linter."].map((text) => ({
        timestamp: "2026-01-02T10:00:01Z",
        type: "response_item",
        payload: { type: "message", role: "user", content: [{ type: "input_text", text }] },
      })),
    ]),
  ),
);
const pair = (question: string, answer: string) => [
  { role: "user", content: question },
  { role: "assistant", content: answer },
];
writeFileSync(
  `${logs}/export.json`,
  JSON.stringify([
    { title: "Soup", messages: pair("Hello", "Hi. The soup needs lovage.") },
    { title: "Bread", messages: pair("Hello", "Hi. The bread needs spelt.") },
  ]),
);
writeFileSync(`${logs}/package.json`, JSON.stringify({ name: "no-conversation" }));
writeFileSync(`${logs}/notes.txt`, "not a log");

const run = async (...paths: string[]) => {
  const { code, stdout, stderr } = await runCli(["import", ...paths, "--db", db, "--json"]);
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout) as Record<string, unknown>;
};
const recalled = async (query: string): Promise<{ text: string; title: string; session: string }[]> =>
  JSON.parse((await runCli(["recall", query, "--db", db, "--json"])).stdout).hits;
const listed = async (): Promise<{ length: number; title: string }[]> =>
  JSON.parse((await runCli(["inspect", "--db", db, "--json"])).stdout);

test("a folder of logs is imported once, and found by recall", async () => {
  const first = await run(logs);
  expect(first).toMatchObject({ read: 3, unchanged: 0, conversations: 4, messages: 10 });
  expect(first["passedOver"]).toEqual([
    { file: `${logs}/package.json`, reason: expect.any(String) as string },
  ]);
  expect((await recalled("name of the staging database"))[0]?.text).toContain("amber-7");
  expect((await recalled("zephyr"))[0]?.text).toContain("Rename the flag");
  expect((await recalled("what does the bread need"))[0]).toMatchObject({ title: "Bread" });
  expect(await run(logs)).toMatchObject({ read: 0, unchanged: 3, conversations: 0, messages: 0 });
});

test("a log that has grown adds what is new to its conversation, also behind an answer that was half written", async () => {
  const before = await listed();
  appendFileSync(
    claude,
    lines([
      said("assistant", [{ type: "text", text: "They go to cobalt-3." }], "a3", "m2"),
      said("user", "Thanks.", "u3"),
    ]),
  );
  expect(await run(logs)).toMatchObject({ read: 1, unchanged: 2, conversations: 1 });
  expect((await recalled("cobalt-3"))[0]?.text).toContain("They go to cobalt-3.");
  const after = await listed();
  expect(after).toHaveLength(before.length);
  expect(after.map(({ length }) => length).toSorted()).toEqual([2, 2, 2, 5]);
});

test("a file that is touched, copied or imported by itself adds nothing twice", async () => {
  utimesSync(claude, new Date(0), new Date(0));
  expect(await run(claude)).toMatchObject({ read: 1, messages: 0 });
  writeFileSync(
    folder.path("copy.json"),
    JSON.stringify({ messages: pair("Hello", "Hi. The soup needs lovage.") }),
  );
  expect(await run(folder.path("copy.json"))).toMatchObject({ read: 1, conversations: 0, messages: 0 });
  expect(await listed()).toHaveLength(4);
});

test("sessions of opencode are read from its database, each as far as it is new, while the program has it open", async () => {
  const path = folder.path("share/opencode/opencode.db");
  mkdirSync(folder.path("share/opencode"), { recursive: true });
  const opencode = new DatabaseSync(path);
  opencode.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE session (id TEXT PRIMARY KEY, title TEXT, revert TEXT, time_created INTEGER, time_updated INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, data TEXT);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT)`);
  let made = 0;
  const say = (session: string, role: string, ...parts: object[]) => {
    const id = `msg_${String(made++).padStart(4, "0")}`;
    const insert = "INSERT INTO message VALUES (?, ?, ?)";
    opencode.prepare(insert).run(id, session, JSON.stringify({ role, time: { created: made } }));
    for (const part of parts)
      opencode
        .prepare("INSERT INTO part VALUES (?, ?, ?, ?)")
        .run(`prt_${String(made++).padStart(4, "0")}`, id, session, JSON.stringify(part));
    opencode.prepare("UPDATE session SET time_updated = ? WHERE id = ?").run(made, session);
    return id;
  };
  const text = (words: string) => ({ type: "text", text: words });
  for (const id of ["ses_a", "ses_b"])
    opencode.prepare("INSERT INTO session VALUES (?, ?, NULL, ?, 0)").run(id, `Session ${id}`, made);
  say("ses_a", "user", text("Where is the beacon?"));
  const state = { status: "completed", input: { filePath: "a.ts" }, output: "beacon = saffron-12" };
  say("ses_a", "assistant", text("I look."), { type: "tool", tool: "read", callID: "c1", state });
  say("ses_b", "user", text("Name the harbour."));
  say("ses_b", "assistant", text("It is indigo-5."));

  const share = folder.path("share");
  expect(await run(share)).toMatchObject({
    read: 2,
    unchanged: 0,
    conversations: 2,
    messages: 5,
    passedOver: [],
  });
  expect((await recalled("saffron-12"))[0]).toMatchObject({ title: "Session ses_a" });
  expect(await run(share)).toMatchObject({ read: 0, unchanged: 2, messages: 0 });

  say("ses_b", "user", text("And the pier?"));
  const wrong = say("ses_b", "assistant", text("It is crimson-9."));
  expect(await run(share)).toMatchObject({ read: 1, unchanged: 1, conversations: 1, messages: 2 });
  expect((await recalled("crimson-9"))[0]?.text).toContain("It is crimson-9.");

  // What the person took back isn't read.
  say("ses_a", "user", text("Thanks."));
  const taken = say("ses_a", "assistant", text("The password is ultramarine."));
  opencode
    .prepare("UPDATE session SET revert = ? WHERE id = ?")
    .run(JSON.stringify({ messageID: taken }), "ses_a");
  expect(wrong < taken).toBe(true);
  expect(await run(share)).toMatchObject({ read: 1, messages: 1 });
  expect(await recalled("ultramarine")).toEqual([]);
  opencode.close();
});

test("a database of something else is passed over, and told with the reason where it was named", async () => {
  const path = folder.path("other/opencode.db");
  mkdirSync(folder.path("other"), { recursive: true });
  const other = new DatabaseSync(path);
  other.exec("CREATE TABLE wine (year INTEGER)");
  other.close();
  const { code, stderr } = await runCli(["import", path, "--db", db]);
  expect(code).toBe(1);
  expect(stderr).toContain(
    "isn't a readable opencode database (it has no table session, message, part). Check that it is the right file",
  );
  expect(stderr.split(path)).toHaveLength(2);
});

test("a log with a broken line between good ones is named with the line, and the others are imported", async () => {
  const broken = folder.path("broken");
  mkdirSync(broken);
  const message = (content: string) => JSON.stringify({ role: "user", content });
  const good = message("The kettle is vermilion.");
  writeFileSync(`${broken}/bad.jsonl`, `${message("One")}\n{"role": "user", \n${message("Three")}\n`);
  writeFileSync(`${broken}/first.jsonl`, `{"role": "user", \n${message("Two")}\n`);
  writeFileSync(`${broken}/good.jsonl`, `${good}\n`);
  writeFileSync(`${broken}/tsconfig.json`, '{\n  // no conversation\n  "strict": true\n}\n');
  const { code, stdout, stderr } = await runCli(["import", broken, "--db", folder.path("broken.db")]);
  expect(code).toBe(1);
  expect(stdout).toContain("1 new message in 1 conversation of 1 file added");
  expect(stdout).toMatch(
    /1 file skipped, because no conversation could be read from it:\n {2}\S*tsconfig\.json: .+\n/,
  );
  expect(stdout).toMatch(/bad\.jsonl: line 2: invalid JSON .*Repair or remove that line\.\n/);
  expect(stdout).toMatch(/first\.jsonl: line 1: invalid JSON/);
  expect(stderr).toContain("bad.jsonl: line 2");
  expect(stderr.match(/precis:/g)).toHaveLength(1);
});

test("advice for a file that is no conversation names no flag that import doesn't have", async () => {
  const { stderr } = await runCli(["import", `${logs}/package.json`, "--db", db]);
  expect(stderr).toContain("Check that this is the right file.");
  expect(stderr).not.toContain("--dialect");
  expect(stderr.match(/precis:/g)).toHaveLength(1);
});

test("imported conversations are as old as what was said last in them", async () => {
  const own = folder.path("times.db");
  await runCli(["import", claude, "--db", own]);
  const [only] = JSON.parse((await runCli(["inspect", "--db", own, "--json"])).stdout);
  expect(new Date(only.updatedAt).toISOString()).toBe("2026-01-02T10:00:00.000Z");
});

test("bad usage is told, and a file that is no conversation is a failure where it was named", async () => {
  expect((await runCli(["import"])).code).toBe(2);
  const nowhere = await runCli(["import", folder.path("none"), "--db", folder.path("none.db")]);
  expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining("there is no file") as string });
  const wrong = await runCli(["import", `${logs}/package.json`, "--db", db]);
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain("package.json");
});

test("each of many imported conversations has a short id of its own, which every command takes", async () => {
  const own = folder.path("many.db");
  const many = folder.path("many");
  mkdirSync(many);
  for (let n = 0; n < 60; n++)
    writeFileSync(`${many}/${n}.json`, JSON.stringify({ messages: pair(`Question ${n}`, `Answer ${n}.`) }));
  await runCli(["import", many, "--db", own]);
  const list = (await runCli(["chat", "--list", "--db", own])).stdout.trim().split("\n");
  const shown = list.map((line) => line.split(" ")[0]!);
  expect(list.length).toBeGreaterThan(20);
  expect(new Set(shown).size).toBe(list.length);
  const { hits } = JSON.parse((await runCli(["recall", "Question 0", "--db", own, "--json"])).stdout);
  const oldest: string = hits[0].conversation ?? hits[0].session;
  for (const id of [shown[0]!, oldest.slice(-8)]) {
    expect((await runCli(["inspect", id, "--db", own])).code).toBe(0);
    const resumed = await runCli(["chat", "--resume", id, "--db", own], { stdin: "/quit\n" });
    expect([resumed.code, resumed.stderr]).toEqual([0, expect.not.stringContaining("no conversation")]);
  }
});

test("what was said long ago isn't swept as soon as it is imported", async () => {
  const file = folder.path("long-ago.jsonl");
  writeFileSync(
    file,
    lines([
      { ...said("user", "The well is under the linden.", "w1"), timestamp: "2019-01-02T10:00:00.000Z" },
      {
        ...said("assistant", [{ type: "text", text: "Noted." }], "w2"),
        timestamp: "2019-01-02T10:00:01.000Z",
      },
    ]),
  );
  const own = folder.path("long-ago.db");
  expect((await runCli(["import", file, "--db", own])).code).toBe(0);
  const day = 24 * 60 * 60 * 1000;
  const store = openStore(own);
  try {
    const [conversation] = (await store.conversations.list("default")).conversations;
    expect(conversation!.updatedAt).toBe(Date.parse("2019-01-02T10:00:01.000Z"));
    expect((await store.upkeep.sweep({ conversationsMs: 30 * day })).conversations).toBe(0);
  } finally {
    await store.close();
  }
});

test("copies in a folder are read once, and a copy that has grown is read again", async () => {
  const own = folder.path("copies.db");
  const inside = folder.path("copies");
  mkdirSync(inside);
  const talk = (words: string) => JSON.stringify({ messages: pair("How is the well?", words) });
  for (const name of ["a", "b", "c"]) writeFileSync(`${inside}/${name}.json`, talk("Deep."));
  writeFileSync(
    `${inside}/both.json`,
    JSON.stringify([{ messages: pair("How is the well?", "Deep.") }, { messages: pair("And?", "Cold.") }]),
  );
  const again = async () => JSON.parse((await runCli(["import", inside, "--db", own, "--json"])).stdout);
  expect(await again()).toMatchObject({ read: 4, unchanged: 0, conversations: 2, messages: 4 });
  expect(await again()).toMatchObject({ read: 0, unchanged: 4, messages: 0 });
  const more = [...pair("How is the well?", "Deep."), ...pair("Really?", "Yes.")];
  writeFileSync(`${inside}/b.json`, JSON.stringify({ messages: more }));
  expect(await again()).toMatchObject({ read: 1, unchanged: 3, conversations: 1, messages: 4 });
  expect(await again()).toMatchObject({ read: 0, unchanged: 4 });
});

test("a conversation that a later import adds to has its full time from then on", async () => {
  const own = folder.path("added-to.db");
  const file = folder.path("added-to.jsonl");
  const at = (time: string, record: object) => ({ ...record, timestamp: time });
  writeFileSync(file, lines([at("2019-01-02T10:00:00.000Z", said("user", "The pump is old.", "p1"))]));
  expect((await runCli(["import", file, "--db", own])).code).toBe(0);
  const day = 24 * 60 * 60 * 1000;
  // The first import was long ago, too.
  const database = new DatabaseSync(own);
  database.exec(`update precis_conversations set created_at = ${Date.parse("2019-01-03T10:00:00.000Z")}`);
  database.close();
  appendFileSync(
    file,
    lines([at("2019-01-02T10:00:05.000Z", said("assistant", [{ type: "text", text: "Mend it." }], "p2"))]),
  );
  expect((await runCli(["import", file, "--db", own])).code).toBe(0);
  const store = openStore(own);
  try {
    expect((await store.upkeep.sweep({ conversationsMs: 30 * day })).conversations).toBe(0);
    const { conversations } = await store.conversations.list("default");
    expect(conversations).toMatchObject([{ length: 2, updatedAt: Date.parse("2019-01-02T10:00:05.000Z") }]);
  } finally {
    await store.close();
  }
});

test("a log whose clock was wrong doesn't stand before everything else for years", async () => {
  const file = folder.path("future.jsonl");
  const at = (time: string, record: object) => ({ ...record, timestamp: time });
  const records = [
    at("2091-01-02T10:00:00.000Z", said("user", "The clock of the lighthouse is wrong.", "f1")),
    at("2091-01-02T10:00:01.000Z", said("assistant", [{ type: "text", text: "It is." }], "f2")),
  ];
  writeFileSync(file, lines(records));
  const own = folder.path("future.db");
  expect((await runCli(["import", file, "--db", own])).code).toBe(0);
  appendFileSync(file, lines([at("2092-01-02T10:00:00.000Z", said("user", "Mend it.", "f3"))]));
  expect((await runCli(["import", file, "--db", own])).code).toBe(0);
  const store = openStore(own);
  try {
    const { conversations } = await store.conversations.list("default");
    expect(conversations.map(({ length }) => length)).toEqual([3]);
    expect(conversations[0]!.updatedAt).toBeLessThanOrEqual(Date.now());
  } finally {
    await store.close();
  }
});

test("messages with one id are all imported, and what is odd about a log is told", async () => {
  const own = folder.path("odd.db");
  const odd = folder.path("odd");
  mkdirSync(odd, { recursive: true });
  const twins = [
    said("user", "The first word is oak.", "same"),
    said("assistant", [{ type: "text", text: "The second word is elm." }], "same", "m1"),
    said("user", "The third word is ash.", "same"),
    said("assistant", [{ type: "text", text: "The fourth word is yew." }], "same", "m2"),
  ];
  writeFileSync(`${odd}/twins.jsonl`, lines(twins));
  const inner = { ...said("user", "inner task", "inner"), isSidechain: true };
  for (let at = 0; at < 7; at++)
    writeFileSync(`${odd}/agents-${at}.jsonl`, lines([said("user", `Task ${at}`, `u${at}`), inner]));
  const imported = await runCli(["import", odd, "--db", own]);
  expect(imported.code).toBe(0);
  expect(imported.stdout).toContain("11 new messages in 8 conversations of 8 files");
  expect(imported.stdout).toContain(`${odd}/twins.jsonl: 3 lines have the id of an earlier line`);
  expect(imported.stdout).toContain("  and 2 more like these\n");
  const again = folder.path("odd-again.db");
  const json = JSON.parse((await runCli(["import", odd, "--db", again, "--json"])).stdout) as {
    warnings: { file: string; warning: string }[];
  };
  expect(json.warnings).toHaveLength(8);
  expect(json.warnings.at(-1)).toEqual({
    file: `${odd}/twins.jsonl`,
    warning: "3 lines have the id of an earlier line that says something else; the file's order decided",
  });
});
