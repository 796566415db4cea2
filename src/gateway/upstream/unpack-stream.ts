import type { Transform } from "node:stream";
import zlib from "node:zlib";
import { Answer } from "./answer.ts";

/** What a server hasn't flushed at its end is no reason to lose the rest. */
const unzip = { finishFlush: zlib.constants.Z_SYNC_FLUSH };

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib.createGunzip(unzip),
  "x-gzip": () => zlib.createGunzip(unzip),
  deflate: () => zlib.createInflate(unzip),
  br: () => zlib.createBrotliDecompress(),
  // Not in every version of Node that precis runs on.
  ...("createZstdDecompress" in zlib && { zstd: () => zlib.createZstdDecompress() }),
};

/**
 * A streamed answer without its compression: some servers pack events though they are asked not to, and whoever reads them on
 * their way needs their text. One that isn't packed, or in a way that nobody knows, is the same answer.
 */
export function unpackStream(answer: Answer, patienceMs: number): Answer {
  const { "content-encoding": encoding = "", "content-length": _, ...headers } = answer.headers;
  const name = encoding.trim().toLowerCase();
  const decoder = Object.hasOwn(decoders, name) ? decoders[name]!() : undefined;
  if (!decoder) return answer;
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
