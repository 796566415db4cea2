import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { answerText, isPlain } from "../../upstream/answer.ts";

/** A request of ours in place of the client's: another path and body, everything else as it came. */
export function asRequest(
  { headers: given, socket }: Pick<IncomingMessage, "headers" | "socket">,
  path: string,
  body: Buffer,
): IncomingMessage {
  const { "content-encoding": _, "transfer-encoding": __, ...headers } = given;
  const sent: IncomingHttpHeaders = {
    ...headers,
    "content-type": "application/json",
    "content-length": String(body.length),
    // What comes back is read and written anew.
    "accept-encoding": "identity",
  };
  return Object.assign(Readable.from([body]), {
    method: "POST",
    url: path,
    headers: sent,
    socket,
    complete: true,
  }) as unknown as IncomingMessage;
}

/** How an answer is written anew. */
export interface Rewriting {
  /** How its pieces are written as they come; undefined: it is written at its end, when all of it is there. */
  streamed(status: number, headers: OutgoingHttpHeaders): RewrittenStream | undefined;
  /** All of it, by its text without compression; undefined: it is too long to be written anew. */
  whole(status: number, text: string | undefined): RewrittenAnswer;
  /** What is longer isn't kept (bytes). */
  readonly most: number;
}

interface RewrittenStream {
  readonly headers: OutgoingHttpHeaders;
  /** Text for the client, as far as it can be told by now. */
  push(piece: Buffer): string;
  end(): string;
}

interface RewrittenAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** A response that writes everything anew before it leaves. Whoever writes into it sees nothing of that. */
export function asResponse(response: ServerResponse, rewriting: Rewriting): ServerResponse {
  let stream: RewrittenStream | undefined;
  let head: { readonly status: number; readonly headers: OutgoingHttpHeaders } | undefined;
  let pieces: Buffer[] = [];
  let size = 0;
  let isTold = false;
  const bytesOf = (piece: unknown): Buffer =>
    typeof piece === "string" ? Buffer.from(piece) : Buffer.isBuffer(piece) ? piece : Buffer.alloc(0);
  const tell = (text: string | undefined, done?: () => void) => {
    const { status, headers } = head ?? { status: response.statusCode, headers: {} };
    const { "content-encoding": _, ...rest } = headers;
    const told = rewriting.whole(status, text);
    response.writeHead(told.status, { ...rest, "content-type": told.type });
    response.end(told.text, done);
  };
  const endWhole = (done: (() => void) | undefined) => {
    if (isTold || response.headersSent) {
      done?.();
      return;
    }
    isTold = true;
    const encoding = head?.headers["content-encoding"];
    const packed = { headers: typeof encoding === "string" ? { "content-encoding": encoding } : {} };
    const bytes = Buffer.concat(pieces);
    pieces = [];
    if (size > rewriting.most) tell(undefined, done);
    else if (isPlain(packed)) tell(bytes.toString("utf8"), done);
    else
      Promise.resolve(answerText(packed, bytes, rewriting.most))
        .then((text) => tell(text, done))
        .catch(() => response.destroy());
  };
  /** Keeps a piece until all are there. A client isn't left to wait for the end of what is too long. */
  const keep = (piece: Buffer) => {
    size += piece.length;
    if (size <= rewriting.most) pieces.push(piece);
    else endWhole(undefined);
  };
  const own = {
    writeHead(status: number, headers: OutgoingHttpHeaders = {}) {
      const { "content-length": _, ...rest } = headers;
      stream = rewriting.streamed(status, rest);
      if (stream) return response.writeHead(status, stream.headers);
      head = { status, headers: rest };
      isTold = false;
      // Whoever looks at it before all is there sees what was meant.
      response.statusCode = status;
      pieces = [];
      size = 0;
      return response;
    },
    write(piece: unknown, done?: unknown) {
      const callback = typeof done === "function" ? (done as () => void) : undefined;
      const text = stream?.push(bytesOf(piece)) ?? "";
      if (!stream) keep(bytesOf(piece));
      if (text !== "") return response.write(text, callback);
      callback?.();
      return true;
    },
    end(piece?: unknown, done?: unknown) {
      const callback = [piece, done].find((one) => typeof one === "function") as (() => void) | undefined;
      if (stream) return response.end(stream.push(bytesOf(piece)) + stream.end(), callback);
      keep(bytesOf(piece));
      endWhole(callback);
      return response;
    },
  };
  return new Proxy(response, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return own[name as keyof typeof own];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
