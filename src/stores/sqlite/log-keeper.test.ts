import { expect, test } from "vitest";
import { createLogKeeper } from "./log-thread.ts";

const MB = 1_024 * 1_024;
const settled = () => new Promise((resolve) => setImmediate(resolve));

function keeper() {
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
        return true;
      },
    },
    direct: { run: () => [] },
    logBytes: () => bytes,
  });
  return {
    log,
    done,
    finish: (isDone: boolean) => finish(isDone),
    /** Some hundred writes, after which the log's file is this long. */
    write(megabytes: number) {
      bytes = megabytes * MB;
      for (let n = 0; n < 200; n++) log.wrote();
    },
  };
}

test("a log that is long is taken over beside the writers, again and again but once at a time, also if that fails", async () => {
  const { log, done, write, finish } = keeper();
  write(31);
  expect(done).toEqual([]);
  write(33);
  write(35);
  expect(done).toEqual(["take over"]);
  finish(true);
  await settled();
  write(35);
  expect(done).toEqual(["take over", "take over"]);
  finish(false);
  await settled();
  write(64);
  expect(done).toHaveLength(3);
  log.close();
});
