import { expect, it } from "vitest";
import { type Busy, type BusyWord, createBusy } from "./busy.ts";

/** Processes of one server, numbered from 1; the first process passes their words on. */
function processes(count: number) {
  const all: Busy[] = [];
  for (let worker = 1; worker <= count; worker++)
    all.push(
      createBusy((word) => {
        const told: BusyWord = word.type === "busy" ? { ...word, worker } : word;
        for (const [index, other] of all.entries()) if (index !== worker - 1) other.receive(told);
      }),
    );
  return all as [Busy, Busy, ...Busy[]];
}

/** Work that goes on until it is stopped. */
const untilStopped = (signal: AbortSignal) =>
  new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("stopped")));

it("all processes know what one has under way, and nothing else may run beside it", async () => {
  const [here, there] = processes(2);
  const answer = here.run("c", "answering", untilStopped);
  expect([here.of("c"), there.of("c"), there.of("d")]).toEqual(["answering", "answering", undefined]);
  await expect(there.run("c", "compacting", async () => {})).rejects.toThrow("busy");
  expect(there.stop("c")).toBe(true);
  expect(await answer).toBe("stopped");
  expect([here.of("c"), there.of("c")]).toEqual([undefined, undefined]);
  expect(there.stop("c")).toBe(false);
  expect(await there.run("c", "compacting", async () => "done")).toBe("done");
});

it("a summary in the background is seen and stopped from everywhere, and holds nothing up", async () => {
  const [here, there] = processes(3);
  const controller = new AbortController();
  const written = here.background("c", controller, untilStopped(controller.signal), true);
  expect(there.of("c")).toBe("compacting");
  const answer = there.run("c", "answering", untilStopped);
  expect(here.of("c")).toBe("answering");
  // First the answer, then the summary.
  expect(here.stop("c")).toBe(true);
  expect(await answer).toBe("stopped");
  expect([here.of("c"), controller.signal.aborted]).toEqual(["compacting", false]);
  expect(there.stop("c")).toBe(true);
  await written;
  expect([here.of("c"), there.of("c")]).toEqual([undefined, undefined]);
});

it("what a process had under way that has ended is over", async () => {
  const [here, there] = processes(2);
  const answer = here.run("c", "answering", untilStopped);
  there.receive({ type: "gone", worker: 1 });
  expect(there.of("c")).toBeUndefined();
  here.stopAll();
  await answer;
});
