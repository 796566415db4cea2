import { byProof } from "./proof.ts";

/**
 * When a test counts as one that hangs (milliseconds). A busy machine can be ten times slower than a quiet one, and that
 * is no failure. The largest samples take minutes on a quiet one.
 */
export const HANGS_AFTER_MS = byProof({ sample: 600_000, more: 600_000, all: 7_200_000 });
/** How long `expect.poll` waits between two looks. */
const POLL_MS = 20;

/** The time limits of every run of vitest. */
export const TIME_LIMITS = {
  testTimeout: HANGS_AFTER_MS,
  hookTimeout: HANGS_AFTER_MS,
  expect: { poll: { timeout: HANGS_AFTER_MS, interval: POLL_MS } },
};
