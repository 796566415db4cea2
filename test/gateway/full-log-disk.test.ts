import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { expect, it } from "vitest";
import { startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { compileCache } from "../support/compile-cache.ts";
import { programFile } from "../support/programs.ts";

/** Every write to it fails as on a full disk. */
const FULL = "/dev/full";

it.skipIf(!existsSync(FULL))("a server whose log disk is full goes on, and says so", async () => {
  const provider = await startFakeProvider({ window: 8_000, reply: () => "Still here." });
  const flags = ["serve", "--json", "--port", "0", "--db", "memory", "--upstream", provider.url];
  const child = spawn(process.execPath, [programFile("precis"), ...flags], {
    env: { PATH: process.env["PATH"] ?? "", PRECIS_LOG: "info", ...compileCache },
    stdio: ["ignore", "pipe", openSync(FULL, "w")],
  });
  try {
    const [line] = (await once(child.stdout!, "data")) as [Buffer];
    const { address: url } = JSON.parse(line.toString().split("\n")[0]!) as { address: string };
    for (let n = 0; n < 5; n++) {
      const answer = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: `unknown-${n}`, messages: [{ role: "user", content: "Hello?" }] }),
      });
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain("Still here.");
    }
    const ready = await fetch(`${url}/readyz`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({ log: "can't be written: ENOSPC" });
  } finally {
    child.kill("SIGKILL");
    await provider.close();
  }
});
