import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SettingError } from "./given-settings.ts";
import { loadConfig } from "./load-config.ts";
import { isLoopback } from "./loopback.ts";
import { parseConfig } from "./parse-config.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "precis-config-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function file(config: unknown): Promise<string> {
  const path = join(folder, "precis.config.json");
  await writeFile(path, typeof config === "string" ? config : JSON.stringify(config));
  return path;
}

it("lets flags win over variables, and variables over the file", async () => {
  const path = await file({ port: 1_111, profile: "rag", window: 9_000, log: "warn" });
  const config = await loadConfig({
    file: path,
    env: { PRECIS_PORT: "2222", PRECIS_WINDOW: "8000" },
    flags: { port: 3_333 },
  });
  expect(config).toMatchObject({ port: 3_333, window: 8_000, profile: "rag", log: "warn" });
  expect(Object.isFrozen(config.limits)).toBe(true);
});

it("takes one upstream for everything, or the well-known ones by their keys", async () => {
  const one = await loadConfig({
    env: { OPENAI_API_KEY: "k" },
    flags: { upstream: "http://localhost:1/v1" },
  });
  expect(one.upstreams).toMatchObject([{ name: "upstream", baseURL: "http://localhost:1/v1" }]);
  expect(one.upstreams[0]).not.toHaveProperty("apiKey");
  // A provider's key goes to that provider only, and whoever expects otherwise is told.
  const warnings: string[] = [];
  await loadConfig({
    env: { OPENAI_API_KEY: "a" },
    flags: { upstream: "http://localhost:1/v1" },
    warn: (text) => warnings.push(text),
  });
  expect(warnings).toEqual([
    expect.stringMatching(/^OPENAI_API_KEY isn't sent to localhost:1.*PRECIS_UPSTREAM_KEY/),
  ]);
  const openai = { env: { OPENAI_API_KEY: "a" }, flags: { upstream: "https://api.openai.com/v1" } };
  expect((await loadConfig(openai)).upstreams).toMatchObject([{ apiKey: "a" }]);
  const two = await loadConfig({ env: { OPENAI_API_KEY: "a", ANTHROPIC_API_KEY: "b" } });
  expect(two.upstreams.map(({ name }) => name)).toEqual(["openai", "anthropic"]);
  expect((await loadConfig({ env: { PRECIS_UPSTREAM: "" } })).upstreams).toEqual([]);
});

it("reads secrets from variables, and says which one is missing", async () => {
  const path = await file({
    upstreams: [{ name: "a", baseURL: "https://a.example/v1", apiKey: "env:A_KEY" }],
  });
  const config = await loadConfig({ file: path, env: { A_KEY: "secret" } });
  expect(config.upstreams[0]?.apiKey).toBe("secret");
  await expect(loadConfig({ file: path, env: {} })).rejects.toThrow("A_KEY");
});

it.each([
  [{ prot: 1 }, "prot"],
  [{ port: "x" }, "port"],
  [{ upstreams: [{ name: "a", baseURL: "ftp://x" }] }, "upstreams.0.baseURL"],
  [{ upstreams: [{ name: "a", baseURL: "https://user:pass@x" }] }, "upstreams.0.baseURL"],
  [{ upstreams: [{ name: "a", baseURL: "https://x", windwos: {} }] }, "windwos"],
  [
    {
      upstreams: [
        { name: "a", baseURL: "https://x" },
        { name: "a", baseURL: "https://y" },
      ],
    },
    "two upstreams",
  ],
  [{ summarizer: { model: "m", upstream: "nowhere" } }, "summarizer.upstream"],
  [{ host: "0.0.0.0", auth: { mode: "open" } }, "auth.mode"],
  [{ window: 5 }, "window"],
])("names the key at fault: %j", (config, name) => {
  expect(() => parseConfig(config)).toThrow(name);
});

it.each([
  [
    { env: { PRECIS_PORT: "abc" } },
    "precis: PRECIS_PORT=abc: this isn't a port. Give a whole number from 0 to 65535.",
  ],
  [{ env: { PRECIS_PORT: "70000" } }, "PRECIS_PORT=70000"],
  [{ env: { PRECIS_WINDOW: "zz" } }, "PRECIS_WINDOW=zz: this isn't a number of tokens."],
  [{ env: { PRECIS_PROFILE: "zz" } }, "PRECIS_PROFILE=zz: this isn't a valid profile. It is one of agent, "],
  [{ env: { PRECIS_UPSTREAM: "foo" } }, "PRECIS_UPSTREAM=foo: this isn't a URL."],
  [{ env: { PRECIS_LOG: "loud" } }, "PRECIS_LOG=loud: this isn't a valid level. It is one of silent, "],
  [
    { env: { PRECIS_WINDOW: "32kb" } },
    "PRECIS_WINDOW=32kb: this isn't a number of tokens. Give a whole number",
  ],
  [{ env: { PRECIS_PORT: "tcp://10.0.0.1:8787" } }, "Kubernetes sets for a service named precis."],
  [{ env: { PRECIS_CONFIG: "/none.json" } }, "PRECIS_CONFIG=/none.json: the file doesn't exist."],
  [{ env: {}, file: "/" }, "--config /: this is a folder."],
  [{ env: { PRECIS_CLIENT_KEYS: "abc" } }, "PRECIS_CLIENT_KEYS: entry 1 has a key of fewer than 16"],
  [{ env: { PRECIS_CLIENT_KEYS: `a:${"k".repeat(16)},b:c` } }, "entry 2"],
  [{ env: {}, flags: { upstream: "foo" } }, "--upstream foo: this isn't a URL."],
  [{ env: {}, flags: { profile: "zz" as "agent" } }, "--profile zz: this isn't a valid profile."],
  [
    { env: {}, flags: { db: "mysql://x" } },
    "--db mysql://x: this isn't a database that precis knows. Give a file, ",
  ],
  [{ env: {}, flags: { workers: 300 } }, "--workers 300: "],
  [{ env: {}, flags: { graceMs: "5" } }, "--grace 5: this has no unit. Give a time such as"],
  [{ env: { PRECIS_GRACE: "soon" } }, "PRECIS_GRACE=soon: this isn't a valid duration."],
])("names the flag or the variable at fault: %j", async (options, message) => {
  await expect(loadConfig(options)).rejects.toThrow(message);
});

it("never repeats a secret", async () => {
  for (const options of [
    { env: { PRECIS_CLIENT_KEYS: "me:hunter2" } },
    { env: {}, flags: { upstream: "https://me:hunter2@host/v1" } },
    { env: { PRECIS_DB: "mysql://me:hunter2@host/db" } },
  ]) {
    const error: unknown = await loadConfig(options).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(SettingError);
    expect(String(error)).not.toContain("hunter2");
  }
});

it("takes a time with its unit for the grace", async () => {
  expect(await loadConfig({ env: {} })).toMatchObject({ graceMs: 0 });
  expect(await loadConfig({ env: { PRECIS_GRACE: "5s" } })).toMatchObject({ graceMs: 5_000 });
  expect(await loadConfig({ env: { PRECIS_GRACE: "0" } })).toMatchObject({ graceMs: 0 });
  const flags = { graceMs: "1m" };
  expect(await loadConfig({ env: { PRECIS_GRACE: "5s" }, flags })).toMatchObject({ graceMs: 60_000 });
});

it("takes databases of every kind, and a flag in place of a wrong variable", async () => {
  const dbs = ["precis.db", "memory", "C:\\precis.db", "/a/b.db", "postgres://me@db/x", "postgresql://db/x"];
  for (const db of dbs) expect(await loadConfig({ env: {}, flags: { db } })).toMatchObject({ db });
  expect(await loadConfig({ env: { PRECIS_PORT: "abc" }, flags: { port: 1 } })).toMatchObject({ port: 1 });
  const keys = `a:${"k".repeat(16)},${"l".repeat(16)}`;
  const { auth } = await loadConfig({ env: { PRECIS_CLIENT_KEYS: keys } });
  expect(auth.keys.map(({ name, key }) => [name, key[0]])).toEqual([
    ["a", "k"],
    ["client-2", "l"],
  ]);
});

it("says what is wrong with the file", async () => {
  await expect(loadConfig({ file: join(folder, "none.json"), env: {} })).rejects.toThrow("none.json");
  await expect(loadConfig({ file: await file("{"), env: {} })).rejects.toThrow("JSON");
  await expect(loadConfig({ file: await file("[]"), env: {} })).rejects.toThrow("isn't a JSON object");
  await expect(loadConfig({ file: await file({ upstreams: {} }), env: {} })).rejects.toThrow("`upstreams`");
  await expect(loadConfig({ file: await file({ auth: { keys: {} } }), env: {} })).rejects.toThrow(
    "`auth.keys`",
  );
  const keys = { upstreams: [{ name: "a", baseURL: "https://a.example", apiKey: "env:NONE" }] };
  await expect(loadConfig({ file: await file(keys), env: {} })).rejects.toThrow("`upstreams.0.apiKey`");
});

it("reads a file with a byte order mark", async () => {
  expect(await loadConfig({ file: await file('\uFEFF{ "port": 1 }'), env: {} })).toMatchObject({ port: 1 });
});

it("knows this machine's own addresses", () => {
  for (const host of ["127.0.0.1", "localhost", "::1", "[::1]", "127.8.9.1", "a.localhost"])
    expect(isLoopback(host)).toBe(true);
  for (const host of ["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.evil.example", "localhost.evil"])
    expect(isLoopback(host)).toBe(false);
});
