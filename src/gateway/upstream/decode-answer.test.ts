import zlib from "node:zlib";
import { expect, test } from "vitest";
import { answerText } from "./answer.ts";

const MB = 1024 * 1024;
const PACKERS = {
  gzip: zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: (bytes: Buffer) =>
    zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
  ...("zstdCompressSync" in zlib && { zstd: zlib.zstdCompressSync }),
};
const MOST = 4 * MB;
const BOMB = Buffer.alloc(MOST + 1, "a");

test.each(Object.entries(PACKERS))(
  "an answer in %s that unpacks to any amount fills no memory: it is passed on, but not read",
  async (encoding, pack) => {
    const headers = { "content-encoding": encoding };
    expect(await answerText({ headers }, pack(Buffer.from("an answer")), MOST)).toBe("an answer");
    expect(await answerText({ headers }, pack(BOMB), MOST)).toHaveLength(0);
  },
);

test("neither does one that is packed several times", async () => {
  const headers = { "content-encoding": "gzip, gzip" };
  expect(await answerText({ headers }, zlib.gzipSync(zlib.gzipSync(BOMB)), MOST)).toHaveLength(0);
});
