import { expect, test } from "vitest";
import { createLogKeeper } from "./log-thread.ts";

const MB = 1_024 * 1_024;
const settled = () => new Promise((resolve) => setImmediate(resolve));

function keeper(isEmptied = true) {
  const done: string[] = [];
  let finish = (_: boolean): void => {};
  let bytes = 0;
  const log = createLogKeeper({
    thread: {
      takeOver: () => {
        done.push("take over");
        return new Promise((resolve) => {
          finish = resolve;
        });
      },
      empty: async () => {
        done.push("empty");
        return isEmptied;
      },
    },
    direct: { run: () => [] },
    logBytes: () => bytes,
  });
  return {
    log,
    done,
    finish: (isDone: boolean) => finish(isDone),
    /** A hundred writes, after which the log's file is this long. */
    write(megabytes: number) {
      bytes = megabytes * MB;
      for (let n = 0; n < 100; n++) log.wrote();
    },
  };
}

test("a log that grows without a quiet moment is taken over beside the writers, once at a time, and its file is used again", async () => {
  const { log, done, write, finish } = keeper();
  write(31);
  expect(done).toEqual([]);
  write(33);
  write(35);
  expect(done).toEqual(["take over"]);
  finish(true);
  await settled();
  write(35);
  expect(done).toEqual(["take over"]);
  write(40);
  expect(done).toEqual(["take over", "take over"]);
  log.close();
});

test("a log's file that grows and grows is cut, and one that can't be taken over is left to SQLite", async () => {
  const { log, done, write, finish } = keeper();
  write(70);
  finish(true);
  await settled();
  expect(done).toEqual(["take over", "empty"]);
  write(31);
  expect(done).toHaveLength(2);
  write(33);
  finish(false);
  await settled();
  write(33);
  expect(done).toEqual(["take over", "empty", "take over", "take over"]);
  log.close();
});

test("while somebody reads for long, a log that grows isn't cut again and again, but is when that may have ended", async () => {
  const { log, done, write, finish } = keeper(false);
  const taken = async (megabytes: number) => {
    write(megabytes);
    finish(true);
    await settled();
  };
  await taken(70);
  expect(done).toEqual(["take over", "empty"]);
  await taken(80);
  await taken(100);
  expect(done).toHaveLength(2);
  await taken(103);
  expect(done).toHaveLength(4);
  for (let hundreds = 0; hundreds < 21; hundreds++) await taken(103);
  expect(done).toHaveLength(6);
  log.close();
});
