import type { Transform } from "node:stream";
import zlib from "node:zlib";

/** How much is unpacked at once (bytes). */
const CHUNK_BYTES = 64 * 1024;

interface UnpackOptions {
  /** Is what comes before an end that is missing better than nothing? */
  readonly isLenient: boolean;
}

const unzip = ({ isLenient }: UnpackOptions): zlib.ZlibOptions => ({
  chunkSize: CHUNK_BYTES,
  ...(isLenient && { finishFlush: zlib.constants.Z_SYNC_FLUSH }),
});

/** What a `content-encoding` may name, and what unpacks it. */
const CODINGS: Readonly<Record<string, (options: UnpackOptions) => Transform>> = {
  gzip: (options) => zlib.createGunzip(unzip(options)),
  "x-gzip": (options) => zlib.createGunzip(unzip(options)),
  deflate: (options) => zlib.createInflate(unzip(options)),
  br: () => zlib.createBrotliDecompress({ chunkSize: CHUNK_BYTES }),
  // Not in every version of Node that precis runs on.
  ...("createZstdDecompress" in zlib && {
    zstd: () => zlib.createZstdDecompress({ chunkSize: CHUNK_BYTES }),
  }),
};

/** The codings that can be unpacked. */
export const codings: readonly string[] = Object.keys(CODINGS);

/** So many codings on top of each other are taken off. A header has room for thousands, and each holds memory of its own. */
const MOST_CODINGS = 4;

/** Can all of these be taken off? */
export const areUnpackable = (names: readonly string[]): boolean =>
  names.length <= MOST_CODINGS && names.every(isCoding);

export const isCoding = (name: string): boolean => Object.hasOwn(CODINGS, name);

const PLAIN: readonly string[] = [];

/** The codings that a `content-encoding` names, in the order in which they are taken off. Empty: it is plain. */
export function codingsIn(encoding: string | undefined): readonly string[] {
  if (encoding === undefined) return PLAIN;
  const names = encoding.split(",").map((one) => one.trim().toLowerCase());
  return names.filter((name) => name !== "" && name !== "identity").reverse();
}

/** What unpacks one of `codings`. */
export function createUnpacker(coding: string, options: UnpackOptions): Transform {
  return CODINGS[coding]!(options);
}

/** What was packed is larger than it may be. */
export class UnpacksToMore extends Error {}

/** The bytes without one of `codings`. Throws if they hold more than `most`, or aren't packed so. */
export async function unpack(
  bytes: Buffer,
  coding: string,
  { most, ...options }: UnpackOptions & { readonly most: number },
): Promise<Buffer> {
  const unpacker = createUnpacker(coding, options);
  const pieces: Buffer[] = [];
  let size = 0;
  unpacker.end(bytes);
  for await (const piece of unpacker as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > most) throw new UnpacksToMore(`it unpacks to more than ${most} bytes`);
    pieces.push(piece);
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, size);
}
