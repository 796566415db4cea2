import { defineConfig } from "vitest/config";
import { TIME_LIMITS } from "../support/time-limits.ts";

/** The page in a real browser, against the real server. Part of `npm test`; alone: `npm run test:page`. */
export default defineConfig({
  test: {
    include: ["test/page/**/*.test.ts"],
    globalSetup: ["test/page/support/browser-server.ts"],
    maxWorkers: 2,
    isolate: false,
    ...TIME_LIMITS,
  },
});
