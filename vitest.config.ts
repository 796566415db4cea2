import "./scripts/make-vocabularies.ts";
import { defineConfig } from "vitest/config";
import { compileCache } from "./test/support/compile-cache.ts";
import { TIME_LIMITS } from "./test/support/time-limits.ts";

// Test processes inherit it. Threads of stores start in a third less work with it.
Object.assign(process.env, compileCache);

export default defineConfig({
  test: {
    include: [
      "src/**/*.test.ts",
      "test/**/*.test.ts",
      "scripts/**/*.test.ts",
      "bench/**/*.test.ts",
      "examples/**/*.test.ts",
      "web/src/**/*.test.ts",
    ],
    // The first need node-llama-cpp, which test/stream installs beside them; page, clients and SDKs have runs of their own.
    exclude: [
      "**/node_modules/**",
      "**/*.llama.test.ts",
      "test/page/**",
      "test/clients/**",
      "examples/sdk/**",
      "examples/mastra/**",
    ],
    // Short requests would be counted by bounds until some other test has loaded it.
    setupFiles: ["test/support/load-tokenizer.ts"],
    // Modules hold no state that a test could leave behind, and loading the tokenizer anew for each file takes longer
    // than most tests.
    isolate: false,
    // For two cores, and one more because tests often wait for what they started. Each further worker would load and compile
    // everything once more.
    maxWorkers: 3,
    // Node loads the sources as they are. Vite would transform each, and its modules run slower.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    ...TIME_LIMITS,
  },
});
