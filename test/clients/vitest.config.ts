import { defineConfig } from "vitest/config";

/** Real client programs: `npm run test:clients`. One at a time: each wants the machine for itself. */
export default defineConfig({
  test: {
    include: ["test/clients/*.test.ts"],
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 60_000,
  },
});
