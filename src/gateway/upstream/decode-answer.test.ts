import zlib from "node:zlib";
import { expect, test } from "vitest";
import { answerText } from "./decode-answer.ts";

const MB = 1024 * 1024;
const PACKERS = {
  gzip: zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: (bytes: Buffer) =>
    zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
  ...("zstdCompressSync" in zlib && { zstd: zlib.zstdCompressSync }),
};
const BOMB = Buffer.alloc(65 * MB, "a");

test.each(Object.entries(PACKERS))(
  "an answer in %s that unpacks to any amount fills no memory: it is passed on, but not read",
  (encoding, pack) => {
    const headers = { "content-encoding": encoding };
    expect(answerText({ headers }, pack(Buffer.from("an answer")))).toBe("an answer");
    expect(answerText({ headers }, pack(BOMB))).toHaveLength(0);
  },
);

test("neither does one that is packed several times", () => {
  const headers = { "content-encoding": "gzip, gzip" };
  expect(answerText({ headers }, zlib.gzipSync(zlib.gzipSync(BOMB)))).toHaveLength(0);
});
