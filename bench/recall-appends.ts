/**
 * What the index of words adds to an append in SQLite: an append only leaves a mark, which an index of the table holds. Appends to a
 * database with that mark and to one without it take turns, so that both meet the same load. Processor time of all threads.
 *
 *   node bench/recall-appends.ts
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sqliteStore } from "../src/stores/sqlite.ts";
import { median, round, time } from "./support/statistics.ts";
import { writeResult } from "./support/write-result.ts";

/** Short turns: a store that nobody appends to for a second begins to index. */
const TURNS = 60;
const APPENDS = 100;
const WARM_UP = 5;
const TEXT = "The retry budget of the staging gateway is three, and src/upstream/retry.ts says why. ".repeat(
  6,
);

const folder = mkdtempSync(join(tmpdir(), "precis-bench-appends-"));
const withMark = join(folder, "with.db");
const without = join(folder, "without.db");
for (const path of [withMark, without]) {
  const fresh = sqliteStore({ path });
  await fresh.conversations.append("t", { messages: messages("first"), at: 0 });
  await fresh.close();
}
const file = new DatabaseSync(without);
file.exec("drop index precis_conversations_by_unindexed");
file.close();

function messages(name: string) {
  return (["user", "assistant"] as const).map((role, at) => {
    const content = `${name}: ${TEXT}`;
    return { hash: `${name}/${at}`, role, wire: JSON.stringify({ role, content }), at };
  });
}

const stores = [sqliteStore({ path: withMark }), sqliteStore({ path: without })];
const times: [number[], number[]] = [[], []];
for (let turn = 0; turn < TURNS + WARM_UP; turn++) {
  // Whoever comes second finds warmer caches, so they change places.
  for (const which of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
    const taken = await time(async () => {
      for (let n = 0; n < APPENDS; n++)
        await stores[which]!.conversations.append("t", {
          messages: messages(`${turn}-${n}`),
          dialect: "openai-chat",
          isNew: true,
          session: `${turn}-${n}`,
          at: n,
        });
    });
    if (turn >= WARM_UP) times[which].push((taken * 1_000) / APPENDS);
  }
}
for (const store of stores) await store.close();
rmSync(folder, { recursive: true, force: true });
const [marked, plain] = [median(times[0]), median(times[1])];
writeResult({
  turns: TURNS,
  appendsPerTurn: APPENDS,
  messagesPerAppend: 2,
  appendUs: { withIndex: round(marked, 1), withoutIndex: round(plain, 1) },
  slowerBy: round(marked / plain - 1, 3),
});
