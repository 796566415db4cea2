/** What `precis serve` says to people when it starts. */
import { writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import { afterAll, expect, test } from "vitest";
import { runCommandLine } from "../../src/cli/run-command-line.ts";
import { scratchFolder } from "./run-cli.ts";

const folder = scratchFolder();
afterAll(folder.remove);

/** Its words up to the moment when it listens. */
async function startMessage(db: string, ...more: string[]): Promise<string> {
  const told = new AbortController();
  let words = "";
  const code = await runCommandLine(["serve", "--port", "0", "--db", db, ...more], {
    stdin: Readable.from([]),
    stdout: { write: () => {} },
    stderr: {
      write(text) {
        words += text;
        if (words.includes("listening")) told.abort();
      },
    },
    env: { PRECIS_LOG: "silent" },
    signal: told.signal,
    interrupted: told.signal,
  });
  expect(code).toBe(0);
  return words;
}

test("models that were added on the page are named when the server starts, and their keys aren't", async () => {
  const db = folder.path("chats.db");
  expect(await startMessage(db)).toContain("No upstream yet");
  const added = { name: "here", baseURL: "http://127.0.0.1:9/v1", apiKey: "sk-page-0123456789abcdef" };
  writeFileSync(`${db}.models.json`, JSON.stringify([added]));
  const words = await startMessage(db);
  expect(words).toContain("Upstreams: here (http://127.0.0.1:9/v1)");
  expect(words).not.toContain("No upstream yet");
  expect(words).not.toContain(added.apiKey);
});

test("clients of every API are told their address", async () => {
  const words = await startMessage("memory");
  const [, address = ""] = /listening at (\S+)/.exec(words) ?? [];
  for (const [api, where] of [
    ["OpenAI", `base URL ${address}/v1`],
    ["Anthropic", `base URL ${address}`],
    ["Google", `base URL ${address}`],
    ["Ollama", `host ${address}/ollama`],
  ] as const)
    expect(words).toMatch(new RegExp(`^ +${api} +${where.replaceAll(/[./]/g, "\\$&")}$`, "m"));
});

test("it says who writes summaries and whose key pays for them, and one flag turns that off", async () => {
  const upstream = ["--upstream", "http://127.0.0.1:9/v1"];
  const words = await startMessage("memory", ...upstream);
  expect(words).toMatch(/Summaries: .*own model.*key.*--no-summary-model/);
  expect(await startMessage("memory", ...upstream, "--no-summary-model")).toMatch(/Summaries: .*no model/);
});

test("a summariser at a remote server without a key is named when the server starts", async () => {
  const file = folder.path("remote.json");
  const upstreams = [
    { name: "here", baseURL: "http://127.0.0.1:9/v1" },
    { name: "far", baseURL: "https://api.openai.com/v1" },
  ];
  writeFileSync(file, JSON.stringify({ upstreams, summarizer: { model: "gpt-5-mini", upstream: "far" } }));
  const words = await startMessage("memory", "--config", file);
  expect(words).toMatch(/upstream far has no apiKey/);
  const [here, far] = upstreams;
  const keyed = [here, { ...far, apiKey: "sk-0123456789abcdef" }];
  writeFileSync(
    file,
    JSON.stringify({ upstreams: keyed, summarizer: { model: "gpt-5-mini", upstream: "far" } }),
  );
  expect(await startMessage("memory", "--config", file)).not.toContain("has no apiKey");
});
