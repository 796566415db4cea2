import type { FaultName } from "../../src/testing/index.ts";

/** Every way in which a provider fails. `slow` is no failure, but must hold up nobody either. */
export const FAULTS: readonly FaultName[] = [
  "slow",
  "never",
  "rate-limited",
  "server-error",
  "overloaded",
  "reset",
  "empty",
  "garbage",
  "refusal",
  "cut-off",
  "too-long",
  "wrong-json",
  "unauthorized",
];

/** One of each kind: no answer, a refused request, a lost connection, a text that is no summary, half of one. */
export const FAULT_KINDS: readonly FaultName[] = ["never", "server-error", "reset", "refusal", "cut-off"];
