import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
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

test("bad usage is told, and a file that is no conversation is a failure where it was named", async () => {
  expect((await runCli(["import"])).code).toBe(2);
  const nowhere = await runCli(["import", folder.path("none"), "--db", folder.path("none.db")]);
  expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining("there is no file") as string });
  const wrong = await runCli(["import", `${logs}/package.json`, "--db", db]);
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain("package.json");
});
