import { defineConfig } from "vitest/config";
import { TIME_LIMITS } from "../support/time-limits.ts";

/** The page in a real browser, against the real server. Part of `npm test`; alone: `npm run test:page`. */
export default defineConfig({
  test: {
    include: ["test/page/**/*.test.ts"],
    globalSetup: ["test/page/support/browser-server.ts"],
    // The other tests run beside it. A second worker would load the server and compile it once more.
    maxWorkers: 1,
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    ...TIME_LIMITS,
  },
});
