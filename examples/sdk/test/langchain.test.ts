import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { type AgentMiddleware, createAgent, HumanMessage, summarizationMiddleware, tool } from "langchain";
import { langchainMessages, langchainModel, precisMiddleware } from "precis/langchain";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { READ_TOOL, REQUEST, readFile, resultOf, STEPS, SYSTEM, startTask, WINDOW } from "./long-task.ts";

const read = tool(({ path }: { path: string }) => readFile(path), {
  name: READ_TOOL.name,
  description: READ_TOOL.description,
  schema: z.object({ path: z.string() }),
});

const chatModel = (url: string) =>
  new ChatOpenAI({
    model: "gpt-4o",
    apiKey: "sk-test",
    configuration: { baseURL: `${url}/v1` },
    maxRetries: 1,
  });

const agentOf = (url: string, middleware: AgentMiddleware[], checkpointer?: MemorySaver) =>
  createAgent({
    model: chatModel(url),
    tools: [read],
    systemPrompt: SYSTEM,
    middleware,
    ...(checkpointer && { checkpointer }),
  });

const LIMIT = { recursionLimit: 200 };
const START = { messages: [new HumanMessage(REQUEST)] };

describe("an agent of LangChain", () => {
  test("alone runs over the window and stops", async () => {
    const provider = await startTask();
    await expect(agentOf(provider.url, []).invoke(START, LIMIT)).rejects.toThrow(/context length/);
    expect(resultOf(provider).refused).toBe(1);
  });

  test("with summarizationMiddleware loses what the user said, in its state too", async () => {
    const provider = await startTask();
    const settings = { model: chatModel(provider.url), trigger: { tokens: 4_000 }, keep: { messages: 4 } };
    // Its own types don't hold with `exactOptionalPropertyTypes`.
    const middleware = summarizationMiddleware(settings as never);
    const { messages } = await agentOf(provider.url, [middleware]).invoke(START, LIMIT);
    expect(messages.length).toBeLessThan(STEPS);
    expect(JSON.stringify(messages)).not.toContain(readFile("part-3").slice(0, 200));
    expect(resultOf(provider).lost.length).toBeGreaterThan(0);
  });

  test("with precis keeps state and system message whole, and forgets nothing", async () => {
    const provider = await startTask();
    const { messages } = await agentOf(provider.url, [precisMiddleware({ window: WINDOW })]).invoke(
      START,
      LIMIT,
    );
    expect(messages).toHaveLength(2 * STEPS + 2);
    expect(messages[0]?.content).toBe(REQUEST);
    const result = resultOf(provider);
    expect(result).toMatchObject({ requests: STEPS + 1, refused: 0, lost: [] });
    expect(result.largest).toBeLessThanOrEqual(WINDOW);
    for (const { body } of provider.requests)
      expect((body["messages"] as unknown[])[0]).toEqual({
        role: "system",
        content: [{ type: "text", text: SYSTEM }],
      });
  });

  test("with precis and a checkpointer goes on from the same view after a restart", async () => {
    const checkpointer = new MemorySaver();
    const config = { ...LIMIT, configurable: { thread_id: "t1" } };
    // The schema lets the checkpointer store what precis knows.
    const precis = () =>
      precisMiddleware({ window: WINDOW, stateSchema: z.object({ precis: z.any().optional() }) });
    const first = await startTask();
    await agentOf(first.url, [precis()], checkpointer).invoke(START, config);
    const second = await startTask({ steps: 0 });
    const { messages } = await agentOf(second.url, [precis()], checkpointer).invoke(
      { messages: [new HumanMessage("Which one was it?")] },
      config,
    );
    expect(messages).toHaveLength(2 * STEPS + 4);
    const sent = (body: Readonly<Record<string, unknown>>) => body["messages"] as unknown[];
    const before = sent(first.requests.at(-1)!.body);
    const after = sent(second.requests[0]!.body);
    expect(after.slice(0, before.length)).toEqual(before);
  });

  test("compacts by `trigger` and keeps what `keep` says", async () => {
    const provider = await startTask({ window: 100_000 });
    let compactions = 0;
    const middleware = precisMiddleware({
      window: 100_000,
      trigger: [{ tokens: 30_000 }, { messages: 20 }],
      keep: { messages: 6 },
      onView: ({ report }) => {
        if (report.outcome === "compacted") compactions++;
      },
    });
    await agentOf(provider.url, [middleware]).invoke(START, LIMIT);
    expect(compactions).toBeGreaterThan(0);
    expect(resultOf(provider).lost).toEqual([]);
    expect(() => precisMiddleware({ trigger: [{ tokens: 4_000 }, { fraction: 0.5 }] })).toThrow(
      /more than once/,
    );
  });

  test("has its summaries written by a chat model", async () => {
    const provider = await startTask();
    const reply = await langchainModel(chatModel(provider.url)).complete({
      name: "try",
      system: "Summarize.",
      messages: [{ role: "user", text: "We read src/a.ts." }],
      cap: 500,
    });
    expect(reply.text).toContain("The conversation began with");
    expect(reply.stop).toBe("end");
    expect(reply.usage?.input).toBeGreaterThan(0);
  });
});

test("a message that is edited stays of its class, with all else that it has", () => {
  const message = new HumanMessage({
    content: [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ],
    id: "m1",
  });
  const next = langchainMessages.edit(message, [{ type: "replace", part: 1, text: "c", why: "hard-cut" }]);
  expect(next).toBeInstanceOf(HumanMessage);
  expect(next).not.toBe(message);
  expect((next as HumanMessage).id).toBe("m1");
  expect(next.content).toEqual([
    { type: "text", text: "a" },
    { type: "text", text: "c" },
  ]);
  expect(message.content).toEqual([
    { type: "text", text: "a" },
    { type: "text", text: "b" },
  ]);
});
