// @ts-check
/** `npm run test:stream`, and a step of `npm test`: the stream tests on a real llama.cpp, which is installed here. */
import { runWithOwnPackages } from "../../scripts/lib/own-packages.ts";

process.exitCode = runWithOwnPackages({
  folder: "test/stream",
  what: "llama.cpp",
  size: "100 MB",
  // Without a network it fails long before.
  installMs: 600_000,
  env: { ...process.env, NODE_LLAMA_CPP_SKIP_DOWNLOAD: "true", npm_config_fetch_retries: "1" },
});
