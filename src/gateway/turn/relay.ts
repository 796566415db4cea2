import type { ServerResponse } from "node:http";
import { lineEndIn } from "../../apis/shared/events.ts";
import type { Answer } from "../upstream/answer.ts";

/** The last bytes of what came, by which an event that broke off is told from one that ended. */
const TAIL_BYTES = 4;

/**
 * Passes a streamed answer on as it comes. Only what tells the client that the answer is whole (the last event, and the
 * end) waits for `commit`, so nothing that a client takes for done can be lost.
 */
export function relayStream(options: {
  readonly answer: Answer;
  readonly response: ServerResponse;
  readonly endMarkers: readonly string[];
  /** Of a longer answer nothing is kept (bytes). */
  readonly most: number;
  /** Bytes that were read from the answer already. */
  readonly first?: Buffer | undefined;
  /** Changes events on their way; undefined: bytes pass as they are. */
  readonly transform?: ((piece: Buffer, isLast: boolean) => Buffer) | undefined;
  commit(bytes: Buffer | undefined): Promise<void> | undefined;
  /** What a client is told at the end of an answer that broke off; undefined: its connection is cut. */
  farewell?(cause: unknown): string | undefined;
}): Promise<"whole" | "broken"> {
  const { answer, response, endMarkers, most, transform } = options;
  const { promise, resolve } = Promise.withResolvers<"whole" | "broken">();
  let received: Buffer[] = [];
  let size = 0;
  let tail: Buffer = Buffer.alloc(0);
  const findEnd = createEndFinder(endMarkers);
  let deferred: Buffer[] | undefined;
  let deferredBytes = 0;
  let hasEnded = false;
  const endsEvent = createEventEnd();
  let committed: Promise<void> | undefined;
  let isReleased = false;
  let waiting: Buffer[] = [];

  const pass = (piece: Buffer) => {
    if (piece.length === 0) return;
    if (!response.write(piece)) {
      answer.pause();
      response.once("drain", () => answer.resume());
    }
  };
  const defer = (piece: Buffer) => {
    deferred ??= [];
    deferred.push(piece);
    deferredBytes += piece.length;
    // What goes on for so long isn't waited for any more.
    hasEnded = endsEvent(piece) || deferredBytes > most;
  };
  const take = (raw: Buffer) => {
    size += raw.length;
    if (size <= most) received.push(raw);
    else received = [];
    tail = raw.length < TAIL_BYTES ? Buffer.concat([tail, raw]).subarray(-TAIL_BYTES) : raw;
    waiting.push(raw);
    // Events that came together leave together: one write instead of many.
    if (waiting.length === 1) process.nextTick(flush);
  };
  const flush = () => {
    try {
      passWaiting();
    } catch {
      // What can't be written for this client must not end the whole server.
      fail();
    }
  };
  const passWaiting = () => {
    if (waiting.length === 0) return;
    const raw = waiting.length === 1 ? waiting[0]! : Buffer.concat(waiting);
    waiting = [];
    const piece = transform ? transform(raw, false) : raw;
    if (isReleased) pass(piece);
    else if (deferred) defer(piece);
    else {
      const at = findEnd(piece);
      if (at !== undefined) {
        defer(piece.subarray(at));
        corkForMoments();
      }
      pass(at === undefined ? piece : piece.subarray(0, at));
    }
    // Not all upstreams close the connection behind their last event.
    if (hasEnded && !isReleased) commit().then(release).catch(fail);
  };
  /** What stands before the end leaves together with it if the commit is there at once: one write instead of two. */
  const corkForMoments = () => {
    const { socket } = response;
    socket?.cork();
    // Node lets go itself at the end of a response.
    const letGo = () => {
      if (!response.writableEnded) socket?.uncork();
    };
    // In the next turn of the event loop a commit is there that had to wait for nobody.
    setImmediate(() => setImmediate(letGo));
  };
  const commit = (): Promise<void> => {
    committed ??= (async () => options.commit(size <= most ? Buffer.concat(received) : undefined))();
    return committed;
  };
  const release = () => {
    if (isReleased) return;
    isReleased = true;
    for (const piece of deferred ?? []) if (piece.length > 0) response.write(piece);
    deferred = undefined;
  };
  const fail = () => {
    response.destroy();
    resolve("broken");
  };

  const end = () => {
    flush();
    finish(transform?.(Buffer.alloc(0), true));
  };
  const finish = (rest?: Buffer) => {
    commit()
      .then(() => {
        release();
        if (rest && rest.length > 0) response.write(rest);
        response.end(() => resolve("whole"));
      })
      .catch(fail);
  };
  const broken = (cause: unknown) => {
    flush();
    // Its last event was there: nothing is missing but the end of the connection.
    if (committed) return finish();
    // The client must see that the answer isn't whole.
    const words = response.destroyed ? undefined : options.farewell?.(cause);
    if (words === undefined) return fail();
    // An event that broke off in the middle is ended first.
    const isBetween = size === 0 || endsBlank(tail);
    const lineEnd = lineEndIn(Buffer.concat(received).toString("latin1")) ?? "\n";
    const text = `${isBetween ? "" : "\n\n"}${words}`.replaceAll("\n", lineEnd);
    response.end(text, () => resolve("broken"));
  };
  const closed = () => {
    // Whoever ended the response on its way wants no more of the answer.
    answer.drop();
    resolve(response.writableFinished ? "whole" : "broken");
  };
  response.on("close", closed);
  // The client may be gone already: it never got to the end, and will ask again.
  if (response.destroyed) closed();
  else {
    if (options.first) take(options.first);
    answer.read({ piece: take, end, broken });
  }
  return promise;
}

