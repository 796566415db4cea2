// @ts-check
import { packages, publicSources } from "./scripts/lib/packages.ts";

/** Dead files, exports and exported types. What packages depend on is checked when they are built (`scripts/make-packages.mjs`). */
export default {
  include: ["files", "exports", "types"],
  workspaces: {
    ".": {
      entry: [
        ...packages.flatMap(publicSources).map(([, source]) => source),
        "src/cli/main.ts",
        "bench/**/*.{ts,mjs}",
        "examples/*.ts",
        "examples/{sdk,mastra}/**/*.{ts,mjs}",
        "scripts/*.{mjs,ts}",
        // Started as a process of its own.
        "scripts/lib/run-modules.mjs",
        "test/**/*.{ts,mjs}",
        "src/**/*.{test,test-d}.ts",
      ],
      project: ["{src,test,bench,examples,scripts}/**/*.{ts,mjs}"],
    },
    web: { entry: ["src/**/*.test.{ts,tsx}"], project: ["src/**/*.{ts,tsx}"] },
  },
};
