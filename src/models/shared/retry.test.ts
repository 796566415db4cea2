import { expect, test } from "vitest";
import { ConfigError, ModelError, type ModelFailure } from "../../core/errors.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { createRetry, type RetryOptions } from "./retry.ts";

const failure = (fields: { retryable?: boolean; retryAfterMs?: number; failure?: ModelFailure } = {}) =>
  new ModelError({
    model: "m",
    failure: "overloaded",
    message: "no.",
    fix: "Wait.",
    retryable: true,
    ...fields,
  });

/** Runs with a clock that moves only by sleeping, and tells how long each sleep was. */
function setUp(options: RetryOptions = {}) {
  const clock = createFakeClock();
  const waits: number[] = [];
  const retry = createRetry({
    random: () => 0.5,
    now: clock.now,
    sleep: async (ms) => {
      waits.push(ms);
      clock.advance(ms);
    },
    ...options,
  });
  return { retry, waits, clock };
}

/** Fails with each error in turn, then answers. */
function script(...errors: unknown[]) {
  let calls = 0;
  return {
    calls: () => calls,
    attempt: async () => {
      const error = errors[calls++];
      if (error !== undefined) throw error;
      return "done";
    },
  };
}

test("waits longer each time, by the jitter that it is given", async () => {
  const { retry, waits } = setUp({ attempts: 4 });
  const { attempt } = script(failure(), failure(), failure());
  expect(await retry("m", undefined, attempt)).toBe("done");
  expect(waits).toEqual([375, 750, 1_500]);
});

test("the jitter stays between half of the wait and all of it", async () => {
  for (const [random, wait] of [
    [0, 250],
    [0.999_999, 500],
  ] as const) {
    const { retry, waits } = setUp({ random: () => random });
    await retry("m", undefined, script(failure()).attempt);
    expect(waits[0]).toBeCloseTo(wait, 2);
  }
});

test("waits as long as the provider asks, no more and no less", async () => {
  const { retry, waits } = setUp();
  await retry("m", undefined, script(failure({ retryAfterMs: 7_000 }), failure({ retryAfterMs: 0 })).attempt);
  expect(waits).toEqual([7_000, 0]);
});

test("gives up at once when the wait would pass the deadline", async () => {
  const { retry, waits } = setUp({ deadlineMs: 5_000 });
  const error = failure({ retryAfterMs: 60_000 });
  await expect(retry("m", undefined, script(error).attempt)).rejects.toBe(error);
  expect(waits).toEqual([]);
});

test("gives up after its attempts, with the last error", async () => {
  const { retry } = setUp({ attempts: 2 });
  const last = failure();
  const { attempt, calls } = script(failure(), last, failure());
  await expect(retry("m", undefined, attempt)).rejects.toBe(last);
  expect(calls()).toBe(2);
});

test("tries a final failure and a defect only once", async () => {
  for (const error of [failure({ retryable: false }), new TypeError("defect")]) {
    const { retry } = setUp();
    const { attempt, calls } = script(error);
    await expect(retry("m", undefined, attempt)).rejects.toBe(error);
    expect(calls()).toBe(1);
  }
});

test("the deadline ends an attempt that never answers", async () => {
  const retry = createRetry({ deadlineMs: 30 });
  const seen: AbortSignal[] = [];
  const hung = retry("m", undefined, ({ signal }) => {
    seen.push(signal);
    return new Promise(() => {});
  });
  await expect(hung).rejects.toMatchObject({ failure: "timeout", retryable: true });
  expect(seen[0]?.aborted).toBe(true);
});

test("the caller's signal ends an attempt and a wait", async () => {
  const controller = new AbortController();
  const hung = createRetry()("m", controller.signal, () => new Promise(() => {}));
  controller.abort();
  await expect(hung).rejects.toMatchObject({ failure: "cancelled", retryable: false });

  const second = new AbortController();
  const waiting = createRetry({ baseMs: 60_000, maxMs: 60_000 })(
    "m",
    second.signal,
    script(failure()).attempt,
  );
  setTimeout(() => second.abort(), 10);
  await expect(waiting).rejects.toMatchObject({ failure: "cancelled" });

  const { attempt, calls } = script();
  await expect(createRetry()("m", AbortSignal.abort(), attempt)).rejects.toMatchObject({
    failure: "cancelled",
  });
  expect(calls()).toBe(0);
});

test("a caller's time limit is a timeout, not a cancellation", async () => {
  const hung = createRetry()("m", AbortSignal.timeout(10), () => new Promise(() => {}));
  await expect(hung).rejects.toMatchObject({ failure: "timeout", retryable: true });
});

test("refuses settings that can't work", () => {
  for (const options of [{ attempts: 0 }, { deadlineMs: 0 }, { baseMs: -1 }, { maxMs: Number.NaN }])
    expect(() => createRetry(options)).toThrow(ConfigError);
});
