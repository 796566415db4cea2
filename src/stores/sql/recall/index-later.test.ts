import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { storedTranscript } from "../../../testing/store-contract.ts";
import { sqliteStore } from "../../sqlite.ts";

const dir = mkdtempSync(join(tmpdir(), "precis-index-later-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test("what was appended is in the index before anybody searches", async () => {
  const path = join(dir, "later.db");
  const store = sqliteStore({ path });
  for (let n = 0; n < 30; n++)
    await store.conversations.append("t", { messages: storedTranscript(`chat ${n}`, "answer"), at: n });
  const reader = new DatabaseSync(path, { readOnly: true });
  const left = () =>
    reader.prepare("select count(*) as n from precis_conversations where indexed < length").get();
  await expect.poll(left).toEqual({ n: 0 });
  reader.close();
  await store.close();
});
