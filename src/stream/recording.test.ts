import { expect, test } from "vitest";
import { TranscriptError } from "../core/errors.ts";
import { readRecordings } from "./recording.ts";

test("one recording per line, or one event per line", () => {
  const events = [
    { role: "system", content: "You help." },
    { role: "frames", start: 10, end: 14 },
    { role: "user", time: 7.2, content: "Hello?" },
    { role: "assistant", time: 7.5, content: "Hello.", progress: "Nothing is done yet." },
  ];
  const read = [
    { type: "turn", role: "system", text: "You help." },
    { type: "frames", count: 4, time: 7 },
    { type: "turn", role: "user", text: "Hello?", time: 7.2 },
    { type: "turn", role: "assistant", text: "Hello.", time: 7.5, progress: "Nothing is done yet." },
  ];
  const whole = { fps: 2, num_tokens_per_img: 5, metadata: { knowledge: "1. a" }, conversation: events };
  const recordings = readRecordings([JSON.stringify(whole), "", JSON.stringify(whole)]);
  expect(recordings).toHaveLength(2);
  expect(recordings[1]).toEqual({
    title: undefined,
    fps: 2,
    tokensPerFrame: 5,
    knowledge: "1. a",
    events: read,
  });
  expect(readRecordings(events.map((event) => JSON.stringify(event)))[0]?.events).toEqual(read);
});

test.each([
  ["not JSON", "hello", /line 1: this isn't JSON/],
  ["no object", "[1]", /line 1: this isn't a JSON object/],
  ["frames without an end", '{"role":"frames","start":1}', /line 1: a span of frames/],
  ["an unknown role", '{"role":"tool","content":"x"}', /line 1: an event needs a role/],
  ["no words", '{"role":"user"}', /line 1: an event needs a role/],
])("%s is refused with its line", (_, line, message) => {
  expect(() => readRecordings([line])).toThrow(TranscriptError);
  expect(() => readRecordings([line])).toThrow(message);
});
