import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { runCli, scratchFolder } from "./run-cli.ts";

const folder = scratchFolder();
afterAll(folder.remove);

const TABLES = `
  CREATE TABLE session (id TEXT PRIMARY KEY, title TEXT, revert TEXT, time_created INTEGER, time_updated INTEGER);
  CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, data TEXT);
  CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);`;

let made = 0;
/** The place of a new database of opencode, in a folder of its own. */
function newPlace(): string {
  const place = folder.path(`share-${made++}`);
  mkdirSync(place, { recursive: true });
  return `${place}/opencode.db`;
}

function opencode(sql: string, fill: (database: DatabaseSync) => void = () => {}): string {
  const file = newPlace();
  const database = new DatabaseSync(file);
  database.exec(sql);
  fill(database);
  database.close();
  return file;
}

/** Adds a session with one message of one part. */
function session(
  database: DatabaseSync,
  id: string,
  { data = '{"role":"user"}' as unknown, part = '{"type":"text","text":"Amber."}' as unknown } = {},
): void {
  database.prepare("INSERT INTO session VALUES (?, ?, NULL, 1, 1)").run(id, id);
  database.prepare("INSERT INTO message VALUES (?, ?, ?)").run(`m-${id}`, id, data as string);
  database.prepare("INSERT INTO part VALUES (?, ?, ?, ?)").run(`p-${id}`, `m-${id}`, id, part as string);
}

interface Outcome {
  readonly code: number | null;
  readonly stderr: string;
  readonly read: number;
  readonly messages: number;
  readonly passedOver: readonly { readonly file: string; readonly reason: string }[];
  readonly warnings: readonly { readonly file: string; readonly warning: string }[];
  readonly unreadable: readonly { readonly file: string; readonly reason: string }[];
}

async function imported(path: string): Promise<Outcome> {
  const { code, stdout, stderr } = await runCli([
    "import",
    path,
    "--db",
    newPlace().replace("opencode", "own"),
    "--json",
  ]);
  return { code, stderr, ...JSON.parse(stdout) };
}

const deep = "[".repeat(20_000) + "]".repeat(20_000);

test.each<[what: string, rows: Parameters<typeof session>[2], reason: string]>([
  ["a message of wrong JSON", { data: "{nope" }, "it is damaged: message m-bad"],
  ["a message that is a list", { data: "[1]" }, "it is damaged: message m-bad"],
  ["a message of nothing", { data: null }, "it is damaged: message m-bad"],
  ["a message without a role", { data: "{}" }, "it is damaged: message m-bad"],
  ["a part of wrong JSON", { part: '{"type":"te' }, "it is damaged: part p-bad"],
  ["a part of bytes", { part: Buffer.from([255, 0]) }, "it is damaged: part p-bad"],
])("%s is named with a fix, and the other sessions are imported", async (_, rows, reason) => {
  const file = opencode(TABLES, (database) => {
    session(database, "bad", rows);
    session(database, "good");
  });
  const { code, stderr, unreadable, messages } = await imported(file);
  expect([code, messages]).toEqual([1, 1]);
  expect(unreadable).toEqual([{ file: `${file}#bad`, reason: expect.stringContaining(reason) }]);
  expect(stderr).toContain("opencode export SESSION");
});

test("rows of a session that are damaged are named, and the rest of the session is imported", async () => {
  const file = opencode(TABLES, (database) => {
    session(database, "good");
    const add = (id: string, data: unknown, part: unknown) => {
      database.prepare("INSERT INTO message VALUES (?, 'good', ?)").run(id, data as string);
      database.prepare("INSERT INTO part VALUES (?, ?, 'good', ?)").run(`p-${id}`, id, part as string);
    };
    const user = '{"role":"user"}';
    const text = (said: string) => JSON.stringify({ type: "text", text: said });
    add("n1", "{nope", text("Lost."));
    add("n2", "{}", text("Lost."));
    add("n3", user, '{"type":"te');
    add("n4", user, Buffer.from([255, 0]));
    add("n5", user, text("Basalt."));
    database.prepare("INSERT INTO part VALUES ('p-stray', 'gone', 'good', ?)").run(text("Lost."));
    database.exec("UPDATE session SET revert = '{', title = 9223372036854775807 WHERE id = 'good'");
    database.exec(`INSERT INTO message VALUES ('m-stray', 'nowhere', '${user}')`);
  });
  const { code, unreadable, messages, warnings } = await imported(file);
  expect([code, unreadable, messages]).toEqual([0, [], 2]);
  const named = (what: string) => ({
    file: `${file}#good`,
    warning: expect.stringContaining(what) as string,
  });
  expect(warnings).toEqual([
    { file, warning: "left out 1 message whose session isn't in the database" },
    named(
      "left out what is damaged: session good, message n1, message n2, part p-n3, part p-n4, part p-stray",
    ),
  ]);
});

test("what looks strange and can be read is imported", async () => {
  const file = opencode(TABLES, (database) => {
    session(database, "good");
    const state = `{"status":"completed","output":"o","input":${deep}}`;
    session(database, "deep", {
      data: '{"role":"assistant"}',
      part: `{"type":"tool","tool":"t","callID":"c","state":${state}}`,
    });
    session(database, "far", { part: '{"type":"text","text":"Far."}' });
    database.exec("UPDATE session SET time_updated = 9223372036854775807 WHERE id = 'far'");
    database.exec("INSERT INTO session VALUES ('empty', 'Nothing was said', NULL, 1, 1)");
  });
  const { code, stderr, read, passedOver, unreadable, messages } = await imported(file);
  expect([code, stderr, read, unreadable, messages]).toEqual([0, "", 3, [], 4]);
  expect(passedOver).toEqual([{ file: `${file}#empty`, reason: "this session has no messages." }]);
});

