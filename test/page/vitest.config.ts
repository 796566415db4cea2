import { defineConfig } from "vitest/config";

/** The page in a real browser, against the real server: `npm run test:page`. */
export default defineConfig({
  test: {
    include: ["test/page/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
