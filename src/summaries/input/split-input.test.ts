import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConfigError } from "../../core/errors.ts";
import { structureOf } from "../../core/rounds.ts";
import type { Message } from "../../core/types.ts";
import { hostileTranscript } from "../../testing/arbitraries/index.ts";
import { type SplitInput, splitRuns } from "./split-input.ts";
import { renderRun } from "./summarizer-input.ts";

const count = (text: string): number => Math.ceil(text.length / 4);

function split(messages: readonly Message[], limit: number, rest: Partial<SplitInput> = {}) {
  const { units } = structureOf(messages);
  return splitRuns({
    messages,
    units,
    run: { from: 0, to: messages.length },
    limit,
    count: count,
    mode: "full",
    ...rest,
  });
}

const round = (serial: number, size: number): Message[] => [
  { role: "assistant", parts: [{ type: "tool-call", id: `c${serial}`, name: "read", args: "{}" }] },
  { role: "tool", parts: [{ type: "tool-result", id: `c${serial}`, text: "word ".repeat(size) }] },
];

describe("splitRuns", () => {
  const session = Array.from({ length: 10 }, (_, serial) => round(serial, 40)).flat();

  test("what fits is one piece, the same text as without splitting", () => {
    const run = { from: 0, to: session.length };
    const text = renderRun(session, run, "full");
    const tokens = count(text);
    expect(split(session, tokens + 50)).toEqual([{ run, text, tokens, clipped: [] }]);
  });

  test("pieces end between rounds and are about equally large", () => {
    const pieces = split(session, 300);
    expect(pieces.length).toBeGreaterThan(2);
    for (const { run } of pieces) expect([run.from % 2, run.to % 2]).toEqual([0, 0]);
    const sizes = pieces.map((piece) => piece.tokens);
    expect(Math.max(...sizes) / Math.min(...sizes)).toBeLessThan(2);
  });

  test("a large round in the middle costs no piece more", () => {
    const messages = [...round(0, 60), ...round(1, 260), ...round(2, 60), ...round(3, 60)];
    const sizes = split(messages, 500).map((piece) => piece.tokens);
    expect(sizes).toHaveLength(2);
  });

  test("a round larger than the limit is clipped with a marker, and reported", () => {
    const messages = [...round(0, 20), ...round(1, 5_000), ...round(2, 20)];
    const pieces = split(messages, 400);
    expect(pieces.flatMap((piece) => piece.clipped)).toEqual([
      { run: { from: 2, to: 4 }, tokens: expect.any(Number), shown: expect.any(Number) },
    ]);
    const [clipped] = pieces.flatMap((piece) => piece.clipped);
    expect(clipped!.tokens).toBeGreaterThan(6_000);
    expect(clipped!.shown).toBeGreaterThan(300);
    expect(pieces.map((piece) => piece.text).join("\n")).toMatch(/\[… \d+ characters not shown …\]/);
  });

  test("a round of very many results becomes one line that says so", () => {
    const ids = Array.from({ length: 300 }, (_, at) => `c${at}`);
    const messages: Message[] = [
      { role: "assistant", parts: ids.map((id) => ({ type: "tool-call", id, name: "read", args: "{}" })) },
      ...ids.map(
        (id): Message => ({ role: "tool", parts: [{ type: "tool-result", id, text: "x".repeat(90) }] }),
      ),
    ];
    const pieces = split(messages, 200);
    expect(pieces).toHaveLength(1);
    expect(pieces[0]!.text).toMatch(/^\[#1–301: \d+ characters, too large for the summariser, not shown\]$/);
    expect(pieces[0]!.clipped).toHaveLength(1);
  });

  test("a window without room for a line is a wrong option", () => {
    expect(() => split(round(0, 500), 5)).toThrow(ConfigError);
  });

  test("messages without words belong to a piece, but are none", () => {
    const thought: Message = { role: "user", parts: [{ type: "text", text: "  " }] };
    expect(split([thought], 100)).toEqual([]);
    expect(split([thought, ...round(0, 5), thought], 100).map((piece) => piece.run)).toEqual([
      { from: 0, to: 4 },
    ]);
  });

  test("a run inside of the transcript", () => {
    expect(split(session, 10_000, { run: { from: 2, to: 6 } }).map((piece) => piece.run)).toEqual([
      { from: 2, to: 6 },
    ]);
  });
});

const LEAST_LIMIT = 40;

/** Counters that take more tokens for texts together than one by one exist: a piece must fit all the same. */
const superadditive = (text: string): number => Math.ceil((text.length / 4) * (1 + text.length / 20_000));

test.each([
  ["chars/4", count],
  ["superadditive", superadditive],
] as const)(
  "any transcript (%s): pieces fit, leave no gap, split no round, and say what they clip",
  (_, counter) => {
    fc.assert(
      fc.property(
        hostileTranscript,
        fc.integer({ min: LEAST_LIMIT, max: 3_000 }),
        fc.constantFrom("full", "simple"),
        (messages, limit, mode) => {
          const { units } = structureOf(messages);
          const run = { from: 0, to: messages.length };
          const pieces = splitRuns({ messages, units, run, limit, count: counter, mode });
          const whole = renderRun(messages, run, mode);
          expect(pieces.length === 0).toBe(whole === "");
          const starts = new Set(units.map((unit) => unit.from));
          let at = 0;
          for (const piece of pieces) {
            expect(piece.run.from).toBe(at);
            expect(starts.has(piece.run.from)).toBe(true);
            expect(piece.tokens).toBe(counter(piece.text));
            expect(piece.tokens).toBeLessThanOrEqual(limit);
            at = piece.run.to;
          }
          if (pieces.length > 0) expect(at).toBe(messages.length);
          if (pieces.every((piece) => piece.clipped.length === 0))
            expect(pieces.map((piece) => piece.text).join("\n")).toBe(whole);
          else expect(pieces.some((piece) => /not shown|\[…\]/.test(piece.text))).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  },
);
