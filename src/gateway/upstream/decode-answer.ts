import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import zlib from "node:zlib";
import { MAX_BODY_BYTES } from "../../config/gateway-schema.ts";

/**
 * What unpacks to more isn't read on the side: no client could send it back within its next request, and a few hundred
 * kilobytes can hold any amount (bytes).
 */
const maxOutputLength = MAX_BODY_BYTES;
const unzip = { maxOutputLength, finishFlush: zlib.constants.Z_SYNC_FLUSH };

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => zlib.gunzipSync(bytes, unzip),
  "x-gzip": (bytes) => zlib.gunzipSync(bytes, unzip),
  deflate: (bytes) => zlib.inflateSync(bytes, unzip),
  br: (bytes) => zlib.brotliDecompressSync(bytes, { maxOutputLength }),
  // Not in every version of Node that precis runs on.
  ...("zstdDecompressSync" in zlib && {
    zstd: (bytes: Buffer) => zlib.zstdDecompressSync(bytes, { maxOutputLength }),
  }),
};

/** The text of an answer's bytes, for reading on the side; empty if it can't be read. */
export function answerText(answer: { readonly headers: IncomingHttpHeaders }, bytes: Buffer): string {
  const names = (answer.headers["content-encoding"] ?? "").toLowerCase().split(",");
  try {
    let decoded = bytes;
    for (const name of names.map((one) => one.trim()).reverse()) {
      if (name === "" || name === "identity") continue;
      const decode = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
      if (!decode) return "";
      decoded = decode(decoded);
    }
    return decoded.toString("utf8");
  } catch {
    return "";
  }
}

/**
 * Asks for answers that can be read on the side. A stream comes without compression: its last event must be told from
 * the others, and what is to be told of a compaction has its place in it.
 */
export function askReadable(headers: OutgoingHttpHeaders, streamed: boolean): void {
  const { "accept-encoding": asked } = headers;
  if (typeof asked !== "string") return;
  const known = asked
    .split(",")
    .filter((one) => Object.hasOwn(decoders, one.trim().split(";")[0]!.toLowerCase()));
  headers["accept-encoding"] = streamed || known.length === 0 ? "identity" : known.join(",").trim();
}
