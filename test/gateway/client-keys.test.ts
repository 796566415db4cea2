import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { runCli, scratchFolder } from "../cli/run-cli.ts";
import { post } from "./own-upstream.ts";
import { type ServeHere, serveHere } from "./serve-here.ts";

const folder = scratchFolder();
const db = folder.path("keys.db");
const config = folder.path("keys.json");
let provider: FakeProvider;
let serve: ServeHere | undefined;

beforeAll(async () => {
  provider = await startFakeProvider();
});
afterAll(async () => {
  await serve?.stop();
  await provider.close();
  folder.remove();
});

const keys = (...args: string[]) => runCli(["serve", "--db", db, ...args]);
const ask = (key: string) =>
  post(
    `${serve!.url}/v1/chat/completions`,
    { model: "gpt-4o", messages: [{ role: "user", content: "hi" }] },
    { authorization: `Bearer ${key}` },
  );

it("makes, limits, lists and revokes client keys", async () => {
  const kept = (await keys("--new-key", "kept")).stdout.trim();
  const limited = (await keys("--new-key", "limited", "--limit", "2")).stdout.trim();
  const lost = (await keys("--new-key", "lost", "--tenant", "team-a")).stdout.trim();

  const listed = await keys("--keys");
  expect(listed.stdout).toMatch(
    /kept {2}made .* {2}never used {2}no limit\n.*limited .*2 requests per minute\n$/,
  );
  expect(listed.stdout).not.toContain(kept);
  expect(listed.stdout).not.toContain("lost");

  const nobody = await keys("--revoke-key", "lost");
  expect(nobody).toMatchObject({ code: 2, stderr: expect.stringContaining("no client key lost") });
  const revoked = await keys("--revoke-key", "lost", "--tenant", "team-a");
  expect(revoked).toMatchObject({ code: 0, stdout: expect.stringContaining("Revoked lost") });
  expect((await keys("--keys", "--tenant", "team-a")).stdout).toContain("revoked");

  await writeFile(config, JSON.stringify({ auth: { mode: "keys" } }));
  serve = await serveHere(["--upstream", provider.url, "--config", config], { db });
  expect((await ask(kept)).status).toBe(200);
  expect((await ask(lost)).status).toBe(401);
  const statuses = [(await ask(limited)).status, (await ask(limited)).status];
  const refused = await ask(limited);
  // A minute may have begun in between.
  if (refused.status === 429) {
    expect(statuses).toEqual([200, 200]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(60);
  } else expect((await ask(limited)).status).toBe(200);
});

it.each([
  [["--limit", "5"], "--limit needs --new-key"],
  [["--tenant", "a"], "--tenant needs"],
  [["--keys", "--new-key", "a"], "can't be combined"],
  [["--new-key", "a", "--no-store"], "needs a database"],
])("says what doesn't go together: %j", async (args, words) => {
  const result = await keys(...args);
  expect(result.code).toBe(2);
  expect(result.stderr).toContain(words);
});

it("makes no database where there are no keys to list", async () => {
  const none = folder.path("none.db");
  const result = await runCli(["serve", "--db", none, "--keys"]);
  expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining("there is no database") });
  expect(existsSync(none)).toBe(false);
});
