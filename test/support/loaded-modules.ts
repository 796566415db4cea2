import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileCache } from "./compile-cache.ts";

const COUNTER = fileURLToPath(new URL("./count-modules.mjs", import.meta.url));

/** Runs Node in a process of its own: what it printed, and the files that it loaded as modules. */
export function loadedModules(args: readonly string[]): {
  readonly stdout: string;
  readonly files: string[];
} {
  const folder = mkdtempSync(join(tmpdir(), "precis-modules-"));
  const list = join(folder, "modules.json");
  try {
    const { stdout } = spawnSync(process.execPath, [`--import=${COUNTER}`, ...args], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"] ?? "", NODE_NO_WARNINGS: "1", PRECIS_MODULES: list, ...compileCache },
      stdio: ["ignore", "pipe", "pipe"],
    });
    return { stdout, files: JSON.parse(readFileSync(list, "utf8")) as string[] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
