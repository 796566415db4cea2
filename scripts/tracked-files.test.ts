import { execFileSync } from "node:child_process";
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const MAX_BYTES = 1024 * 1024;

/** What SQLite's file, its log (two of them), its shared memory and its journal begin with. */
const DATABASE_STARTS = [
  "SQLite format 3\0",
  "\x37\x7f\x06\x82",
  "\x37\x7f\x06\x83",
  "\x18\xe2\x2d\0",
  "\xd9\xd5\x05\xf9",
];
const DATABASE_NAMES = /(?:\.(?:db|sqlite3?)|-wal|-shm|-journal)$/i;
const PROFILE_NAMES = /\.(?:cpuprofile|heapprofile|heapsnapshot|trace)$|^isolate-.*\.log$|-v8\.log$/i;

/** Names that no folder of Windows can have. */
const NO_WINDOWS_NAME = /[<>:"|?*\\\p{Cc}]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/iu;

/** Why a file may not be tracked; undefined where it may. */
function faultOf(path: string, { bytes, start }: { bytes: number; start: string }): string | undefined {
  const name = path.split("/").at(-1)!;
  if (path.split("/").some((part) => NO_WINDOWS_NAME.test(part))) return "a name that Windows can't have";
  if (DATABASE_NAMES.test(name) || DATABASE_STARTS.some((one) => start.startsWith(one))) return "a database";
  if (PROFILE_NAMES.test(name)) return "a profile";
  return bytes > MAX_BYTES ? `${bytes} bytes, more than ${MAX_BYTES}` : undefined;
}

it("no database, profile or file above a megabyte is committed, and none that Windows can't check out", () => {
  const paths = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" })
    .split("\0")
    .filter(Boolean);
  expect(paths.length).toBeGreaterThan(100);
  const faults = paths.flatMap((path) => {
    const fault = faultOf(path, read(path));
    return fault === undefined ? [] : [`${path}: ${fault}`];
  });
  expect(faults).toEqual([]);
  const lower = paths.map((path) => path.toLowerCase());
  expect(paths.filter((_, at) => lower.indexOf(lower[at]!) !== at)).toEqual([]);
});

it.each([
  ["memory:", "SQLite format 3\0", "a name that Windows can't have"],
  ["bench/aux.ts", "", "a name that Windows can't have"],
  ["docs/why?.md", "", "a name that Windows can't have"],
  ["bench/chats", "SQLite format 3\0\x10", "a database"],
  ["bench/chats-wal", "", "a database"],
  ["bench/log", "\x37\x7f\x06\x82\0", "a database"],
  ["precis.db", "", "a database"],
  ["CPU.20261118.cpuprofile", "{", "a profile"],
  ["Heap.heapsnapshot", "{", "a profile"],
  ["isolate-0x1-123-v8.log", "", "a profile"],
])("refused: %s", (path, start, fault) => {
  expect(faultOf(path, { bytes: 1, start })).toBe(fault);
});

it("refused: a file above a megabyte; not what merely sounds like one of them", () => {
  expect(faultOf("a.json", { bytes: MAX_BYTES + 1, start: "{" })).toMatch(/more than/);
  for (const path of [
    "src/console.ts",
    "docs/chat-with-a-database.md",
    "src/stores/sqlite.ts",
    "test/.gitkeep",
  ])
    expect(faultOf(path, { bytes: MAX_BYTES, start: "import" })).toBeUndefined();
});

/** A file's size and its first bytes. One that is tracked and just deleted is as good as empty. */
function read(path: string): { bytes: number; start: string } {
  const stat = statSync(root + path, { throwIfNoEntry: false });
  if (!stat?.isFile()) return { bytes: 0, start: "" };
  const file = openSync(root + path, "r");
  try {
    const start = Buffer.alloc(16);
    const length = readSync(file, start, 0, start.length, 0);
    return { bytes: stat.size, start: start.toString("latin1", 0, length) };
  } finally {
    closeSync(file);
  }
}
