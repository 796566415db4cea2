import { expect, test } from "vitest";
import type { Dialect } from "../../core/types.ts";
import { dialectById } from "../../dialects/index.ts";
import type { Conversation, StoredMessage } from "../../stores/server-store.ts";
import { createTranscripts } from "./transcripts.ts";

const dialect = dialectById("openai-chat") as Dialect<unknown>;
const stored = (position: number): StoredMessage => ({
  position,
  hash: `h${position}`,
  role: "user",
  wire: JSON.stringify({ role: "user", content: `message ${position}` }),
  at: 0,
});
const conversation = (length: number) => ({ id: "c", length }) as Conversation;

function fakeStore(length: () => number) {
  const asked: (number | undefined)[] = [];
  return {
    asked,
    read: async (_tenant: string, _id: string, range: { from?: number } = {}) => {
      asked.push(range.from);
      return Array.from({ length: length() - (range.from ?? 0) }, (_, at) => stored((range.from ?? 0) + at));
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
  expect(store.asked).toEqual([undefined, 3]);
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
  expect(store.asked).toEqual([undefined]);
  expect((await transcripts.read("t", conversation(4), dialect, 1)).stored).toHaveLength(1);
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
