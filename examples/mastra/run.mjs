// @ts-check
/** `npm run test:mastra`, and a step of `npm test -- --samples all`: Mastra, which is installed here. */
import { runWithOwnPackages } from "../../scripts/lib/own-packages.ts";

process.exitCode = runWithOwnPackages({
  folder: "examples/mastra",
  what: "Mastra",
  size: "140 MB",
  installMs: 600_000,
  env: { ...process.env, npm_config_fetch_retries: "1" },
});
