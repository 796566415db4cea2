import fc from "fast-check";
import { expect, test } from "vitest";
import { growth } from "../../test/support/growth.ts";
import { imageSize } from "./image-tokens.ts";

const ascii = (text: string): number[] => [...text].map((char) => char.charCodeAt(0));
const big = (value: number, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, i) => (value >>> (8 * (bytes - 1 - i))) & 0xff);
const little = (value: number, bytes: number): number[] => big(value, bytes).reverse();
const base64 = (bytes: readonly number[]): string => btoa(String.fromCharCode(...bytes));

type Make = (width: number, height: number) => number[];

const png: Make = (w, h) => [
  ...[0x89, ...ascii("PNG\r\n"), 0x1a, 0x0a],
  ...[...big(13, 4), ...ascii("IHDR"), ...big(w, 4), ...big(h, 4), 8, 6, 0, 0, 0],
];
const gif: Make = (w, h) => [...ascii("GIF89a"), ...little(w, 2), ...little(h, 2), 0xf7, 0, 0];
const riff = (body: number[]): number[] => [
  ...ascii("RIFF"),
  ...little(body.length + 4, 4),
  ...ascii("WEBP"),
  ...body,
];
const webpExtended: Make = (w, h) =>
  riff([...ascii("VP8X"), ...little(10, 4), 0x10, 0, 0, 0, ...little(w - 1, 3), ...little(h - 1, 3)]);
const webpLossless: Make = (w, h) =>
  riff([...ascii("VP8L"), ...little(20, 4), 0x2f, ...little(((w - 1) | ((h - 1) << 14)) >>> 0, 4), 0]);
const webpLossy: Make = (w, h) =>
  riff([...ascii("VP8 "), ...little(20, 4), 0x30, 1, 0, 0x9d, 1, 0x2a, ...little(w, 2), ...little(h, 2)]);
const jpegWith =
  (...segments: number[][]): Make =>
  (w, h) => [
    ...[0xff, 0xd8],
    ...segments.flat(),
    ...[0xff, 0xc2, ...big(17, 2), 8, ...big(h, 2), ...big(w, 2), 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1],
  ];
const jfif = [0xff, 0xe0, ...big(16, 2), ...ascii("JFIF\0"), 1, 1, 0, ...big(72, 2), ...big(72, 2), 0, 0];
const huffman = [0xff, 0xc4, ...big(4, 2), 0, 0];
const exif = [0xff, 0xe1, ...big(20_002, 2), ...new Array<number>(20_000).fill(0xc0)];

const FORMATS: readonly (readonly [string, Make, number])[] = [
  ["PNG", png, 1_000_000],
  ["GIF", gif, 65_535],
  ["WebP, extended", webpExtended, 16_000_000],
  ["WebP, lossless", webpLossless, 16_384],
  ["WebP, lossy", webpLossy, 16_383],
  ["JPEG", jpegWith(jfif), 65_535],
  ["JPEG with tables and fill bytes", jpegWith(jfif, huffman, [0xff]), 65_535],
  ["JPEG with a large thumbnail", jpegWith(jfif, exif), 65_535],
];

test.each(FORMATS)("%s: size from bytes, base64 and data URL", (_name, make, max) => {
  const side = fc.integer({ min: 1, max });
  fc.assert(
    fc.property(side, side, (width, height) => {
      const bytes = make(width, height);
      expect(imageSize(Uint8Array.from(bytes))).toEqual({ width, height });
      expect(imageSize(base64(bytes))).toEqual({ width, height });
      expect(imageSize(`data:image/x;base64,${base64(bytes)}`)).toEqual({ width, height });
    }),
    { numRuns: 30 },
  );
});

test("a real PNG of one pixel", () => {
  const pixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  expect(imageSize(pixel)).toEqual({ width: 1, height: 1 });
});

test("URL-safe base64 reads the same", () => {
  const text = base64(jpegWith(jfif)(62_000, 63_000));
  expect(imageSize(text.replaceAll("+", "-").replaceAll("/", "_"))).toEqual({
    width: 62_000,
    height: 63_000,
  });
});

test("whatever it is given, it answers and doesn't throw", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), fc.uint8Array()), (noise) => {
      const size = imageSize(noise);
      if (size) expect(size.width * size.height).toBeGreaterThan(0);
    }),
  );
  for (const [, make] of FORMATS) {
    const bytes = make(300, 200);
    for (let length = 0; length < Math.min(bytes.length, 60); length++)
      expect(() => imageSize(Uint8Array.from(bytes.slice(0, length)))).not.toThrow();
  }
});

test.each(["", "https://example.com/picture.png", "file-abc123", "data:image/svg+xml,<svg/>"])(
  "%j has no header",
  (text) => {
    expect(imageSize(text)).toBeUndefined();
  },
);

test("a size of zero isn't a size", () => {
  expect(imageSize(Uint8Array.from(png(0, 100)))).toBeUndefined();
});

test("reads the header only: a larger image costs no more", () => {
  const header = base64(png(640, 480));
  const images = new Map([1, 8].map((size) => [size, header + "A".repeat(size * 2_500_000)]));
  for (const image of images.values()) expect(imageSize(image)).toEqual({ width: 640, height: 480 });
  const cost = growth((size) => {
    for (let i = 0; i < 100; i++) imageSize(images.get(size)!);
  }, 1);
  expect(cost).toBeLessThan(4);
});
