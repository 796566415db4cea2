import type { IncomingMessage, ServerResponse } from "node:http";

/** Largest answer that is read on the side (bytes). A larger one is passed on all the same. */
const MAX_READ = 64 * 1024 * 1024;
/** Longest end marker, for those that two pieces share (bytes). */
const CARRY = 48;
const NEW_LINE = 0x0a;

/**
 * Passes a streamed answer on as it comes. Only what tells the client that the answer is whole (the last event, and the
 * end) waits for `commit`, so nothing that a client takes for done can be lost.
 */
export function relayStream(options: {
  readonly answer: IncomingMessage;
  readonly response: ServerResponse;
  readonly endMarkers: readonly string[];
  /** Bytes that were read from the answer already. */
  readonly first?: Buffer | undefined;
  /** Changes events on their way; undefined: bytes pass as they are. */
  readonly transform?: ((piece: Buffer, isLast: boolean) => Buffer) | undefined;
  commit(bytes: Buffer | undefined): Promise<void>;
}): Promise<"whole" | "broken"> {
  const { answer, response, endMarkers, transform } = options;
  return new Promise((resolve) => {
    const seen: Buffer[] = [];
    let size = 0;
    let held: Buffer[] | undefined;
    let carry: Buffer = Buffer.alloc(0);
    let waiting: Buffer[] = [];
    let settled = false;

    const settle = (outcome: "whole" | "broken") => {
      if (settled) return;
      settled = true;
      resolve(outcome);
    };
    const pass = (piece: Buffer) => {
      if (piece.length === 0) return;
      if (!response.write(piece)) {
        answer.pause();
        response.once("drain", () => answer.resume());
      }
    };
    const take = (raw: Buffer) => {
      size += raw.length;
      if (size <= MAX_READ) seen.push(raw);
      waiting.push(raw);
      // Events that came together leave together: one write instead of many.
      if (waiting.length === 1) process.nextTick(flush);
    };
    const flush = () => {
      if (waiting.length === 0) return;
      const raw = waiting.length === 1 ? waiting[0]! : Buffer.concat(waiting);
      waiting = [];
      const piece = transform ? transform(raw, false) : raw;
      if (held) {
        held.push(piece);
        return;
      }
      const at = endOf(piece, carry, endMarkers);
      if (at === undefined) {
        pass(piece);
        carry = piece.subarray(-CARRY);
        return;
      }
      pass(piece.subarray(0, at));
      held = [piece.subarray(at)];
    };

    if (options.first) take(options.first);
    answer.on("data", take);
    const end = () => {
      flush();
      const rest = transform?.(Buffer.alloc(0), true);
      const all = size <= MAX_READ ? Buffer.concat(seen) : undefined;
      options.commit(all).then(
        () => {
          for (const piece of [...(held ?? []), ...(rest ? [rest] : [])])
            if (piece.length > 0) response.write(piece);
          response.end(() => settle("whole"));
        },
        () => {
          response.destroy();
          settle("broken");
        },
      );
    };
    answer.on("end", end);
    // A short answer of which the beginning was read may be at its end already.
    if (answer.readableEnded) end();
    const broken = () => {
      if (answer.complete) return;
      // The client must see that the answer isn't whole.
      response.destroy();
      settle("broken");
    };
    answer.on("error", broken);
    answer.on("close", broken);
    if (answer.destroyed && !answer.complete) broken();
    answer.resume();
    response.on("close", () => settle(response.writableFinished ? "whole" : "broken"));
  });
}

/** Where the last event begins in this piece, if it is in it. */
function endOf(piece: Buffer, carry: Buffer, markers: readonly string[]): number | undefined {
  // A marker stands on a line of its own, so it can't have begun in a piece that ended with a line.
  const joined =
    carry.length > 0 && carry.at(-1) !== NEW_LINE
      ? Buffer.concat([carry, piece.subarray(0, CARRY)])
      : undefined;
  for (const marker of markers) {
    if (joined?.includes(marker)) return 0;
    const at = piece.indexOf(marker);
    if (at >= 0) return at;
  }
  return undefined;
}
