import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { HANGS_AFTER_MS } from "../support/time-limits.ts";
import { finished, runCli, startCli } from "./run-cli.ts";

const LOCAL = ["--upstream", "http://127.0.0.1:9/v1", "--model", "m"];

/** A program that writes down how it was started, asks the gateway whether it is there, and ends with 7. */
const PROGRAM = `#!${process.execPath}
const { readFileSync, writeFileSync } = require("node:fs");
const { env } = process;
const base = env.ANTHROPIC_BASE_URL ?? env.OPENAI_BASE_URL ?? env.GOOGLE_GEMINI_BASE_URL ?? env.FALLBACK_URL;
fetch(new URL("/healthz", base)).then((answer) => {
  const config = process.argv.indexOf("--config");
  const file = env.GEMINI_CLI_SYSTEM_SETTINGS_PATH ?? env.CLINE_PROVIDER_SETTINGS_PATH ?? (config > 0 ? process.argv[config + 1] : undefined);
  const settings = file && JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(env.SEEN_BY_CLIENT, JSON.stringify({ env, args: process.argv.slice(2), health: answer.status, settings, file }));
  process.exitCode = 7;
  if (env.STAYS_OPEN) setInterval(() => {}, 1_000);
});
`;

interface Started {
  readonly env: Record<string, string>;
  readonly args: string[];
  readonly health: number;
  readonly settings?: unknown;
  readonly file?: string;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A folder with fake clients on the path, a port that is free, and what the client saw. */
async function stage() {
  const folder = mkdtempSync(join(tmpdir(), "precis-launch-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["claude", "codex", "opencode", "gemini", "qwen", "copilot", "cline", "cn"]) {
    writeFileSync(join(folder, name), PROGRAM);
    chmodSync(join(folder, name), 0o755);
  }
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const notes = join(folder, "seen.json");
  const env = { PATH: folder, SEEN_BY_CLIENT: notes, FALLBACK_URL: url };
  return {
    url,
    folder,
    start: (client: string, more: Record<string, string>) =>
      startCli(["launch", client, "--port", String(port), "--db", "memory", ...LOCAL], { ...env, ...more }),
    launch: (args: readonly string[], more: Record<string, string> = {}) => {
      const [client = "", ...rest] = args;
      return runCli(["launch", client, "--port", String(port), "--db", "memory", ...rest], {
        env: { ...env, ...more },
      });
    },
    started: () => JSON.parse(readFileSync(notes, "utf8")) as Started,
  };
}

test("the client gets the address for this run, the gateway ends with it, and its exit code comes back", async () => {
  const { url, launch, started } = await stage();
  const result = await launch(["claude", "--", "-p", "Hello"]);
  expect(result.code).toBe(7);
  const { env, args, health } = started();
  expect(health).toBe(200);
  expect(env["ANTHROPIC_BASE_URL"]).toBe(url);
  expect(args).toEqual(["-p", "Hello"]);
  expect(result.stderr).toContain(`gateway started at ${url}, upstream https://api.anthropic.com`);
  expect(result.stderr).toContain(`with ANTHROPIC_BASE_URL=${url}`);
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});

test("Claude Code keeps its window of a million tokens where the upstream is Anthropic, and only there", async () => {
  const first = "_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL";
  const { launch, started } = await stage();
  await launch(["claude"]);
  expect(started().env[first]).toBe("1");
  await launch(["claude"], { [first]: "0" });
  expect(started().env[first]).toBe("0");
  await launch(["claude", "--upstream", "http://127.0.0.1:9/v1", "--model", "qwen3-coder"]);
  expect(started().env).not.toHaveProperty(first);
  expect(started().args).toEqual(["--model", "qwen3-coder"]);
});

test("each client's requests go to its own provider, whichever keys are exported", async () => {
  const { launch } = await stage();
  const keys = { OPENAI_API_KEY: "sk-1", ANTHROPIC_API_KEY: "sk-2" };
  const upstreamOf = async (client: string) => {
    const { stderr } = await launch([client, "--dry-run"], keys);
    return /upstream (\S+)/.exec(stderr)?.[1];
  };
  expect(await upstreamOf("claude")).toBe("https://api.anthropic.com");
  expect(await upstreamOf("codex")).toBe("https://api.openai.com/v1");
  expect(await upstreamOf("gemini")).toBe("https://generativelanguage.googleapis.com");
});

test("a gateway that listens already is used and left running", async () => {
  const { url, launch, started } = await stage();
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const { createGateway } = await import("../../src/gateway/create-gateway.ts");
  const { loadConfig } = await import("../../src/config/load-config.ts");
  const config = await loadConfig({
    env: {},
    flags: { port: Number(new URL(url).port), db: "memory", upstream: `${provider.url}/v1`, log: "silent" },
  });
  const gateway = await createGateway(config, { version: "0" });
  onTestFinished(() => gateway.close());
  await gateway.listen();
  const { stderr } = await launch(["codex", "--", "exec", "Go on."]);
  expect(stderr).toContain(`gateway found at ${url}`);
  expect(started().args.slice(-2)).toEqual(["exec", "Go on."]);
  expect(started().args).toContain(
    `model_providers.precis={name="precis",base_url="${url}/v1",env_key="OPENAI_API_KEY",wire_api="responses"}`,
  );
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test("each client is told in its own way, and no file of it is changed", async () => {
  const { url, launch, started } = await stage();
  const local = ["--upstream", "http://127.0.0.1:9/v1", "--model", "m"];
  await launch(["opencode", ...local]);
  expect(JSON.parse(started().env["OPENCODE_CONFIG_CONTENT"]!)).toMatchObject({
    model: "precis/m",
    provider: { precis: { options: { baseURL: `${url}/v1` }, models: { m: {} } } },
  });
  await launch(["qwen", ...local]);
  expect(started()).toMatchObject({
    env: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "m" },
    args: ["--auth-type", "openai"],
  });
  await launch(["gemini"], { GEMINI_API_KEY: "secret-key" });
  const { env, settings, file } = started();
  expect(env).toMatchObject({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "secret-key" });
  expect(settings).toEqual({ security: { auth: { selectedType: "gemini-api-key" } } });
  expect(() => readFileSync(file!)).toThrow(); // the temporary file is gone
});

test("keys of the person are never repeated, and --dry-run starts nothing", async () => {
  const { launch, started } = await stage();
  const { code, stderr } = await launch(["codex", "--dry-run"], { OPENAI_API_KEY: "secret-key" });
  expect(code).toBe(0);
  expect(stderr).toContain("gateway would be started at");
  expect(stderr).toContain("would start codex");
  expect(stderr).not.toContain("secret-key");
  expect(started).toThrow();
  const address = "http://127.0.0.1:9/v1?key=query-secret";
  expect((await launch(["codex", "--dry-run", "--upstream", address])).stderr).not.toContain("query-secret");
});

test("--dry-run leaves no database behind, and nothing listens in the meantime", async () => {
  const { folder, url } = await stage();
  const db = join(folder, "left.db");
  const port = new URL(url).port;
  // Somebody else may take the port at any time: a dry run doesn't need it.
  const other = createServer((socket) => socket.destroy()).listen(Number(port), "127.0.0.1");
  onTestFinished(() => void other.close());
  await new Promise((resolve) => other.once("listening", resolve));
  const { code, stderr } = await runCli(["launch", "claude", "--dry-run", "--port", port, "--db", db]);
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(
      `gateway would be started at ${url}, upstream https://api.anthropic.com`,
    ) as string,
  });
  expect(readdirSync(folder).filter((name) => name.startsWith("left"))).toEqual([]);
});

test("what is missing is said in words", async () => {
  const { launch } = await stage();
  expect((await launch(["cloude"])).stderr).toContain("Did you mean claude?");
  expect((await launch(["opencode"])).stderr).toContain("needs a model: --model NAME");
  expect((await launch(["qwen", "--model", "m"])).stderr).toContain("--upstream http://localhost:11434/v1");
  const missing = await launch(["claude"], { PATH: "/nowhere" });
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain("npm install --global @anthropic-ai/claude-code");
});

test("clients that count by themselves are told of a window that they never fill, and of the gateway for this run only", async () => {
  const { launch, started, url } = await stage();
  const local = ["--upstream", "http://127.0.0.1:9/v1", "--model", "qwen3-coder"];
  const copilot = await launch(["copilot", ...local], { OPENAI_API_KEY: "secret-key" });
  expect(copilot.stderr).toContain("COPILOT_PROVIDER_API_KEY=(your key)");
  expect(copilot.stderr).not.toContain("secret-key");
  expect(started().env).toMatchObject({
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_MAX_PROMPT_TOKENS: "1000000",
    COPILOT_MODEL: "qwen3-coder",
    COPILOT_PROVIDER_API_KEY: "secret-key",
  });

  const cline = await launch(["cline", ...local, "--", "Do it."]);
  expect(cline.stderr).toContain("CLINE_PROVIDER_SETTINGS_PATH=(a temporary file)");
  expect(started().args).toEqual(["--compaction", "off", "Do it."]);
  expect(JSON.stringify(started().settings)).toContain(`"baseUrl":"${url}/v1"`);
  expect(existsSync(started().file!)).toBe(false);

  const go = await launch(["continue", ...local, "--", "-p", "Do it."]);
  expect(go.stderr).toContain("--config (a temporary file)");
  expect(started().args).toEqual(["--config", started().file, "-p", "Do it."]);
  expect(JSON.stringify(started().settings)).toContain(`"apiBase":"${url}/v1"`);
  expect(existsSync(started().file!)).toBe(false);
});

test("a window that is closed leaves no file with a key behind", async () => {
  const { folder, start, started } = await stage();
  const running = start("cline", { HOME: folder, OPENAI_API_KEY: "secret-key", STAYS_OPEN: "1" });
  const end = finished(running);
  await expect.poll(() => existsSync(join(folder, "seen.json")), { timeout: HANGS_AFTER_MS }).toBe(true);
  await expect.poll(started, { timeout: HANGS_AFTER_MS }).toBeTruthy();
  expect(existsSync(started().file!)).toBe(true);
  running.kill("SIGHUP");
  await end;
  expect(existsSync(started().file!)).toBe(false);
});

test("what a run that was killed left behind is removed by the next one, and what is in use stays", async () => {
  const { folder, launch } = await stage();
  const leave = (name: string) => {
    const left = join(folder, ".cache", "precis", name);
    mkdirSync(left, { recursive: true });
    writeFileSync(join(left, "providers.json"), "{}");
    return left;
  };
  const dead = leave("launch-2147483646-abc");
  const used = leave(`launch-${process.pid}-abc`);
  await launch(["cline", ...LOCAL], { HOME: folder });
  expect(existsSync(dead)).toBe(false);
  expect(existsSync(used)).toBe(true);
});
