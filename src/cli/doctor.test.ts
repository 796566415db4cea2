import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../../test/cli/run-cli.ts";
import { checkNode, checkSqlite, type Diagnosis } from "./doctor.ts";

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const { code, stdout } = await runCli(["doctor", ...args], { env });
  expect(code).toBe(0);
  return stdout;
}

async function fakeOllama(): Promise<string> {
  const server = createServer((request, response) => {
    const answers: Record<string, unknown> = {
      "/api/version": { version: "1" },
      "/api/tags": { models: [{ name: "qwen3:8b" }] },
    };
    response.end(JSON.stringify(answers[request.url ?? ""] ?? null));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("says what is there and what would be used", async () => {
  const host = await fakeOllama();
  const text = await run([], { OLLAMA_HOST: host, ANTHROPIC_API_KEY: "sk-ant-secret", PRECIS_PORT: "9000" });
  expect(text).toContain(`Ollama at http://${host}/v1: qwen3:8b`);
  expect(text).toContain("Anthropic: ANTHROPIC_API_KEY");
  expect(text).toContain("settings of precis: PRECIS_PORT");
  expect(text.replace(/\s+/g, " ")).toContain(
    `summarizer: openaiCompatible({ baseURL: "http://${host}/v1", model: "qwen3:8b" })`,
  );
  expect(text.replace(/\s+/g, " ")).toContain(
    "precis serve: Anthropic; summaries are written by the conversation's own model",
  );
  expect(text).not.toContain("secret");
  const widths = text.split("\n").map((line) => line.length);
  expect(Math.max(...widths)).toBeLessThanOrEqual(100);
});

test("the same as JSON, without a key's value", async () => {
  const text = await run(["--json"], { OPENAI_API_KEY: "sk-secret\n", GROQ_API_KEY: "gsk-secret" });
  const diagnosis = JSON.parse(text) as Diagnosis;
  expect(diagnosis.ok).toBe(true);
  expect(diagnosis.checks.map(({ id, ok }) => [id, ok])).toEqual([
    ["node", true],
    ["sqlite", true],
    ["tokenizer", true],
  ]);
  expect(diagnosis.keys).toEqual([
    { provider: "OpenAI", variable: "OPENAI_API_KEY", problem: "has blanks or a line break around it" },
    { provider: "Groq", variable: "GROQ_API_KEY" },
  ]);
  expect(diagnosis.offers.map(({ code }) => code)).toContain(
    'openaiCompatible({ baseURL: "https://api.groq.com/openai/v1", apiKey: process.env.GROQ_API_KEY, model: "…" })',
  );
  expect(text).not.toContain("secret");
});

test("tells of variables with a mistyped name", async () => {
  const text = await run([], { PRECIS_PROT: "9000" });
  expect(text.replace(/\s+/g, " ")).toContain("PRECIS_PROT isn't a known variable");
});

test.each([
  ["v22.12.0", false],
  ["v22.13.0", true],
  ["v20.19.0", false],
  ["v24.0.0", true],
])("Node %s is enough: %s", (version, ok) => {
  expect(checkNode(version).ok).toBe(ok);
});

test("a Node without SQLite is told, and is no reason to fail", async () => {
  const check = await checkSqlite(() => Promise.reject(new Error("No such built-in module")));
  expect(check).toMatchObject({ ok: false, needed: false });
  expect(check.fix).toContain("postgres://");
});
