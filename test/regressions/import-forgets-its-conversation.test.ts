/** An import that ends between any two writes knows what it left: the next one completes it, and nothing is left to do. */
import { expect, test } from "vitest";
import { readLog } from "../../src/apis/logs/index.ts";
import { parseConfig } from "../../src/config/parse-config.ts";
import { importedFiles, importLog, markImported } from "../../src/gateway/conversation/store-messages.ts";
import type { ServerStore } from "../../src/stores/server-store.ts";
import { memoryServerStore } from "../../src/stores/sqlite.ts";

const TENANT = "t";
const FILE = { file: "/logs/one.json", bytes: 300, modified: 5 };
const log = readLog(
  JSON.stringify({
    messages: [
      { role: "user", content: "Which port does the relay use?" },
      { role: "assistant", content: "Port 8417." },
    ],
  }),
);
const config = parseConfig({ upstreams: [{ name: "a", baseURL: "http://127.0.0.1:1" }] });

class Killed extends Error {}

/** The store as somebody sees it who is killed after so many writes. */
function killedAfter(store: ServerStore, writes: number): ServerStore {
  let left = writes;
  const counted =
    <A extends unknown[], R>(write: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (left-- <= 0) throw new Killed();
      return write(...args);
    };
  const { append, update } = store.conversations;
  return {
    ...store,
    conversations: { ...store.conversations, append: counted(append), update: counted(update) },
  };
}

async function importInto(store: ServerStore): Promise<void> {
  const parts = { config, store, now: () => 7 };
  const { conversation } = await importLog(parts, TENANT, log, { file: FILE.file, isOnly: true });
  await markImported(parts, TENANT, conversation === undefined ? [] : [conversation], FILE);
}

/** Writes of a whole import. */
const WRITES = 2;

test.each([0, 1, WRITES])("killed after %i writes", async (writes) => {
  const store = memoryServerStore();
  const first = importInto(killedAfter(store, writes));
  if (writes < WRITES) await expect(first).rejects.toBeInstanceOf(Killed);
  else await first;
  await importInto(store);
  const { conversations } = await store.conversations.list(TENANT);
  expect(conversations).toHaveLength(1);
  expect(importedFiles(conversations).get(FILE.file)).toEqual(FILE);
});
