import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createOpenAI } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { TokenLimiterProcessor } from "@mastra/core/processors";
import { createTool } from "@mastra/core/tools";
import { precisProcessor } from "precis/mastra";
import { expect, test } from "vitest";
import { z } from "zod";
import { root } from "../../scripts/lib/project.ts";
import {
  READ_TOOL,
  REQUEST,
  readFile,
  resultOf,
  STEPS,
  SYSTEM,
  startTask,
  WINDOW,
} from "../sdk/test/long-task.ts";
import { runExample } from "../sdk/test/run-example.ts";

const read = createTool({
  id: READ_TOOL.name,
  description: READ_TOOL.description,
  inputSchema: z.object({ path: z.string() }),
  execute: async ({ path }) => readFile(path),
});

async function run(url: string, inputProcessors: ConstructorParameters<typeof Agent>[0]["inputProcessors"]) {
  const model = createOpenAI({ baseURL: `${url}/v1`, apiKey: "sk-test" }).chat("gpt-4o");
  const agent = new Agent({
    id: "reader",
    name: "Reader",
    instructions: SYSTEM,
    model,
    tools: { read },
    ...(inputProcessors && { inputProcessors }),
  });
  return (await agent.generate(REQUEST, { maxSteps: STEPS + 2 })).text;
}

test("an agent alone runs over the window and stops", async () => {
  const provider = await startTask();
  await run(provider.url, undefined).catch(() => undefined);
  expect(resultOf(provider).refused).toBeGreaterThan(0);
});

test("with TokenLimiterProcessor it forgets what it found", async () => {
  const provider = await startTask();
  await run(provider.url, [new TokenLimiterProcessor({ limit: 5_000 })]).catch(() => undefined);
  expect(resultOf(provider).lost).toContain("the find of step 3");
});

test("with precis it reads everything and forgets nothing", async () => {
  const provider = await startTask();
  expect(await run(provider.url, [precisProcessor({ window: WINDOW })])).toContain("All parts are read.");
  const result = resultOf(provider);
  expect(result).toMatchObject({ requests: STEPS + 1, refused: 0, lost: [] });
  expect(result.largest).toBeLessThanOrEqual(WINDOW);
});

test("the example runs, and stands on its page as it runs", async () => {
  const provider = await startTask();
  const folder = join(root, "examples/mastra");
  expect(await runExample(folder, "agent.ts", provider.url)).toContain("All parts are read.");
  expect(provider.requests.map(({ status }) => status)).not.toContain(400);
  const code = readFileSync(join(folder, "agent.ts"), "utf8").replace(/^\/\*\*.*?\*\/\n/s, "");
  expect(readFileSync(join(root, "docs/guide/sdk/mastra.md"), "utf8")).toContain(code.trimEnd());
});
