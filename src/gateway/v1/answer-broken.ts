import type { Duplex } from "node:stream";
import { openaiError } from "../wires/shared/openai.ts";

/** What is wrong with a request that isn't even HTTP, by the parser's code: status, its name, code and words. */
const FAULTS: Readonly<Record<string, readonly [number, string, string, string]>> = {
  HPE_HEADER_OVERFLOW: [
    431,
    "Request Header Fields Too Large",
    "headers-too-large",
    "the headers are too large.",
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [
    413,
    "Payload Too Large",
    "too-large",
    "the chunk extensions are too large.",
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout", "too-slow", "the request took too long to come."],
};
const MALFORMED = [400, "Bad Request", "bad-request", "the request isn't valid HTTP."] as const;

/** Answers a request that couldn't be read, in words, and closes its connection. */
export function answerBroken(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Nobody is there any more, or an answer is under way that must not be mixed with this one.
  if (error.code === "ECONNRESET" || !socket.writable || hasBegun(socket)) {
    socket.destroy(error);
    return;
  }
  const [status, name, code, words] = FAULTS[error.code ?? ""] ?? MALFORMED;
  const body = JSON.stringify(openaiError(status, { code, message: `precis: ${words}` }));
  socket.end(
    `HTTP/1.1 ${status} ${name}\r\nconnection: close\r\ncontent-type: application/json\r\nx-content-type-options: nosniff\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function hasBegun(socket: Duplex): boolean {
  const { _httpMessage: message } = socket as {
    readonly _httpMessage?: { readonly headersSent: boolean } | null;
  };
  return message?.headersSent === true;
}
