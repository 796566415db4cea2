// @ts-check
/** `npm run test:sdk`, and a step of `.ci/run`: the integrations with the SDKs' own packages, which are installed here. */
import { runWithOwnPackages } from "../../scripts/lib/own-packages.ts";

process.exitCode = runWithOwnPackages({
  folder: "examples/sdk",
  what: "the SDKs",
  size: "210 MB",
  installMs: 600_000,
  env: { ...process.env, npm_config_fetch_retries: "1" },
});
