/** Runs `side-by-side/run.mjs`, whose other libraries are installed apart: `npm ci` in `bench/side-by-side`. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { writeResult } from "./support/write-result.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

if (existsSync(here("side-by-side/node_modules"))) {
  const { status } = spawnSync(process.execPath, [here("side-by-side/run.mjs")], { stdio: "inherit" });
  process.exitCode = status ?? 1;
} else writeResult({ skipped: "Run `npm ci` in bench/side-by-side first." });
