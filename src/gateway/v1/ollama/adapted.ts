import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Readable } from "node:stream";

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

/** How the bytes of an answer are written anew. */
export interface Rewriting {
  /** The headers of the new answer. */
  head(status: number, headers: OutgoingHttpHeaders): OutgoingHttpHeaders;
  /** Text for the client, as far as it can be told by now. */
  push(text: string): string;
  end(): string;
}

/** A response that writes everything anew before it leaves. Whoever writes into it sees nothing of that. */
export function asResponse(response: ServerResponse, rewriting: Rewriting): ServerResponse {
  const decoder = new TextDecoder();
  const rewritten = (piece: unknown, isLast: boolean): string => {
    const bytes =
      typeof piece === "string" ? Buffer.from(piece) : Buffer.isBuffer(piece) ? piece : Buffer.alloc(0);
    return rewriting.push(decoder.decode(bytes, { stream: !isLast }));
  };
  const own = {
    writeHead(status: number, headers: OutgoingHttpHeaders = {}) {
      const { "content-length": _, ...rest } = headers;
      return response.writeHead(status, rewriting.head(status, rest));
    },
    write(piece: unknown, done?: unknown) {
      const text = rewritten(piece, false);
      const callback = typeof done === "function" ? (done as () => void) : undefined;
      if (text !== "") return response.write(text, callback);
      callback?.();
      return true;
    },
    end(piece?: unknown, done?: unknown) {
      const callback = [piece, done].find((one) => typeof one === "function") as (() => void) | undefined;
      return response.end(rewritten(piece, true) + rewriting.end(), callback);
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
