import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { root } from "../../../scripts/lib/project.ts";
import { startTask, WINDOW } from "./long-task.ts";
import { runExample } from "./run-example.ts";

const folder = join(root, "examples/sdk");

const AGENTS: readonly [string, RegExp][] = [
  ["ai-sdk.ts", /^All parts are read\.\n$/],
  ["langchain.ts", /^All parts are read\. 50 messages in the state\.\n$/],
  ["openai-agents.ts", /^All parts are read\. \d+ items in the session\.\n$/],
];

test.each(AGENTS)("%s leads an agent to its end", async (file, printed) => {
  const provider = await startTask();
  expect(await runExample(folder, file, provider.url)).toMatch(printed);
  expect(provider.requests.map(({ status }) => status)).not.toContain(400);
  expect(provider.requests.at(-1)!.raw).toContain("Never touch generated files.");
  expect(provider.requests.at(-1)!.raw).toContain("port 4180 is opened by part-3");
});

test.each(["openai.ts", "anthropic.ts"])("%s holds a long talk", async (file) => {
  const provider = await startTask({ reply: () => `Noted. ${"An answer has words. ".repeat(30)}` });
  expect(await runExample(folder, file, provider.url)).toContain("Noted.");
  expect(provider.requests).toHaveLength(20);
  expect(provider.requests.map(({ status }) => status)).not.toContain(400);
  expect(Math.max(...provider.requests.map(({ tokens }) => tokens.input))).toBeLessThanOrEqual(WINDOW);
  expect(provider.requests.at(-1)!.raw).toContain("Never touch generated files.");
});

test("ai-sdk-chat.ts answers a chat that only the client stores, and tells it of compactions", async () => {
  const provider = await startTask({ reply: () => `Noted. ${"An answer has words. ".repeat(60)}` });
  const { compactions, messages } = JSON.parse(await runExample(folder, "test/chat-loop.ts", provider.url));
  expect(messages).toBe(60);
  expect(compactions).toBeGreaterThan(0);
  expect(provider.requests.map(({ status }) => status)).not.toContain(400);
  expect(provider.requests.at(-1)!.raw).toContain("Never touch generated files.");
});

test.each([
  ["ai-sdk.ts", "ai-sdk"],
  ["ai-sdk-chat.ts", "ai-sdk"],
  ["openai.ts", "clients"],
  ["anthropic.ts", "clients"],
  ["langchain.ts", "langchain"],
  ["openai-agents.ts", "openai-agents"],
])("%s stands on its page as it runs", (file, page) => {
  const code = readFileSync(join(folder, file), "utf8").replace(/^\/\*\*.*?\*\/\n/s, "");
  expect(readFileSync(join(root, `docs/guide/sdk/${page}.md`), "utf8")).toContain(code.trimEnd());
});

test("the examples compile as they stand", async () => {
  const child = spawn("tsc", ["-p", folder], { stdio: ["ignore", "pipe", "inherit"] });
  expect(await text(child.stdout)).toBe("");
});
