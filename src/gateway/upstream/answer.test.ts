import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { byProof } from "../../../test/support/proof.ts";
import { Answer, type AnswerReader } from "./answer.ts";

type Step =
  | { readonly do: "push"; readonly size: number }
  | { readonly do: "read"; readonly after: "go on" | "pause" | "leave" }
  | { readonly do: "leave" | "pause" | "resume" | "finish" | "fail" };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ do: fc.constant("push" as const), size: fc.integer({ min: 1, max: 40_000 }) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("read" as const),
        after: fc.constantFrom("go on" as const, "pause" as const, "leave" as const),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constantFrom("leave" as const, "pause" as const, "resume" as const) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("finish" as const, "fail" as const) }) },
  ),
  { maxLength: 40 },
);

/** Bytes that can be told apart: each piece begins where the one before ended. */
function pieceAt(from: number, size: number): Buffer {
  return Buffer.alloc(size).map((_, n) => (from + n) % 251) as Buffer;
}

class Source {
  isPaused = false;
  aborted = 0;
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
  abort(): void {
    this.aborted++;
  }
}

/** Reads an answer, and notes each way in which it was told that this is all. */
class Reader implements AnswerReader {
  readonly told: unknown[] = [];
  readonly #take: (bytes: Buffer) => void;
  readonly #onLast: () => void;

  constructor(take: (bytes: Buffer) => void, onLast: () => void) {
    this.#take = take;
    this.#onLast = onLast;
  }
  piece(bytes: Buffer): void {
    expect(this.told).toEqual([]);
    this.#take(bytes);
  }
  end(): void {
    this.told.push("end");
    this.#onLast();
  }
  broken(cause: unknown): void {
    this.told.push(cause);
    this.#onLast();
  }
}

const MAX_WAITING_BYTES = 65_536;
const CAUSE = new Error("broken");
const PATIENCE_MS = 60_000;

describe("an answer", () => {
  it("reaches its readers byte for byte, once and in order, and each one hears of the end once", () => {
    fc.assert(
      fc.property(steps, (given: readonly Step[]) => {
        const source = new Source();
        const answer = new Answer(200, {}, source, PATIENCE_MS);
        const got: Buffer[] = [];
        const readers: Reader[] = [];
        let sent = 0;
        let last: unknown;
        let current: Reader | undefined;
        let isPaused = false;
        const received = () => got.reduce((sum, piece) => sum + piece.length, 0);
        const act = {
          leave() {
            current = undefined;
            answer.leave();
          },
          pause() {
            isPaused = true;
            answer.pause();
          },
          resume() {
            isPaused = false;
            answer.resume();
          },
        };
        const read = (after: "go on" | "pause" | "leave") => {
          const reader: Reader = new Reader(
            (bytes) => {
              expect(current).toBe(reader);
              expect(isPaused).toBe(false);
              got.push(bytes);
              if (after !== "go on") act[after]();
            },
            () => expect(received()).toBe(sent),
          );
          readers.push(reader);
          current = reader;
          isPaused = false;
          answer.read(reader);
          return reader;
        };
        for (const step of given) {
          switch (step.do) {
            case "push":
              // A source that was told to wait, or is at its end, sends nothing.
              if (source.isPaused || last !== undefined) break;
              answer.push(pieceAt(sent, step.size));
              sent += step.size;
              expect(sent - received() < MAX_WAITING_BYTES || source.isPaused).toBe(true);
              break;
            case "read":
              read(step.after);
              break;
            case "finish":
              last ??= "end";
              answer.finish();
              break;
            case "fail":
              last ??= CAUSE;
              answer.fail(CAUSE);
              break;
            default:
              act[step.do]();
          }
          for (const { told } of readers) expect(told.length).toBeLessThanOrEqual(1);
        }
        // Whatever was not read yet is there for the next one, and a source that waits goes on.
        const rest = read("go on");
        expect(source.isPaused).toBe(false);
        if (last === undefined) answer.finish();
        expect(rest.told).toEqual([last ?? "end"]);
        expect(Buffer.concat(got).equals(pieceAt(0, sent))).toBe(true);
        expect(source.aborted).toBe(0);
      }),
      { numRuns: byProof({ sample: 100, more: 600, all: 6_000 }) },
    );
  });

  it("is given up when its reader takes nothing for too long, and not before", () => {
    vi.useFakeTimers();
    try {
      const source = new Source();
      const answer = new Answer(200, {}, source, PATIENCE_MS);
      const reader = new Reader(
        () => answer.pause(),
        () => {},
      );
      answer.read(reader);
      for (let sent = 0; sent <= 2 * MAX_WAITING_BYTES; sent += 10_000) answer.push(pieceAt(sent, 10_000));
      expect(source.isPaused).toBe(true);
      vi.advanceTimersByTime(PATIENCE_MS - 1);
      expect(source.aborted).toBe(0);
      vi.advanceTimersByTime(1);
      expect(source.aborted).toBe(1);
      expect(reader.told).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });
});
