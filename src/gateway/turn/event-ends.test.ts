import { describe, expect, it } from "vitest";
import { splitEvents } from "../../apis/shared/events.ts";
import { createEventEnd } from "./relay.ts";

const EVENTS = [
  'data: {"a":"é"}',
  'event: b\ndata: {"b":2}',
  'data: {"usage":{"prompt_tokens":3}}',
  "data: [DONE]",
];
const MOST = 64 * 1024 * 1024;
const SIZES = [1, 2, 3, 5, 7, 1_000];

/** The bytes in pieces of a size. */
function* cut(text: string, size: number): Generator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe.each(["\n", "\r\n", "\r"])("events with lines that end in %j", (line) => {
  const text = EVENTS.map((event) => `${event}\n\n`)
    .join("")
    .replaceAll("\n", line);

  it.each(SIZES)("are told apart in pieces of %d bytes", (size) => {
    const split = splitEvents(MOST);
    const found = [...cut(text, size)].flatMap((piece) => split(piece, false));
    expect([...found, ...split(Buffer.alloc(0), true)]).toEqual(
      EVENTS.map((text) => ({ text, isPart: false })),
    );
  });

  it.each(SIZES)("have ended with the last byte of the first in pieces of %d bytes", (size) => {
    const first = `${EVENTS[0]}${line}${line}`;
    const ends = createEventEnd();
    const told = [...cut(first, size)].map((piece) => ends(piece));
    expect(told.filter(Boolean)).toEqual([true]);
    expect(told.at(-1)).toBe(true);
  });
});

/** Processor time that an event takes which comes in so many pieces (microseconds). */
function workOf(pieces: number): number {
  const split = splitEvents(MOST);
  const ends = createEventEnd();
  const piece = Buffer.alloc(16 * 1024, "A");
  const started = process.cpuUsage();
  for (let count = 0; count < pieces; count++) {
    split(piece, false);
    ends(piece);
  }
  const { user, system } = process.cpuUsage(started);
  return user + system;
}

it("an event of four times the length takes about four times the work, not sixteen", () => {
  // The least of several: others use the processor's caches, too.
  const least = (pieces: number) => Math.min(...Array.from({ length: 4 }, () => workOf(pieces)));
  expect(least(2_000) / least(500)).toBeLessThan(10);
});
