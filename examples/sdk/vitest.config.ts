import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { library, publicSources } from "../../scripts/lib/packages.ts";
import { root } from "../../scripts/lib/project.ts";
import { TIME_LIMITS } from "../../test/support/time-limits.ts";

/** The SDKs' own packages against the fake provider: `npm run test:sdk`. */
export default defineConfig({
  root,
  resolve: {
    // The sources, not what was built last.
    alias: publicSources(library).map(([find, source]) => ({
      find: new RegExp(`^${find}$`),
      replacement: join(root, source),
    })),
  },
  test: {
    include: ["examples/sdk/test/*.test.ts"],
    exclude: ["**/node_modules/**"],
    setupFiles: ["test/support/load-tokenizer.ts"],
    isolate: false,
    maxWorkers: 2,
    ...TIME_LIMITS,
  },
});
