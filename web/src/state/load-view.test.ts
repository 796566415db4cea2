import { expect, it } from "vitest";
import { loadView, type Surroundings } from "./load-view.ts";

const NEVER = new AbortController().signal;

/** A server that is away for so many questions, and what is done meanwhile. */
function surroundings(away: number) {
  const done: string[] = [];
  const around: Surroundings = {
    isReachable: async () => away-- <= 0,
    isBack: async () => void done.push("waited"),
    onAway: () => void done.push("said"),
    reload: () => void done.push("reloaded"),
  };
  return { around, done };
}

/** A script that comes after so many tries. */
const after = (failures: number) => async () => {
  if (failures-- > 0) throw new Error("Failed to fetch dynamically imported module");
  return "view";
};

it("a view whose script can't be fetched waits for the server and then goes on by itself", async () => {
  const { around, done } = surroundings(2);
  expect(await loadView(after(2), around, NEVER)).toBe("view");
  expect(done).toEqual(["said", "waited", "said", "waited"]);
});

it("a browser that remembers the failure is made to forget it", async () => {
  const { around, done } = surroundings(1);
  expect(await loadView(after(Number.POSITIVE_INFINITY), around, NEVER)).toBeUndefined();
  expect(done).toEqual(["said", "waited", "reloaded"]);
});

it("a script that the server doesn't have is an error, and nothing is loaded again and again", async () => {
  const { around, done } = surroundings(0);
  await expect(loadView(after(1), around, NEVER)).rejects.toThrow("Failed to fetch");
  expect(done).toEqual([]);
});

it("nobody is waited for who has left, and no page that shows something else is reloaded", async () => {
  const { around, done } = surroundings(1);
  const left = new AbortController();
  const leaving = { ...around, isBack: async () => left.abort() };
  expect(await loadView(after(9), leaving, left.signal)).toBeUndefined();
  expect(done).toEqual(["said"]);
});
