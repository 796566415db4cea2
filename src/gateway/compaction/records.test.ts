import { expect, test } from "vitest";
import type { Checkpoint, Recalled, Summary } from "../../core/types.ts";
import { memoryStore } from "../../stores/memory.ts";
import { markedRecords } from "./records.ts";

const HASH = "h";
const checkpoint = (id: string) => ({ id, hash: HASH }) as Checkpoint;
const summary = (key: string, text: string) => ({ key, text, hash: HASH }) as Summary;
const recalled: Recalled = { hash: HASH, length: 1, checkpoint: "c", passages: [[0, 0, 0, 4]], at: 1 };

test("records of each mark are found under it alone, as they were saved", async () => {
  const store = memoryStore();
  const marks = [undefined, "one", "another"];
  for (const mark of marks)
    await markedRecords(store, mark).save({
      // The same names everywhere: a record of one mark must not replace that of another.
      checkpoints: [checkpoint("c")],
      summaries: [summary("s", `for ${mark}`)],
      undos: mark === "one" ? [{ checkpoint: "c", at: 1, pressure: 0.5 }] : [],
      recalled: mark === "another" ? [recalled] : [],
    });
  for (const mark of marks)
    expect(await markedRecords(store, mark).find([HASH])).toEqual({
      checkpoints: [checkpoint("c")],
      summaries: [summary("s", `for ${mark}`)],
      undos: mark === "one" ? [{ checkpoint: "c", at: 1, pressure: 0.5 }] : [],
      recalled: mark === "another" ? [recalled] : [],
    });
  expect((await store.find([HASH])).checkpoints).toHaveLength(marks.length);
});