test.each([
  [
    "views, which may run without end",
    `CREATE VIEW session AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)
       SELECT n AS id, n AS title, n AS revert, n AS time_created, n AS time_updated FROM r;
     CREATE TABLE message (id); CREATE TABLE part (id);`,
    "it has no table session",
  ],
  [
    "tables with other columns",
    "CREATE TABLE session (a); CREATE TABLE message (a); CREATE TABLE part (a);",
    "no such column",
  ],
  [
    "too few tables",
    "CREATE TABLE session (id, time_created, time_updated);",
    "it has no table message, part",
  ],
])("a database of %s is told, and the logs beside it are imported", async (_, sql, reason) => {
  const file = opencode(sql);
  const place = file.replace(/[^/]*$/, "");
  writeFileSync(`${place}log.json`, JSON.stringify([{ role: "user", content: "Hello." }]));
  const { code, passedOver, messages } = await imported(place);
  expect([code, messages]).toEqual([0, 1]);
  expect(passedOver).toEqual([{ file, reason: expect.stringContaining(reason) }]);
  expect(passedOver[0]!.reason).toContain("Check that it is the right file");
});

test("a database that is cut off is no file without conversations", async () => {
  const whole = opencode(TABLES, (database) => {
    for (let at = 0; at < 200; at++)
      session(database, `s${at}`, { part: JSON.stringify({ type: "text", text: "x".repeat(400) }) });
  });
  const bytes = readFileSync(whole);
  writeFileSync(whole, bytes.subarray(0, bytes.length / 2));
  const { code, stderr, unreadable } = await imported(whole.replace(/[^/]*$/, ""));
  expect([code, unreadable.length]).toEqual([1, 1]);
  expect(stderr).toContain("the database is damaged");
});

test("a link to a log in a folder is read like the log", async () => {
  const target = opencode(TABLES, (database) => session(database, "good"));
  const link = newPlace();
  symlinkSync(target, link);
  symlinkSync(folder.path("nowhere"), link.replace("opencode.db", "gone.json"));
  expect(await imported(link.replace(/[^/]*$/, ""))).toMatchObject({ code: 0, read: 1, messages: 1 });
});

test("a log with messages that its dialect can't read is named, and the others are imported", async () => {
  const place = newPlace().replace("opencode.db", "");
  writeFileSync(`${place}a.json`, JSON.stringify([{ role: "user", content: [5] }]));
  writeFileSync(
    `${place}b.json`,
    JSON.stringify([
      { title: "Good", messages: [{ role: "user", content: "Amber." }] },
      { title: "Bad", messages: [{ role: "user", content: [[1]] }] },
    ]),
  );
  writeFileSync(`${place}c.json`, JSON.stringify([{ role: "user", content: "Hello." }]));
  const { code, stderr, unreadable, messages } = await imported(place);
  expect([code, messages]).toEqual([1, 2]);
  expect(unreadable.map(({ file }) => file)).toEqual([
    `${place}a.json`,
    `${place}b.json (conversation 2 of 2)`,
  ]);
  expect(stderr).toContain(`${place}a.json: `);
});

test("a time that no calendar has doesn't make a conversation unreadable", async () => {
  const place = newPlace().replace("opencode.db", "");
  const messages = [1e18, 1e300, -5, "NaN", null].map((timestamp, at) => ({
    type: "user",
    uuid: `u${at}`,
    sessionId: "s",
    timestamp,
    message: { role: "user", content: `Said ${at}.` },
  }));
  writeFileSync(`${place}a.jsonl`, messages.map((one) => JSON.stringify(one)).join("\n"));
  const own = `${place}own.db`;
  expect((await runCli(["import", place, "--db", own])).code).toBe(0);
  const [conversation] = JSON.parse((await runCli(["inspect", "--db", own, "--json"])).stdout);
  const { code, stdout, stderr } = await runCli(["inspect", conversation.id, "--db", own]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("Said 0.");
});

const chat = [
  { role: "user", content: "Which stone is it?" },
  { role: "assistant", content: "Amber." },
  { role: "user", content: [null, { type: "text", text: "Sure?" }] },
];

test("a message with a part that can't be read is named with its number", async () => {
  const file = folder.path("bad-part.json");
  writeFileSync(file, JSON.stringify({ messages: chat }));
  const { code, unreadable } = await imported(file);
  expect(code).toBe(1);
  expect(unreadable).toEqual([{ file, reason: expect.stringMatching(/^message 3: openai-chat: expected/) }]);
});

test("a log of Claude Code is imported without the message that can't be read, which is named with its line", async () => {
  const file = folder.path("bad-content.jsonl");
  const line = (uuid: number, content: unknown) =>
    JSON.stringify({ type: "user", uuid: `${uuid}`, sessionId: "s", message: { role: "user", content } });
  writeFileSync(file, [line(1, "Amber."), line(2, 5), line(3, [null]), line(4, "Jet.")].join("\n"));
  const { code, messages, warnings } = await imported(file);
  expect([code, messages]).toEqual([0, 2]);
  expect(warnings).toEqual([{ file, warning: "left out what can't be read of the messages on lines 2, 3" }]);
});
