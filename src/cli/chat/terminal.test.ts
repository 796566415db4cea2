import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import type { Io } from "../io.ts";
import { createTerminal, type Terminal } from "./terminal.ts";

let terminal: Terminal | undefined;
afterEach(() => terminal?.close());

function open() {
  let shown = "";
  const heard: string[] = [];
  const stdin = new PassThrough();
  const stdout = Object.assign(new EventEmitter(), {
    isTTY: true,
    columns: 60,
    write(text: string) {
      shown += text;
    },
  });
  const io: Io = {
    stdin,
    stdout,
    stderr: stdout,
    env: { NO_COLOR: "1" },
    signal: new AbortController().signal,
  };
  const made = createTerminal(io, {
    interrupt: () => heard.push("interrupt"),
    quit: () => heard.push("quit"),
  });
  terminal = made;
  return {
    terminal: made,
    heard,
    shown: () => shown,
    async type(text: string) {
      stdin.write(text);
      await wait(20);
    },
  };
}

test("reads a line; one that ends in a backslash goes on", async () => {
  const { terminal, type } = open();
  const line = terminal.read();
  await type("first \\\r");
  await type("second\r");
  expect(await line).toBe("first \nsecond");
});

test("pasted lines are one message, sent by Enter", async () => {
  const { terminal, type } = open();
  const line = terminal.read();
  await type("\u001b[200~one\rtwo\rthree\u001b[201~");
  await type(" four\r");
  expect(await line).toBe("one\ntwo\nthree four");
});

test("what is typed during an answer isn't shown in it, and is the next line", async () => {
  const { terminal, type, shown } = open();
  terminal.text("The answer ");
  await type("next question\r");
  terminal.text("goes on.");
  terminal.endAnswer(false);
  expect(shown()).toContain("The answer goes on.");
  expect(await terminal.read()).toBe("next question");
  expect(shown()).toMatch(/› next question\n$/);
});

test("Ctrl-C during an answer stops it, twice quits", async () => {
  const { terminal, type, heard } = open();
  terminal.text("The answer ");
  await type("\u0003");
  expect(heard).toEqual(["interrupt"]);
  await type("\u0003");
  expect(heard).toEqual(["interrupt", "quit"]);
  expect(await terminal.read()).toBeUndefined();
});

test("Ctrl-C at the prompt clears the line, then asks, then quits", async () => {
  const { terminal, type, heard, shown } = open();
  const line = terminal.read();
  await type("half a thought");
  await type("\u0003");
  expect(heard).toEqual([]);
  // Long after the first one.
  const now = performance.now;
  performance.now = () => now.call(performance) + 60_000;
  try {
    await type("\u0003");
    expect(shown()).toContain("Ctrl-C again or Ctrl-D quits.");
    await type("\u0003");
    expect(await line).toBeUndefined();
  } finally {
    performance.now = now;
  }
});

test("Ctrl-D quits; a notice stands above the line that is being typed", async () => {
  const { terminal, type, shown } = open();
  const line = terminal.read();
  await type("half");
  terminal.notice("good", "Compacted.");
  expect(shown()).toMatch(/● Compacted\.\n.*› half/s);
  await type("\u0015\u0004");
  expect(await line).toBeUndefined();
});
