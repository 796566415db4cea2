import { Agent, MemorySession, OpenAIProvider, type RunConfig, Runner, tool } from "@openai/agents";
import { precisInputFilter, precisSession } from "precis/openai-agents";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { READ_TOOL, REQUEST, readFile, resultOf, STEPS, SYSTEM, startTask, WINDOW } from "./long-task.ts";

const agent = new Agent({
  name: "Reader",
  instructions: SYSTEM,
  model: "gpt-4o",
  tools: [
    tool({
      name: READ_TOOL.name,
      description: READ_TOOL.description,
      parameters: z.object({ path: z.string() }),
      execute: async ({ path }) => readFile(path),
    }),
  ],
});

const runnerOf = (url: string, useResponses: boolean, config: Partial<RunConfig> = {}) =>
  new Runner({
    modelProvider: new OpenAIProvider({ apiKey: "sk-test", baseURL: `${url}/v1`, useResponses }),
    tracingDisabled: true,
    ...config,
  });

const LIMIT = { maxTurns: STEPS + 5 };

describe.each([
  ["Responses", true],
  ["Chat Completions", false],
])("an agent of the OpenAI Agents SDK, %s", (_name, useResponses) => {
  test("alone runs over the window and stops", async () => {
    const provider = await startTask();
    await expect(runnerOf(provider.url, useResponses).run(agent, REQUEST, LIMIT)).rejects.toThrow(/context/);
    expect(resultOf(provider).refused).toBe(1);
  });

  test("with the filter reads everything and forgets nothing, and its session stores all of it", async () => {
    const provider = await startTask();
    const session = new MemorySession();
    const runner = runnerOf(provider.url, useResponses, {
      callModelInputFilter: precisInputFilter({ window: WINDOW }),
    });
    const { finalOutput } = await runner.run(agent, REQUEST, { ...LIMIT, session });
    expect(finalOutput).toBe("All parts are read.");
    const result = resultOf(provider);
    expect(result).toMatchObject({ requests: STEPS + 1, refused: 0, lost: [] });
    expect(result.largest).toBeLessThanOrEqual(WINDOW);
    const stored = JSON.stringify(await session.getItems());
    for (let i = 1; i <= STEPS; i++)
      expect(stored).toContain(JSON.stringify(readFile(`part-${i}`)).slice(1, -1));
  });
});

test("a session of precis begins each run with a view and stores everything", async () => {
  const provider = await startTask({
    reply: () => `Noted. ${"Words of an answer, and more of them. ".repeat(40)}`,
  });
  const inner = new MemorySession();
  const session = precisSession(inner, { window: WINDOW, instructions: SYSTEM });
  const runner = runnerOf(provider.url, true);
  const talker = new Agent({ name: "Talker", instructions: SYSTEM, model: "gpt-4o" });
  for (let turn = 0; turn < 25; turn++) {
    await runner.run(talker, turn === 0 ? REQUEST : `Question ${turn}: and then?`, { session });
  }
  expect(provider.requests.filter(({ status }) => status >= 400)).toHaveLength(0);
  expect(provider.requests).toHaveLength(25);
  expect(await session.getTranscript()).toHaveLength(50);
  expect((await session.getItems()).length).toBeLessThan(50);
  expect(provider.requests.at(-1)!.raw).toContain("Never touch generated files");
});
