import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { areUnpackable, codingsIn, createUnpacker, isCoding, unpack } from "../http/read-body.ts";

export interface AnswerReader {
  piece(bytes: Buffer): void;
  end(): void;
  /** It will never be whole: the connection broke, or nobody wants it any more. */
  broken(cause: unknown): void;
}

export interface AnswerSource {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/** Bytes that wait for a reader before the upstream has to wait, too. */
const MAX_WAITING_BYTES = 65_536;

/** An upstream's answer: its head, and its body as it comes. */
export class Answer {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly #source: AnswerSource;
  readonly #patienceMs: number;
  #patience: NodeJS.Timeout | undefined;
  #reader: AnswerReader | undefined;
  #isPaused = false;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #isSourcePaused = false;
  #last: { readonly cause: unknown } | "whole" | undefined;

  constructor(
    statusCode: number,
    headers: IncomingHttpHeaders,
    source: AnswerSource,
    /** How long the upstream waits for a reader that takes nothing. */
    patienceMs: number,
  ) {
    this.statusCode = statusCode;
    this.headers = headers;
    this.#source = source;
    this.#patienceMs = patienceMs;
  }

  /** The reader gets what came so far, and whatever comes, until it leaves. There is one at a time. */
  read(reader: AnswerReader): void {
    this.#reader = reader;
    this.resume();
  }

  /** What comes from now on waits for the next reader. */
  leave(): void {
    this.#reader = undefined;
  }

  /** Nobody wants the rest: the upstream needn't send it. */
  drop(): void {
    this.#reader = undefined;
    if (this.#last === undefined) this.#source.abort(new Error("nobody reads this answer"));
  }

  /** The reader can't take more for now. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#deliver();
    if (!this.#isSourcePaused || this.#waiting.length > 0) return;
    this.#isSourcePaused = false;
    clearTimeout(this.#patience);
    this.#source.resume();
  }

  /**
   * All of it in one piece; of one with more than `most` bytes the beginning, and whoever reads on gets the rest. Rejects if it broke
   * off before.
   */
  whole(most: number): Promise<{ readonly bytes: Buffer; readonly isWhole: boolean }> {
    return new Promise((resolve, reject) => {
      const pieces: Buffer[] = [];
      let size = 0;
      const settle = (isWhole: boolean) =>
        resolve({ bytes: pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces), isWhole });
      this.read({
        piece: (bytes) => {
          pieces.push(bytes);
          size += bytes.length;
          if (size <= most) return;
          this.leave();
          settle(false);
        },
        end: () => settle(true),
        broken: reject,
      });
    });
  }

  /** For the source: more of the body. */
  push(bytes: Buffer): void {
    if (this.#reader && !this.#isPaused && this.#waiting.length === 0) {
      this.#reader.piece(bytes);
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes < MAX_WAITING_BYTES || this.#isSourcePaused) return;
    this.#isSourcePaused = true;
    this.#source.pause();
    this.#patience = setTimeout(() => this.#giveUp(), this.#patienceMs);
    this.#patience.unref();
  }

  /** For the source: that was all. */
  finish(): void {
    clearTimeout(this.#patience);
    this.#last ??= "whole";
    this.#deliver();
  }

  /** For the source: nothing more will come, though something is missing. */
  fail(cause: unknown): void {
    clearTimeout(this.#patience);
    this.#last ??= { cause };
    this.#deliver();
  }

  /** A client that is there but doesn't read must not hold a connection for ever. */
  #giveUp(): void {
    const cause = new Error("nobody reads this answer");
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#isPaused = false;
    this.fail(cause);
    this.#source.abort(cause);
  }

  #deliver(): void {
    while (this.#reader && !this.#isPaused && this.#waiting.length > 0) {
      const bytes = this.#waiting.shift()!;
      this.#waitingBytes -= bytes.length;
      this.#reader.piece(bytes);
    }
    const reader = this.#reader;
    if (!reader || this.#last === undefined || this.#waiting.length > 0) return;
    this.#reader = undefined;
    if (this.#last === "whole") reader.end();
    else reader.broken(this.#last.cause);
  }
}

/** Can the bytes of an answer be read as they are? */
export function isPlain({ headers }: { readonly headers: IncomingHttpHeaders }): boolean {
  return codingsIn(headers["content-encoding"]).length === 0;
}

/** The text of an answer's bytes, for reading on the side; empty if it can't be read, or unpacks to more than `most` bytes. */
export function answerText(
  { headers }: { readonly headers: IncomingHttpHeaders },
  bytes: Buffer,
  most: number,
): string | Promise<string> {
  const names = codingsIn(headers["content-encoding"]);
  return names.length === 0 ? bytes.toString("utf8") : unpackedText(names, bytes, most);
}

async function unpackedText(names: readonly string[], bytes: Buffer, most: number): Promise<string> {
  try {
    let decoded = bytes;
    if (!areUnpackable(names)) return "";
    for (const coding of names) decoded = await unpack(decoded, coding, { most, isLenient: true });
    return decoded.toString("utf8");
  } catch {
    return "";
  }
}

/** Asks for answers that can be read on the side. A stream comes without compression, so that its events can be told apart. */
export function askReadable(headers: OutgoingHttpHeaders, streamed: boolean): void {
  const { "accept-encoding": asked } = headers;
  if (typeof asked !== "string") return;
  const known = asked.split(",").filter((one) => isCoding(one.trim().split(";")[0]!.toLowerCase()));
  headers["accept-encoding"] = streamed || known.length === 0 ? "identity" : known.join(",").trim();
}

/**
 * A streamed answer without its compression: some servers pack events though they are asked not to, and whoever reads them on
 * their way needs their text. One that isn't packed, or in a way that nobody knows, is the same answer.
 */
export function unpackStream(answer: Answer, patienceMs: number): Answer {
  const names = codingsIn(answer.headers["content-encoding"]);
  if (names.length === 0 || !areUnpackable(names)) return answer;
  return names.reduce((packed, coding) => unpackOne(packed, coding, patienceMs), answer);
}

function unpackOne(answer: Answer, coding: string, patienceMs: number): Answer {
  const { "content-encoding": _, "content-length": __, ...headers } = answer.headers;
  // What a server hasn't flushed at its end is no reason to lose the rest.
  const decoder = createUnpacker(coding, { isLenient: true });
  const unpacked = new Answer(
    answer.statusCode,
    headers,
    {
      pause: () => decoder.pause(),
      resume: () => decoder.resume(),
      abort() {
        answer.drop();
        decoder.destroy();
      },
    },
    patienceMs,
  );
  decoder.on("data", (bytes: Buffer) => unpacked.push(bytes));
  decoder.on("end", () => unpacked.finish());
  decoder.on("error", (cause) => {
    answer.drop();
    unpacked.fail(cause);
  });
  answer.read({
    piece(bytes) {
      if (decoder.write(bytes)) return;
      answer.pause();
      decoder.once("drain", () => answer.resume());
    },
    end: () => decoder.end(),
    broken(cause) {
      unpacked.fail(cause);
      decoder.destroy();
    },
  });
  return unpacked;
}
