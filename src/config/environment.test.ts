import { expect, test } from "vitest";
import { readEnvironment } from "./environment.ts";

test("finds keys by name and never returns one", () => {
  const env = {
    OPENAI_API_KEY: "sk-secret-1",
    GOOGLE_API_KEY: "AIza-secret-2",
    EMPTY_API_KEY: "x",
    PATH: "/bin",
  };
  const found = readEnvironment(env);
  expect(found.providers.map(({ name, variable }) => [name, variable])).toEqual([
    ["OpenAI", "OPENAI_API_KEY"],
    ["Google Gemini", "GOOGLE_API_KEY"],
  ]);
  expect(found.missing.map(({ variable }) => variable)).toContain("ANTHROPIC_API_KEY");
  expect(JSON.stringify(found)).not.toMatch(/secret/);
});

test("an empty variable is none", () => {
  expect(readEnvironment({ OPENAI_API_KEY: "  " }).providers).toEqual([]);
  expect(readEnvironment({}).settings).toEqual([]);
});

test("takes another address, without its password", () => {
  const env = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "https://me:hunter2@proxy.example/v1/?token=t" };
  const [openai] = readEnvironment(env).providers;
  expect(openai?.baseURL).toBe("https://proxy.example/v1");
  expect(readEnvironment({ ...env, OPENAI_BASE_URL: "nonsense" }).providers[0]?.baseURL).toBe(
    "https://api.openai.com/v1",
  );
});

test.each([
  ["sk-1\n", "has blanks or a line break around it"],
  ['"sk-1"', "has quotation marks around it"],
  ["sk 1", "has blanks inside"],
  ["your-key-here", "looks like a placeholder"],
  ["sk-1", undefined],
])("sees what is wrong with the key %j", (key, problem) => {
  expect(readEnvironment({ OPENAI_API_KEY: key }).providers[0]?.problem).toBe(problem);
});

test("lists precis's own variables", () => {
  expect(readEnvironment({ PRECIS_PORT: "1", PRECIS_DB: "x", PRECIS_HOST: "" }).settings).toEqual([
    "PRECIS_DB",
    "PRECIS_PORT",
  ]);
});

test.each([
  ["127.0.0.1:9999", "http://127.0.0.1:9999"],
  ["localhost", "http://localhost:11434"],
  [":8123", "http://127.0.0.1:8123"],
  ["0.0.0.0:1", "http://127.0.0.1:1"],
  ["http://[::1]:5", "http://[::1]:5"],
  ["https://ollama.example", undefined],
  ["10.0.0.7:11434", undefined],
  ["", undefined],
])("Ollama at %j is asked at %j", (host, address) => {
  expect(readEnvironment({ OLLAMA_HOST: host }).ollama).toBe(address);
});
