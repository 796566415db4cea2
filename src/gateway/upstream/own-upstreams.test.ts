import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { ConfigError } from "../../core/errors.ts";
import { openOwnUpstreams } from "./own-upstreams.ts";
import type { Upstream } from "./upstream.ts";

const dir = mkdtempSync(join(tmpdir(), "precis-own-upstreams-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

let files = 0;
function fileOf(text: string, mode = 0o600): string {
  const file = join(dir, `${++files}.models.json`);
  writeFileSync(file, text, { mode });
  return file;
}
const KEY = "sk-0123456789abcdef";
const ONE = { name: "own", baseURL: "http://127.0.0.1:9/v1", apiKey: KEY };

it.each([
  ["half written", JSON.stringify([ONE]).slice(0, -20), "it isn't valid JSON"],
  ["empty", "", "it isn't valid JSON"],
  ["no list", JSON.stringify(ONE), "it isn't a list"],
  ["null", "null", "it isn't a list"],
  ["with an entry that is nothing", JSON.stringify([ONE, null]), "entry 2 isn't an upstream"],
  ["with a name that is a number", JSON.stringify([{ ...ONE, name: 5 }]), "entry 1 isn't an upstream"],
  ["with a key that is a list", JSON.stringify([{ ...ONE, apiKey: [KEY] }]), "entry 1 isn't an upstream"],
  [
    "with an address that is none",
    JSON.stringify([{ ...ONE, baseURL: "nowhere" }]),
    "entry 1 isn't an upstream",
  ],
])("a file of models that is %s is named with what to do, and without its keys", async (_, text, problem) => {
  const file = fileOf(text);
  const upstreams: Upstream[] = [];
  const error: unknown = await openOwnUpstreams(file, upstreams).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ConfigError);
  const { message, fix, stack } = error as ConfigError;
  expect(message).toContain(file);
  expect(message).toContain(problem);
  expect(fix).toContain("move it away");
  expect(`${message} ${fix} ${stack}`).not.toContain("sk-0");
  expect((error as ConfigError).cause).toBeUndefined();
  expect(upstreams).toEqual([]);
});

it.skipIf(process.platform === "win32")(
  "a file of models that others can read is closed to them",
  async () => {
    const file = fileOf(JSON.stringify([ONE]), 0o644);
    const upstreams: Upstream[] = [];
    await openOwnUpstreams(file, upstreams);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(upstreams.map(({ name }) => name)).toEqual(["own"]);
    await Promise.all(upstreams.map(({ pool }) => pool.close()));
  },
);

it("models that are added at once are all in the file", async () => {
  const file = fileOf("[]");
  const upstreams: Upstream[] = [];
  const own = await openOwnUpstreams(file, upstreams);
  const names = Array.from({ length: 8 }, (_, n) => `own-${n}`);
  await Promise.all(names.map((name) => own.add({ ...ONE, name })));
  const written = JSON.parse(readFileSync(file, "utf8")) as { name: string }[];
  expect(written.map(({ name }) => name)).toEqual(names);
  await Promise.all(upstreams.map(({ pool }) => pool.close()));
});
