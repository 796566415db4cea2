import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { createProgress, type Io } from "./io.ts";

function start(options: { tty: boolean; json: boolean }) {
  const written: string[] = [];
  let time = 0;
  const stderr = { write: (text: string) => written.push(text), isTTY: options.tty, columns: 60 };
  const io: Io = {
    stdin: Readable.from([]),
    stdout: stderr,
    stderr,
    env: {},
    signal: new AbortController().signal,
  };
  const progress = createProgress(io, { json: options.json, now: () => time });
  return { written, progress, at: (ms: number) => (time = ms) };
}

test("a bar on a terminal, redrawn in place and removed at the end", () => {
  const { written, progress, at } = start({ tty: true, json: true });
  at(100);
  progress.update("reading", 1, 2);
  progress.update("reading", 2, 2);
  progress.clear();
  progress.clear();
  expect(written).toEqual([`\r\u001b[Kreading ${"█".repeat(12)}${"░".repeat(12)} 50 %`, "\r\u001b[K"]);
});

test("plain lines elsewhere, none for what is quick", () => {
  const { written, progress, at } = start({ tty: false, json: false });
  at(4_000);
  progress.update("reading", 1, 4);
  at(6_000);
  progress.update("reading", 3, 4);
  progress.clear();
  expect(written).toEqual(["reading 75 %\n"]);
});

test("nothing at all when a program reads the output", () => {
  const { written, progress, at } = start({ tty: false, json: true });
  at(60_000);
  progress.update("reading", 1, 2);
  expect(written).toEqual([]);
});
