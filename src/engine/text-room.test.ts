import { expect, it } from "vitest";
import { createTextHash } from "../core/hash.ts";
import { runNow } from "../core/steps.ts";
import type { Measure, Message } from "../core/types.ts";
import { createTextRoom } from "./text-room.ts";
import { createTranscriptReader } from "./transcript-reader.ts";

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

it("one long transcript for each of many models doesn't fill the memory: readers that share a room are bounded together", () => {
  const room = createTextRoom(10_000);
  const measure = counting();
  const readers = Array.from({ length: 20 }, () => createTranscriptReader(createTextHash(), room));
  const talk = (n: number) => [say(`${n} ${"a".repeat(1_000)}`), say("b")];
  const counted = (n: number) => {
    const before = measure.calls;
    runNow(readers[n]!.read(talk(n), 0, measure));
    return measure.calls - before;
  };
  for (const n of readers.keys()) expect(counted(n)).toBe(2);
  expect(counted(19)).toBe(0);
  expect(counted(0)).toBe(2);
});

it("a transcript that others push out while it is read is read all the same", () => {
  const room = createTextRoom(3_000);
  const reader = createTranscriptReader(createTextHash(), room);
  const measure = counting();
  const talk = Array.from({ length: 300 }, (_, n) => say(`message ${n}`));
  const alone = runNow(createTranscriptReader(createTextHash()).read(talk, 0, measure));
  runNow(reader.read(talk.slice(0, 100), 0, measure));
  const steps = reader.read(talk, 0, measure);
  expect(steps.next().done).toBe(false);
  runNow(reader.read([say("x".repeat(2_900))], 0, measure));
  expect(runNow(steps)).toEqual(alone);
  expect(runNow(reader.read(talk.slice(0, 150), 0, measure)).chain).toEqual(alone.chain.slice(0, 151));
});
