/**
 * The recipe "Adding a column" of CONTRIBUTING.md, carried out on a copy: few files, and every store appends, branches, reads,
 * exports and imports the new columns.
 */
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SCHEMA_VERSION } from "../../src/stores/sql/schema.ts";
import { sharedPostgres } from "../support/postgres.ts";

/** What the recipe may touch, those of documentation and tests included. */
const MOST_FILES = 9;
const root = join(import.meta.dirname, "../..");
const copy = mkdtempSync(join(tmpdir(), "precis-column-"));
const touched = new Set<string>();
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Is it a folder, or a source that the program may need? */
const isRun = (path: string): boolean => {
  const name = basename(path);
  return !name.includes(".") || (name.endsWith(".ts") && !name.endsWith(".test.ts"));
};

function edit(file: string, ...changes: readonly (readonly [before: string, after: string])[]): void {
  const path = join(copy, file);
  let text = readFileSync(path, "utf8");
  for (const [before, after] of changes) {
    expect(text, `${file} has no ${before}`).toContain(before);
    text = text.replace(before, () => after);
  }
  writeFileSync(path, text);
  touched.add(file);
}

beforeAll(() => {
  // Only what is run: a file that somebody is still writing beside them (of the vocabularies, by its process) may be gone by then.
  cpSync(join(root, "src"), join(copy, "src"), { recursive: true, filter: isRun });
  cpSync(join(root, "package.json"), join(copy, "package.json"));
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));

  // 1. What callers say and see.
  edit(
    "src/stores/server-store/conversations.ts",
    [
      "  readonly given?: readonly string[];\n",
      "  readonly given?: readonly string[];\n  readonly mood?: string;\n",
    ],
    ["  readonly model?: string;\n", "  readonly model?: string;\n  readonly region?: string;\n"],
    [
      "  readonly pinned: boolean;\n",
      "  readonly pinned: boolean;\n  readonly region: string | undefined;\n",
    ],
  );
  // 2. How they are stored.
  edit(
    "src/stores/sql/conversation-row.ts",
    ['  meta: "text",\n', '  meta: "text",\n  region: "text",\n'],
    [
      "    model: row.model ?? undefined,\n",
      "    model: row.model ?? undefined,\n    region: row.region ?? undefined,\n",
    ],
    ["    model: of.model ?? null,\n", "    model: of.model ?? null,\n    region: of.region ?? null,\n"],
  );
  edit("src/stores/sql/append.ts", [
    "  if (input.named) row.named = 1;\n",
    "  if (input.named) row.named = 1;\n  if (input.region !== undefined) row.region = input.region;\n",
  ]);
  edit(
    "src/stores/sql/tree.ts",
    ['  answer: "text",\n', '  answer: "text",\n  mood: "text",\n'],
    [
      "  if (row.answer !== null) message.answer = row.answer;\n",
      "  if (row.answer !== null) message.answer = row.answer;\n  if (row.mood !== null) message.mood = row.mood;\n",
    ],
    ["    answer: answer ?? null,\n", "    answer: answer ?? null,\n    mood: message.mood ?? null,\n"],
  );
  // 3. The version of the schema.
  edit("src/stores/sql/schema.ts", [
    `SCHEMA_VERSION = ${SCHEMA_VERSION};`,
    `SCHEMA_VERSION = ${SCHEMA_VERSION + 1};`,
  ]);
  // 4. The reference and the changelog.
  for (const file of ["docs/reference/stores.md", "CHANGELOG.md"]) touched.add(file);
});

const PROGRAM = `
import pg from "pg";
import { openStore as openNamed } from "./src/stores/open-store.ts";
import { postgresStore } from "./src/stores/postgres.ts";
// A store's own pool gives up on a server that takes ten seconds to answer, which one on a busy machine may do.
const pools = [];
function openStore(where) {
  if (!where.startsWith("postgres:")) return openNamed(where);
  const pool = new pg.Pool({ connectionString: where });
  pools.push(pool);
  return postgresStore({ pool });
}
for (const [where, elsewhere] of JSON.parse(process.argv[2])) await tryStores(where, elsewhere);
async function tryStores(where, elsewhere) {
const store = openStore(where);
const said = (hash, role, mood) => ({ hash, role, wire: JSON.stringify({ role, content: hash }), at: 1, mood });
// Enough that stores which write appends together do so.
const names = Array.from({ length: 60 }, (_, n) => "c" + n);
const all = await Promise.all(names.map(async (name) => {
  const first = [said(name + "/a", "user", "calm"), said(name + "/b", "assistant", undefined)];
  const { conversation } = await store.conversations.append("t", { messages: first, region: "north", at: 1 });
  await store.conversations.append("t", { conversation, after: name + "/b", messages: [said(name + "/c", "user", "glad")], region: "south", at: 2 });
  return conversation;
}));
const branch = await store.conversations.append("t", { conversation: all[0], after: "c0/b", messages: [said("c0/C", "user", "sad")], at: 3 });
const copied = openStore("memory");
await copied.upkeep.importAll(store.upkeep.exportAll());
const back = openStore(elsewhere);
await back.upkeep.importAll(copied.upkeep.exportAll());
const look = async (from, id) => [
  (await from.conversations.get("t", id))?.region,
  (await from.conversations.read("t", id)).map(({ mood }) => mood ?? null),
];
const seen = [];
for (const id of all) seen.push(await look(store, id));
console.log(JSON.stringify({
  seen: [...new Set(seen.slice(1).map((one) => JSON.stringify(one)))],
  branch: await look(store, branch.conversation),
  imported: await look(back, branch.conversation),
}));
for (const one of [store, copied, back]) await one.close();
}
for (const pool of pools) await pool.end();
`;

/** What the program saw in each pair of stores, in one process: most of its work is to read the copied sources. */
let seen: readonly string[] = [];

beforeAll(async () => {
  const postgres = await sharedPostgres();
  const pairs = [
    ["memory", "memory"],
    [join(copy, "one.db"), join(copy, "two.db")],
    [await postgres.database(), await postgres.database()],
  ];
  writeFileSync(join(copy, "program.ts"), PROGRAM);
  const child = spawn(process.execPath, ["program.ts", JSON.stringify(pairs)], { cwd: copy });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (piece: Buffer) => (stdout += piece.toString()));
  child.stderr.on("data", (piece: Buffer) => (stderr += piece.toString()));
  await new Promise((resolve) => child.on("close", resolve));
  expect(stderr).toBe("");
  seen = stdout.trim().split("\n");
});

const expected = {
  seen: [JSON.stringify(["south", ["calm", null, "glad"]])],
  branch: ["south", ["calm", null, "sad"]],
  imported: ["south", ["calm", null, "sad"]],
};

test(`a column touches at most ${MOST_FILES} files`, () => {
  expect(touched.size).toBeLessThanOrEqual(MOST_FILES);
});

test.each([...["memory", "SQLite", "PostgreSQL"].entries()])("store %i, %s, keeps it", (at) => {
  expect(JSON.parse(seen[at] ?? "null")).toEqual(expected);
});
