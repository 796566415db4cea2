import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Io } from "./io.ts";
import { FileError, readLines } from "./read-lines.ts";

async function read(...pieces: Uint8Array[]): Promise<string[]> {
  return readUpTo(undefined, ...pieces);
}

async function readUpTo(longest: number | undefined, ...pieces: Uint8Array[]): Promise<string[]> {
  const output = { write: () => true };
  const io: Io = {
    stdin: Readable.from(pieces),
    stdout: output,
    stderr: output,
    env: {},
    signal: new AbortController().signal,
  };
  const lines: string[] = [];
  for await (const line of readLines("-", io, () => {}, longest)) lines.push(line);
  return lines;
}

const text = "first\nzweite Zeile: größer 🎈\n\nlast";
const lines = ["first", "zweite Zeile: größer 🎈", "", "last"];

test("lines, whatever the size of the pieces", async () => {
  const bytes = Buffer.from(text);
  expect(await read(bytes)).toEqual(lines);
  expect(await read(...Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(lines);
});

test("gzip is unpacked, also when its first two bytes come in two pieces", async () => {
  const packed = gzipSync(text);
  expect(await read(packed)).toEqual(lines);
  expect(await read(packed.subarray(0, 1), packed.subarray(1))).toEqual(lines);
});

test("a gzip file that is cut off or damaged is an error, not less text", async () => {
  const packed = gzipSync(text.repeat(1_000));
  await expect(read(packed.subarray(0, packed.length - 9))).rejects.toThrow(/cut off/);
  const checksum = packed.length - 8;
  packed[checksum] = packed[checksum]! ^ 1;
  await expect(read(packed)).rejects.toThrow(/damaged/);
});

test("a small packed file with a line that no text can hold is named, not a failure of precis, and isn't unpacked to its end", async () => {
  const bomb = gzipSync("a".repeat(4_000_000));
  await expect(readUpTo(1_000_000, bomb)).rejects.toThrow(
    new FileError(
      "- has a line of more than 1000000 characters, which can't be read. Split it, or leave it out.",
    ),
  );
  // Each line has the room for itself.
  expect(await readUpTo(1_000, gzipSync(`${"a".repeat(900)}\n`.repeat(50)))).toHaveLength(50);
});

test.each([
  ["as PowerShell writes it", (bytes: Buffer) => bytes],
  ["with its bytes in the other order", (bytes: Buffer) => bytes.swap16()],
])("a file in UTF-16, %s, is read as text and not called binary", async (_, ordered) => {
  const bytes = ordered(Buffer.from(`\ufeff${text}`, "utf16le"));
  expect(await read(bytes)).toEqual(lines);
  expect(await read(...Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(lines);
  expect(await read(gzipSync(bytes))).toEqual(lines);
});

test("the mark that Windows programs put before UTF-8 is no part of the first line", async () => {
  const bytes = Buffer.from(`\ufeff${text}`);
  expect(await read(bytes)).toEqual(lines);
  expect(await read(...Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(lines);
});

test("nothing is no line", async () => {
  expect(await read()).toEqual([]);
});
