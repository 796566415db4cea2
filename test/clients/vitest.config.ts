import { defineConfig } from "vitest/config";
import { TIME_LIMITS } from "../support/time-limits.ts";

/** Real client programs: `npm run test:clients`. One at a time: each wants the machine for itself. */
export default defineConfig({
  test: {
    include: ["test/clients/*.test.ts"],
    fileParallelism: false,
    ...TIME_LIMITS,
  },
});
