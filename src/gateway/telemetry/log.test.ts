import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createLog } from "./log.ts";

/** Every write to it fails as on a full disk. */
const FULL = "/dev/full";

it.skipIf(!existsSync(FULL))(
  "a log that can't be written ends nothing, holds nobody up and is told",
  async () => {
    const descriptor = openSync(FULL, "w");
    try {
      const { log, health } = createLog("info", descriptor);
      for (let n = 0; n < 20; n++) log.info({ n }, "a line");
      await expect.poll(() => health.fault()).toBe("ENOSPC");
      // What waits is bounded.
      for (let n = 0; n < 2_000; n++) log.info({ n, text: "x".repeat(1_000) }, "a long line");
      expect(health.dropped()).toBeGreaterThan(0);
    } finally {
      closeSync(descriptor);
    }
  },
);

it("a log that can be written has no fault", async () => {
  const folder = mkdtempSync(join(tmpdir(), "precis-log-"));
  const file = join(folder, "log");
  const descriptor = openSync(file, "w");
  try {
    const { log, health } = createLog("info", descriptor);
    log.info("hello");
    await expect.poll(() => readFileSync(file, "utf8")).toContain('"msg":"hello"');
    expect(health.fault()).toBeUndefined();
  } finally {
    closeSync(descriptor);
    rmSync(folder, { recursive: true });
  }
});