/** Did the last event end? */
function endsBlank(bytes: Buffer): boolean {
  const end = bytes.subarray(-TAIL_BYTES).toString("latin1");
  return EVENT_ENDS.some((one) => end.endsWith(one));
}

/** What may stand before the marker on its line: it names the event, or it is the event. */
const BEFORE = /^(?:event: ?|data: ?(?:\{ ?"type": ?")?)$/;
/** The longest of these (bytes). */
const MAX_BEFORE = 16;

/** Finds where the last event of a stream begins. In a model's own words, such events stand in the middle of a line. */
function createEndFinder(markers: readonly string[]): (piece: Buffer) => number | undefined {
  // The line that the last piece ended in the middle of, as far as it can be the beginning of a marker's.
  let line: Buffer = Buffer.alloc(0);
  const longest = MAX_BEFORE + Math.max(0, ...markers.map(({ length }) => length));
  return (piece) => {
    const bytes = line.length === 0 ? piece : Buffer.concat([line, piece]);
    for (const marker of markers) {
      for (let at = bytes.indexOf(marker); at >= 0; at = bytes.indexOf(marker, at + 1)) {
        const start = lineStart(bytes, at);
        if (start !== undefined && BEFORE.test(bytes.toString("latin1", start, at)))
          return Math.max(0, start - line.length);
      }
    }
    const rest = bytes.subarray(lastLineEnd(bytes) + 1);
    // A longer one holds no marker; its end must not be taken for a beginning.
    line = rest.subarray(0, longest);
    return undefined;
  };
}

function lineStart(bytes: Buffer, at: number): number | undefined {
  const from = Math.max(0, at - MAX_BEFORE - 1);
  const end = lastLineEnd(bytes.subarray(from, at));
  if (end >= 0) return from + end + 1;
  return from === 0 ? 0 : undefined;
}

function lastLineEnd(bytes: Buffer): number {
  return Math.max(bytes.lastIndexOf("\n"), bytes.lastIndexOf("\r"));
}

/** What may end an event: an empty line, in streams whose lines end with LF, CRLF or CR. */
const EVENT_ENDS = ["\n\n", "\n\r\n", "\r\r"];

/** The longest beginning of an empty line that may stand at the end of a piece (bytes). */
const MAX_CUT = 3;

/** Tells whether an event has ended in the pieces so far. Each is looked at once: an event may be tens of megabytes. */
export function createEventEnd(): (piece: Buffer) => boolean {
  let tail: Buffer = Buffer.alloc(0);
  let isFound = false;
  return (piece) => {
    isFound ||= hasEmptyLine(Buffer.concat([tail, piece.subarray(0, MAX_CUT)])) || hasEmptyLine(piece);
    tail = Buffer.concat([tail, piece.subarray(-MAX_CUT)]).subarray(-MAX_CUT);
    return isFound;
  };
}

function hasEmptyLine(bytes: Buffer): boolean {
  return EVENT_ENDS.some((end) => bytes.includes(end));
}
