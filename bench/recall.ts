import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { searchIndex } from "../src/recall/open-recall.ts";
import { sqliteStore } from "../src/stores/sqlite.ts";
import { median, round } from "./support/statistics.ts";
import { writeResult } from "./support/write-result.ts";

/**
 * Search over all messages of a tenant in SQLite: how long it takes, and how large the index is beside the text.
 *
 *   node bench/recall.ts
 *
 * MESSAGES and QUERIES change how long it takes. FILE names a database that is kept, and used again if it is there.
 */
const MESSAGES = Number(process.env["MESSAGES"] ?? 1_000_000);
const QUERIES = Number(process.env["QUERIES"] ?? 200);
const PER_CONVERSATION = 100;
const CONVERSATIONS_AT_ONCE = 200;
/** Words are as frequent as in language: the n-th one n times rarer than the first. */
const WORDS = 60_000;
const WORDS_PER_MESSAGE = 60;

let seed = 7;
/** mulberry32: long enough a period that no text comes twice. */
const random = (): number => {
  seed = (seed + 0x6d2b79f5) | 0;
  let value = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
  return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
};
const SYLLABLES = "ba de fi go ku la me ni po ru sa te vi wo xu za bre cla dro fle".split(" ");
const wordOf = (n: number): string => {
  let word = "";
  for (let left = n + 400; left > 0; left = Math.floor(left / SYLLABLES.length))
    word += SYLLABLES[left % SYLLABLES.length];
  return word;
};
const someWord = (): string => wordOf(Math.floor(WORDS ** random()) - 1);
const text = (): string =>
  Array.from({ length: WORDS_PER_MESSAGE }, (_, n) =>
    n % 20 === 19 ? `src/${someWord()}/${someWord()}.ts` : someWord(),
  ).join(" ");

const folder = mkdtempSync(join(tmpdir(), "precis-bench-recall-"));
const path = process.env["FILE"] ?? join(folder, "recall.db");
const isBuilt = existsSync(path);
const store = sqliteStore({ path });
let characters = 0;
const asked: string[] = [];
const appending = process.cpuUsage();
for (let c = 0; c < MESSAGES / PER_CONVERSATION; c += CONVERSATIONS_AT_ONCE) {
  await Promise.all(
    Array.from({ length: Math.min(CONVERSATIONS_AT_ONCE, MESSAGES / PER_CONVERSATION - c) }, async (_, n) => {
      const messages = Array.from({ length: PER_CONVERSATION }, (_, m) => {
        const role = m % 2 === 0 ? ("user" as const) : ("assistant" as const);
        const content = text();
        characters += content.length;
        if (m === 50 && asked.length < QUERIES && (c + n) % 7 === 0) asked.push(content);
        return { hash: `${c + n}/${m}`, role, wire: JSON.stringify({ role, content }), at: m };
      });
      if (isBuilt) return;
      await store.conversations.append("t", {
        messages,
        dialect: "openai-chat",
        isNew: true,
        session: `${c + n}`,
        at: c,
      });
    }),
  );
}
const appended = process.cpuUsage(appending);
const indexing = process.cpuUsage();
await store.recallIndex("t").candidates({ terms: ["none"], limit: 1 });
const indexed = process.cpuUsage(indexing);

const search = searchIndex(store.recallIndex("t"));
const times: number[] = [];
let first = 0;
for (const [n, content] of asked.entries()) {
  const words = content.split(" ");
  // Some words of a message, as somebody remembers it: one of them rare.
  const query = [words[n % 7], words[10 + (n % 9)], words[25], words[40], words[59]].join(" ");
  const cpu = process.cpuUsage();
  const { hits } = await search.search(query);
  const { user, system } = process.cpuUsage(cpu);
  times.push((user + system) / 1_000);
  if (hits.slice(0, 10).some((hit) => hit.text.includes(words[59]!))) first++;
}
times.sort((a, b) => a - b);
await store.close();
const database = new DatabaseSync(path);
const bytesOf = (tables: string): number =>
  Number(
    database.prepare(`select sum(pgsize) as bytes from dbstat where name like ?`).get(tables)?.["bytes"] ?? 0,
  );
const index = bytesOf("precis_recall%") + bytesOf("sqlite_autoindex_precis_recall%");
database.close();
writeResult({
  messages: MESSAGES,
  characters,
  ...(!isBuilt && {
    appendUs: round((appended.user + appended.system) / MESSAGES, 1),
    indexUs: round((indexed.user + indexed.system) / MESSAGES, 1),
  }),
  indexBytes: index,
  indexShareOfText: round(index / characters, 3),
  fileBytes: statSync(path).size,
  queries: times.length,
  searchMs: {
    p50: round(median(times), 1),
    p95: round(times[Math.floor(times.length * 0.95)] ?? 0, 1),
    max: round(times.at(-1) ?? 0, 1),
  },
  foundInFirstTen: first,
});
rmSync(folder, { recursive: true, force: true });
