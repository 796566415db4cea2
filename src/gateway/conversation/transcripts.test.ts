import { expect, test } from "vitest";
import { dialectById } from "../../apis/index.ts";
import type { Dialect } from "../../core/types.ts";
import type { Conversation, StoredMessage } from "../../stores/server-store.ts";
import { createTranscripts } from "./loaded.ts";

const dialect = dialectById("openai-chat") as Dialect<unknown>;
const stored = (position: number): StoredMessage => ({
  position,
  hash: `h${position}`,
  role: "user",
  wire: JSON.stringify({ role: "user", content: `message ${position}` }),
  at: 0,
});
const conversation = (length: number, updatedAt = length) => ({ id: "c", length, updatedAt }) as Conversation;

function fakeStore(length: () => number, say = stored) {
  const asked: (number | undefined)[] = [];
  return {
    asked,
    read: async (_tenant: string, _id: string, range: { from?: number } = {}) => {
      asked.push(range.from);
      return Array.from({ length: length() - (range.from ?? 0) }, (_, at) => say((range.from ?? 0) + at));
    },
  };
}

test("only what was added is read again, and the same objects come back", async () => {
  let length = 3;
  const store = fakeStore(() => length);
  const transcripts = createTranscripts(store);
  const first = await transcripts.read("t", conversation(3), dialect);
  length = 5;
  const second = await transcripts.read("t", conversation(5), dialect);
  await transcripts.read("t", conversation(5), dialect);
  // The last message that was known is read with it, to see that it is still the same.
  expect(store.asked).toEqual([undefined, 2]);
  expect(second.wires).toHaveLength(5);
  expect(second.wires[0]).toBe(first.wires[0]);
  expect(first.wires).toHaveLength(3);
});

test("two readers at once read everything once, and each sees what was there when it asked", async () => {
  const store = fakeStore(() => 4);
  const transcripts = createTranscripts(store);
  const [older, newer] = await Promise.all([
    transcripts.read("t", conversation(2), dialect),
    transcripts.read("t", conversation(4), dialect),
  ]);
  expect([older.messages.length, newer.messages.length]).toEqual([2, 4]);
  expect(store.asked).toEqual([undefined, 3]);
  expect((await transcripts.read("t", conversation(4), dialect, 1)).stored).toHaveLength(1);
});

test("an answer that took another's place is seen, also where the conversation got no longer", async () => {
  let edition = "";
  const store = fakeStore(
    () => 3,
    (position) => ({ ...stored(position), hash: position === 2 ? `h2${edition}` : `h${position}` }),
  );
  const transcripts = createTranscripts(store);
  await transcripts.read("t", conversation(3, 10), dialect);
  edition = "-again";
  const { stored: now } = await transcripts.read("t", conversation(3, 20), dialect);
  expect(now.map(({ hash }) => hash)).toEqual(["h0", "h1", "h2-again"]);
});

test("a failed reading isn't kept, and tenants don't share", async () => {
  const store = fakeStore(() => 1);
  let fails = true;
  const transcripts = createTranscripts({
    read: (tenant, id, range) => (fails ? Promise.reject(new Error("down")) : store.read(tenant, id, range)),
  });
  await expect(transcripts.read("t", conversation(1), dialect)).rejects.toThrow("down");
  fails = false;
  expect((await transcripts.read("t", conversation(1), dialect)).messages).toHaveLength(1);
  await transcripts.read("other", conversation(1), dialect);
  expect(store.asked).toEqual([undefined, undefined]);
});
