import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { answerText } from "../../upstream/decode-answer.ts";

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
  /** All of it, by its text without compression. */
  whole(status: number, text: string): RewrittenAnswer;
}

interface RewrittenStream {
  readonly headers: OutgoingHttpHeaders;
  /** Text for the client, as far as it can be told by now. */
  push(text: string): string;
  end(): string;
}

interface RewrittenAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** A response that writes everything anew before it leaves. Whoever writes into it sees nothing of that. */
export function asResponse(response: ServerResponse, rewriting: Rewriting): ServerResponse {
  const decoder = new TextDecoder();
  let stream: RewrittenStream | undefined;
  let head: { readonly status: number; readonly headers: OutgoingHttpHeaders } | undefined;
  let pieces: Buffer[] = [];
  const bytesOf = (piece: unknown): Buffer =>
    typeof piece === "string" ? Buffer.from(piece) : Buffer.isBuffer(piece) ? piece : Buffer.alloc(0);
  const endWhole = (done: (() => void) | undefined) => {
    const { status, headers } = head ?? { status: response.statusCode, headers: {} };
    const { "content-encoding": encoding, ...rest } = headers;
    const packed = { headers: typeof encoding === "string" ? { "content-encoding": encoding } : {} };
    const told = rewriting.whole(status, answerText(packed, Buffer.concat(pieces)));
    response.writeHead(told.status, { ...rest, "content-type": told.type });
    return response.end(told.text, done);
  };
  const own = {
    writeHead(status: number, headers: OutgoingHttpHeaders = {}) {
      const { "content-length": _, ...rest } = headers;
      stream = rewriting.streamed(status, rest);
      if (stream) return response.writeHead(status, stream.headers);
      head = { status, headers: rest };
      pieces = [];
      return response;
    },
    write(piece: unknown, done?: unknown) {
      const callback = typeof done === "function" ? (done as () => void) : undefined;
      const text = stream?.push(decoder.decode(bytesOf(piece), { stream: true })) ?? "";
      if (!stream) pieces.push(bytesOf(piece));
      if (text !== "") return response.write(text, callback);
      callback?.();
      return true;
    },
    end(piece?: unknown, done?: unknown) {
      const callback = [piece, done].find((one) => typeof one === "function") as (() => void) | undefined;
      if (stream) return response.end(stream.push(decoder.decode(bytesOf(piece))) + stream.end(), callback);
      pieces.push(bytesOf(piece));
      return endWhole(callback);
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
