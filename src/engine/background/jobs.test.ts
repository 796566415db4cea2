import { expect, test } from "vitest";
import { createJobs } from "./jobs.ts";

test("one job per conversation at a time; every waiter gets its result", async () => {
  const jobs = createJobs<string>();
  let started = 0;
  const work = async () => {
    started++;
    return "done";
  };
  const waiters = [jobs.start("a", work), jobs.start("a", work), jobs.running("a")!, jobs.start("b", work)];
  expect(await Promise.all(waiters)).toEqual(["done", "done", "done", "done"]);
  expect(started).toBe(2);
  expect(jobs.running("a")).toBeUndefined();
});

test("a failed job resumes its waiters and can be started again", async () => {
  const jobs = createJobs<string>();
  expect(await jobs.start("a", () => Promise.reject(new Error("no")))).toBeUndefined();
  expect(await jobs.start("a", async () => "yes")).toBe("yes");
});

test("cancel resumes waiters at once, even if the work never ends", async () => {
  const jobs = createJobs<string>();
  let aborted = false;
  const waiting = jobs.start("a", (signal) => {
    signal.addEventListener("abort", () => {
      aborted = true;
    });
    return new Promise(() => {});
  });
  jobs.close();
  expect(await waiting).toBeUndefined();
  expect(aborted).toBe(true);
  await jobs.settled();
});
