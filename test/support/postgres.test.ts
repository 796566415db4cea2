import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { installedPrograms, makeServerHome } from "./postgres/programs.ts";
import { runServer } from "./postgres/run-server.ts";

/** How long the test waits between two looks. */
const LOOK_AGAIN_MS = 20;
const MODULE = fileURLToPath(new URL("postgres.ts", import.meta.url));

it("a server that can't start says why, in its own words, instead of letting the tests wait", async () => {
  const home = makeServerHome();
  onTestFinished(() => rmSync(home.folder, { recursive: true, force: true }));
  await expect(runServer(home, join(home.folder, "nothing"), {})).rejects.toThrow(
    /ended before it was ready.*nothing/s,
  );
  const noProgram = { ...home, postgres: join(home.folder, "no-such-program") };
  await expect(runServer(noProgram, home.folder, {})).rejects.toThrow(/no-such-program.*not found/s);
});

it("starts from a folder that only its owner may enter, and is gone when the process that started it is killed", async () => {
  const closed = mkdtempSync(join(tmpdir(), "precis closed "));
  onTestFinished(() => rmSync(closed, { recursive: true, force: true }));
  cpSync(installedPrograms(), closed, { recursive: true, verbatimSymlinks: true });
  const script = `
    const { startPostgres } = await import(${JSON.stringify(MODULE)});
    console.log(await (await startPostgres(${JSON.stringify(closed)})).database());
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [url] = await once(child.stdout.setEncoding("utf8"), "data");
  const client = new pg.Client({ connectionString: String(url).trim() });
  const lost = new Promise((resolve) => client.on("error", resolve));
  await client.connect();
  const { rows } = await client.query("show data_directory");
  const folder = dirname(rows[0].data_directory);
  expect(existsSync(folder)).toBe(true);

  child.kill("SIGKILL");
  await lost;
  while (existsSync(folder)) await setTimeout(LOOK_AGAIN_MS);
});
