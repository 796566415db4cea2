// @ts-check
/**
 * `npm run test:clients`, and a step of CI: real client programs through the gateway, installed here without their install
 * scripts. PRECIS_PROOF=sample runs fewer rounds.
 */
import { runWithOwnPackages } from "../../scripts/lib/own-packages.ts";

process.exitCode = runWithOwnPackages({
  folder: "test/clients",
  what: "the client programs",
  size: "1.9 GB",
  installMs: 480_000,
  env: { PRECIS_PROOF: "all", ...process.env },
});
