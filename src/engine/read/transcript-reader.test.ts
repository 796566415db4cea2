import { describe, expect, test } from "vitest";
import { chainOf } from "../../core/chain.ts";
import type { Measure, Message } from "../../core/types.ts";
import { createTranscriptReader } from "./transcript-reader.ts";

const say = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const atOnce = async () => {};
const system: Message = { role: "system", parts: [{ type: "text", text: "You help." }] };

function counting(): Measure & { calls: number } {
  const measure = {
    calls: 0,
    counter: { id: "length", count: (text: string) => text.length },
    text: (text: string) => text.length,
    message(message: Message) {
      measure.calls++;
      return JSON.stringify(message).length;
    },
    tools: () => 0,
  };
  return measure;
}

describe("messages seen before", () => {
  const talk = [system, say("a"), say("b"), say("c")];

  test("give the same hashes and tokens as a first reading, and only new ones are counted", async () => {
    const seen = createTranscriptReader();
    const measure = counting();
    await seen.read(talk, 1, measure, atOnce);
    const before = measure.calls;
    const longer = [...structuredClone(talk), say("d")];
    const reading = await seen.read(longer, 1, measure, atOnce);
    expect(measure.calls - before).toBe(2);
    expect(reading.chain).toEqual(chainOf(longer, 1));
    expect(reading.tokens).toEqual(longer.map((message) => JSON.stringify(message).length));
  });

  test("are the same objects again, with their list where nothing else is in it; not where their marks differ", async () => {
    const seen = createTranscriptReader();
    const read = async (messages: readonly Message[]) =>
      (await seen.read(structuredClone(messages), 1, counting(), atOnce)).messages;
    const first = await read(talk);
    expect(await read(talk)).toBe(first);
    const longer = await read([...talk, say("d")]);
    expect(longer[2]).toBe(first[2]);
    const pinned = await read([system, say("a"), { ...say("b"), pinned: true }, say("c")]);
    expect(pinned[1]).toBe(first[1]);
    expect(pinned[2]).toEqual({ ...say("b"), pinned: true });
  });

  test.each([
    ["an edit", [system, say("a"), say("B"), say("c"), say("d")]],
    ["a cut", [system, say("a"), say("b")]],
    ["a fork", [system, say("a"), say("b"), say("x")]],
    ["another system prompt", [say("a"), say("b"), say("c")]],
    ["a role", [system, say("a"), { ...say("b"), role: "assistant" as const }, say("c")]],
    [
      "a result's error flag",
      [
        system,
        { role: "tool" as const, parts: [{ type: "tool-result" as const, id: "1", text: "x", error: true }] },
      ],
    ],
  ])("don't hide %s", async (_name, changed) => {
    const seen = createTranscriptReader();
    const measure = counting();
    await seen.read(talk, 1, measure, atOnce);
    await seen.read(
      [system, { role: "tool", parts: [{ type: "tool-result", id: "1", text: "x" }] }],
      1,
      measure,
      atOnce,
    );
    const start = changed[0] === system ? 1 : 0;
    expect((await seen.read(changed, start, measure, atOnce)).chain).toEqual(chainOf(changed, start));
    expect((await seen.read(talk, 1, measure, atOnce)).chain).toEqual(chainOf(talk, 1));
  });

  test("that a host changes in place are read anew", async () => {
    const seen = createTranscriptReader();
    const part = { type: "text" as const, text: "a" };
    const first = (await seen.read([{ role: "user", parts: [{ ...part }] }], 0, counting(), atOnce)).chain;
    part.text = "b";
    expect((await seen.read([{ role: "user", parts: [part] }], 0, counting(), atOnce)).chain).not.toEqual(
      first,
    );
  });

  test("are looked at once for all forks that share them, and not once for each", async () => {
    const seen = createTranscriptReader();
    const measure = counting();
    const shared = Array.from({ length: 20 }, (_, n) => say(`shared ${n}`));
    for (let fork = 0; fork < 30; fork++)
      await seen.read([...shared, say(`fork ${fork}`)], 0, measure, atOnce);
    let looks = 0;
    const watched = shared.map((message) => ({
      role: message.role,
      get parts() {
        looks++;
        return message.parts;
      },
    }));
    const before = measure.calls;
    const transcript = [...watched, say("another one")];
    expect((await seen.read(transcript, 0, measure, atOnce)).chain).toEqual(chainOf(transcript, 0));
    expect(measure.calls - before).toBe(1);
    // A few for each message in the comparison, and one in the chain that was expected.
    expect(looks).toBeLessThan(shared.length * 6);
  });

  test("are forgotten with the last conversation that has them", async () => {
    const seen = createTranscriptReader();
    const measure = counting();
    const talks = Array.from({ length: 40 }, (_, n) => [say("same beginning"), say(`talk ${n}`)]);
    for (const one of talks) await seen.read(one, 0, measure, atOnce);
    const before = measure.calls;
    await seen.read(talks.at(-1)!, 0, measure, atOnce);
    expect(measure.calls - before).toBe(0);
    await seen.read(talks[0]!, 0, measure, atOnce);
    expect(measure.calls - before).toBe(1);
  });
});
