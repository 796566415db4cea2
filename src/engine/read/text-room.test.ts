import { expect, it } from "vitest";
import type { Measure, Message } from "../../core/types.ts";
import { createTextRoom, createTranscriptReader } from "./transcript-reader.ts";

const atOnce = async () => {};
const say = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
function counting(): Measure & { calls: number } {
  const measure = {
    calls: 0,
    counter: { id: "length", count: (text: string) => text.length },
    text: (text: string) => text.length,
    message({ parts }: Message) {
      measure.calls++;
      return parts.length;
    },
    tools: () => 0,
  };
  return measure;
}

it("what was used longest ago leaves first, whoever has it", () => {
  const room = createTextRoom(100);
  const gone: string[] = [];
  const take = (name: string, owner: object, chars: number) =>
    room.take(owner, chars, () => {
      gone.push(name);
      room.leave(owner);
    });
  const [a, b, c] = [{}, {}, {}];
  take("a", a, 40);
  take("b", b, 40);
  take("a", a, 50);
  take("c", c, 40);
  expect(gone).toEqual(["b"]);
  take("d", {}, 101);
  expect(gone).toEqual(["b", "a", "c", "d"]);
});

it("one long transcript for each of many models doesn't fill the memory: readers that share a room are bounded together", async () => {
  const room = createTextRoom(10_000);
  const measure = counting();
  const readers = Array.from({ length: 20 }, () => createTranscriptReader(room));
  const talk = (n: number) => [say(`${n} ${"a".repeat(1_000)}`), say("b")];
  const counted = async (n: number) => {
    const before = measure.calls;
    await readers[n]!.read(talk(n), 0, measure, atOnce);
    return measure.calls - before;
  };
  for (const n of readers.keys()) expect(await counted(n)).toBe(2);
  expect(await counted(19)).toBe(0);
  expect(await counted(0)).toBe(2);
});

it("a transcript that others push out while it is read is read all the same", async () => {
  const room = createTextRoom(3_000);
  const reader = createTranscriptReader(room);
  const measure = counting();
  const talk = Array.from({ length: 300 }, (_, n) => say(`message ${n}`));
  const alone = await createTranscriptReader().read(talk, 0, measure, atOnce);
  await reader.read(talk.slice(0, 100), 0, measure, atOnce);
  let pauses = 0;
  const read = reader.read(talk, 0, measure, async () => {
    if (pauses++ === 0) await reader.read([say("x".repeat(2_900))], 0, measure, atOnce);
  });
  expect(await read).toEqual(alone);
  expect(pauses).toBeGreaterThan(0);
  expect((await reader.read(talk.slice(0, 150), 0, measure, atOnce)).chain).toEqual(
    alone.chain.slice(0, 151),
  );
});
