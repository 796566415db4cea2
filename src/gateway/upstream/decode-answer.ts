import type { IncomingMessage } from "node:http";
import zlib from "node:zlib";

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => zlib.gunzipSync(bytes, { finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  deflate: (bytes) => zlib.inflateSync(bytes, { finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  br: (bytes) => zlib.brotliDecompressSync(bytes),
};

/** The text of an answer's bytes, for reading on the side; empty if it can't be read. */
export function answerText(answer: IncomingMessage, bytes: Buffer): string {
  const encoding = answer.headers["content-encoding"] ?? "identity";
  if (encoding === "identity") return bytes.toString("utf8");
  try {
    return decoders[encoding]?.(bytes).toString("utf8") ?? "";
  } catch {
    return "";
  }
}
