/** What holds words of conversations can be read by its owner alone. */
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { writeOutput } from "../../src/cli/write-output.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";

let folder: string;
let umask: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "precis-private-"));
  umask = process.umask(0o022);
});
afterEach(() => {
  process.umask(umask);
  rmSync(folder, { recursive: true, force: true });
});

const modes = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true }).map((one) => {
      const path = join(one.parentPath, one.name);
      return [path.slice(folder.length + 1), (statSync(path).mode & 0o777).toString(8)];
    }),
  );

const append = (store: ReturnType<typeof sqliteStore>) =>
  store.conversations.append("t", {
    session: "s",
    messages: [
      { hash: "h", role: "user", wire: '{"role":"user","content":"secret words"}', tokens: 1, at: 1 },
    ],
    at: 1,
  });

it.skipIf(process.platform === "win32")("a database and all files beside it", async () => {
  const store = sqliteStore({ path: join(folder, "precis.db") });
  await store.ready();
  await append(store);
  const found = modes();
  expect(Object.keys(found).length).toBeGreaterThan(2);
  for (const [name, mode] of Object.entries(found)) expect([name, mode.slice(1)]).toEqual([name, "00"]);
  await store.close();
});

it.skipIf(process.platform === "win32")("a database that is there already keeps its mode", async () => {
  const path = join(folder, "precis.db");
  writeFileSync(path, "");
  chmodSync(path, 0o640);
  const store = sqliteStore({ path });
  await store.ready();
  await append(store);
  expect(modes()["precis.db"]).toBe("640");
  await store.close();
});

it.skipIf(process.platform === "win32")("a report that a command writes", async () => {
  await writeOutput("out", join(folder, "report.html"), [], "words");
  expect(modes()).toEqual({ "report.html": "600" });
});
