import { defineConfig } from "vitest/config";
import { TIME_LIMITS } from "../support/time-limits.ts";

/** Only what needs the real llama.cpp. One file at a time: each has the model's threads to itself. */
export default defineConfig({
  test: {
    include: ["test/stream/**/*.llama.test.ts"],
    fileParallelism: false,
    // They also share one llama.cpp.
    isolate: false,
    ...TIME_LIMITS,
    // An hour of stream under each strategy takes minutes; on a busy machine, many.
    testTimeout: 1_800_000,
  },
});
