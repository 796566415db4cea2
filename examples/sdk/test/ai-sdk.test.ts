import { createOpenAI as createOpenAI7 } from "@ai-sdk/openai";
import { createOpenAI as createOpenAI5 } from "@ai-sdk/openai-5";
import { createOpenAI as createOpenAI6 } from "@ai-sdk/openai-6";
import * as ai7 from "ai";
import * as ai5 from "ai-5";
import * as ai6 from "ai-6";
import { createCompactor } from "precis";
import { compact, precisMiddleware, precisPrepareStep, stateOfChat, writeCompaction } from "precis/ai-sdk";
import { aiSdk } from "precis/dialects";
import { describe, expect, test } from "vitest";
import { READ_TOOL, REQUEST, readFile, resultOf, STEPS, SYSTEM, startTask, WINDOW } from "./long-task.ts";

const KEY = "sk-test";

/** The same task in each major version: its own provider, its own types, no casts. */
const VERSIONS = [
  {
    name: "version 5",
    run: async (url: string, withPrecis: boolean) => {
      const model = createOpenAI5({ baseURL: `${url}/v1`, apiKey: KEY }).chat("gpt-4o");
      const agent = new ai5.Experimental_Agent({
        model: withPrecis
          ? ai5.wrapLanguageModel({ model, middleware: precisMiddleware({ window: WINDOW }) })
          : model,
        system: SYSTEM,
        tools: {
          read: ai5.tool({
            description: READ_TOOL.description,
            inputSchema: ai5.jsonSchema<{ path: string }>(READ_TOOL.parameters),
            execute: ({ path }) => readFile(path),
          }),
        },
        stopWhen: ai5.stepCountIs(STEPS + 2),
      });
      return (await agent.generate({ prompt: REQUEST })).text;
    },
    stream: async (url: string) => {
      const model = createOpenAI5({ baseURL: `${url}/v1`, apiKey: KEY }).responses("gpt-4o");
      const result = ai5.streamText({
        model: ai5.wrapLanguageModel({ model, middleware: precisMiddleware({ window: WINDOW }) }),
        system: SYSTEM,
        tools: {
          read: ai5.tool({
            description: READ_TOOL.description,
            inputSchema: ai5.jsonSchema<{ path: string }>(READ_TOOL.parameters),
            execute: ({ path }) => readFile(path),
          }),
        },
        stopWhen: ai5.stepCountIs(STEPS + 2),
        prompt: REQUEST,
      });
      return await result.text;
    },
  },
  {
    name: "version 6",
    run: async (url: string, withPrecis: boolean) => {
      const model = createOpenAI6({ baseURL: `${url}/v1`, apiKey: KEY }).chat("gpt-4o");
      const agent = new ai6.ToolLoopAgent({
        model: withPrecis
          ? ai6.wrapLanguageModel({ model, middleware: precisMiddleware({ window: WINDOW }) })
          : model,
        instructions: SYSTEM,
        tools: {
          read: ai6.tool({
            description: READ_TOOL.description,
            inputSchema: ai6.jsonSchema<{ path: string }>(READ_TOOL.parameters),
            execute: ({ path }) => readFile(path),
          }),
        },
        stopWhen: ai6.stepCountIs(STEPS + 2),
      });
      return (await agent.generate({ prompt: REQUEST })).text;
    },
    stream: async (url: string) => {
      const model = createOpenAI6({ baseURL: `${url}/v1`, apiKey: KEY }).responses("gpt-4o");
      const result = ai6.streamText({
        model: ai6.wrapLanguageModel({ model, middleware: precisMiddleware({ window: WINDOW }) }),
        system: SYSTEM,
        tools: {
          read: ai6.tool({
            description: READ_TOOL.description,
            inputSchema: ai6.jsonSchema<{ path: string }>(READ_TOOL.parameters),
            execute: ({ path }) => readFile(path),
          }),
        },
        stopWhen: ai6.stepCountIs(STEPS + 2),
        prompt: REQUEST,
      });
      return await result.text;
    },
  },
  {
    name: "version 7",
    run: async (url: string, withPrecis: boolean) => {
      const model = createOpenAI7({ baseURL: `${url}/v1`, apiKey: KEY }).chat("gpt-4o");
      const agent = new ai7.ToolLoopAgent({
        model: withPrecis
          ? ai7.wrapLanguageModel({ model, middleware: precisMiddleware({ window: WINDOW }) })
          : model,
        instructions: SYSTEM,
        tools: { read: readTool7 },
        stopWhen: ai7.stepCountIs(STEPS + 2),
      });
      return (await agent.generate({ prompt: REQUEST })).text;
    },
    stream: async (url: string) => {
      const model = createOpenAI7({ baseURL: `${url}/v1`, apiKey: KEY }).responses("gpt-4o");
      const result = ai7.streamText({
        model: ai7.wrapLanguageModel({ model, middleware: precisMiddleware({ window: WINDOW }) }),
        instructions: SYSTEM,
        tools: { read: readTool7 },
        stopWhen: ai7.stepCountIs(STEPS + 2),
        prompt: REQUEST,
      });
      return await result.text;
    },
  },
];

const readTool7 = ai7.tool({
  description: READ_TOOL.description,
  inputSchema: ai7.jsonSchema<{ path: string }>(READ_TOOL.parameters),
  execute: ({ path }) => readFile(path),
});

describe.each(VERSIONS)("$name", ({ run, stream }) => {
  test("an agent alone runs over the window and stops", async () => {
    const provider = await startTask();
    await expect(run(provider.url, false)).rejects.toThrow(/maximum context length/);
    expect(resultOf(provider)).toMatchObject({ refused: 1 });
    expect(provider.requests.length).toBeLessThan(STEPS);
  });

  test("an agent with the middleware reads everything and forgets nothing", async () => {
    const provider = await startTask();
    expect(await run(provider.url, true)).toBe("All parts are read.");
    const result = resultOf(provider);
    expect(result).toMatchObject({ requests: STEPS + 1, refused: 0, lost: [] });
    expect(result.largest).toBeLessThanOrEqual(WINDOW);
  });

  test("a stream over the Responses API stays inside the window", async () => {
    const provider = await startTask();
    expect(await stream(provider.url)).toBe("All parts are read.");
    expect(resultOf(provider)).toMatchObject({ requests: STEPS + 1, refused: 0, lost: [] });
  });
});

describe("the step's own messages", () => {
  /** What the documentation of precis told people to write before there was a helper. */
  const recipe: ai7.PrepareStepFunction<{ read: typeof readTool7 }> = (() => {
    const compactor = createCompactor({ dialect: aiSdk, window: WINDOW });
    return async ({ initialMessages, responseMessages }) => {
      const { messages } = await compactor.fit<ai7.ModelMessage>([...initialMessages, ...responseMessages]);
      return { messages };
    };
  })();

  const ask = (url: string, prepareStep: ai7.PrepareStepFunction<{ read: typeof readTool7 }>) =>
    ai7.generateText({
      model: createOpenAI7({ baseURL: `${url}/v1`, apiKey: KEY }).chat("gpt-4o"),
      instructions: SYSTEM,
      tools: { read: readTool7 },
      stopWhen: ai7.stepCountIs(STEPS + 2),
      prompt: REQUEST,
      prepareStep,
    });

  test("a recipe that counts neither instructions nor tools sends more than the window holds", async () => {
    const provider = await startTask();
    await expect(ask(provider.url, recipe)).rejects.toThrow(/maximum context length/);
    expect(resultOf(provider).refused).toBe(1);
  });

  test("the helper counts instructions and tools", async () => {
    const provider = await startTask();
    const prepareStep = precisPrepareStep({ window: WINDOW, tools: { read: readTool7 } });
    expect((await ask(provider.url, prepareStep)).text).toBe("All parts are read.");
    const result = resultOf(provider);
    expect(result).toMatchObject({ requests: STEPS + 1, refused: 0, lost: [] });
    expect(result.largest).toBeLessThanOrEqual(WINDOW);
  });

  test("a view in the system prompt isn't carried into the next step's transcript", async () => {
    const provider = await startTask();
    const prepareStep = precisPrepareStep({
      window: WINDOW,
      tools: { read: readTool7 },
      placement: "merged",
    });
    await ask(provider.url, prepareStep);
    expect(resultOf(provider)).toMatchObject({ requests: STEPS + 1, refused: 0, lost: [] });
    // What the system prompt may not quote follows in a message of its own.
    const summaries = provider.requests.at(-1)!.raw.split("<conversation-summary").length - 1;
    expect(summaries).toBeLessThanOrEqual(2);
  });
});

test("a window that is smaller than anyone said is found out and fitted to", async () => {
  const provider = await startTask();
  const model = createOpenAI7({ baseURL: `${provider.url}/v1`, apiKey: KEY }).chat("gpt-4o");
  const { text } = await ai7.generateText({
    model: ai7.wrapLanguageModel({ model, middleware: precisMiddleware({ window: 12_000 }) }),
    instructions: SYSTEM,
    tools: { read: readTool7 },
    stopWhen: ai7.stepCountIs(STEPS + 2),
    prompt: REQUEST,
  });
  expect(text).toBe("All parts are read.");
  expect(resultOf(provider).lost).toEqual([]);
});

test("compact accounts for every message before anything is thrown away", async () => {
  const before: ai7.ModelMessage[] = [{ role: "user", content: REQUEST }];
  for (let i = 1; i <= STEPS; i++) {
    const id = `call-${i}`;
    before.push(
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: id, toolName: "read", input: { path: `src/parts/part-${i}.ts` } },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: id,
            toolName: "read",
            output: { type: "text", value: readFile(`src/parts/part-${i}.ts`) },
          },
        ],
      },
    );
  }
  const { messages: after, report } = await compact({ messages: before, budget: 4_000 });
  expect(report.tokens.after).toBeLessThanOrEqual(4_000);
  expect(after.length).toBeLessThan(before.length);
  const named = report.entries.flatMap((entry) =>
    entry.type === "insert"
      ? entry.covers.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, n) => from + n))
      : [entry.index],
  );
  expect(named.sort((a, b) => a - b)).toEqual([...before.keys()]);
});

test("a chat's compaction is a data part, and the next request goes on from the state in it", async () => {
  const provider = await startTask({ reply: () => `Noted: ${"words of an answer ".repeat(60)}` });
  const model = createOpenAI7({ baseURL: `${provider.url}/v1`, apiKey: KEY }).chat("gpt-4o");
  let chat: ai7.UIMessage[] = [];
  const parts: unknown[] = [];
  for (let turn = 0; turn < 30; turn++) {
    chat.push({
      id: `u${turn}`,
      role: "user",
      parts: [{ type: "text", text: turn === 0 ? REQUEST : `Question ${turn}: and then?` }],
    });
    // Nothing but the chat is kept between two requests, as on a serverless host.
    chat = JSON.parse(JSON.stringify(chat));
    const messages = await ai7.convertToModelMessages(chat);
    const stream = ai7.createUIMessageStream({
      originalMessages: chat,
      execute: ({ writer }) => {
        const middleware = precisMiddleware({
          window: WINDOW,
          state: stateOfChat(chat) ?? null,
          onView: writeCompaction(writer),
        });
        const result = ai7.streamText({
          model: ai7.wrapLanguageModel({ model, middleware }),
          instructions: SYSTEM,
          messages,
        });
        writer.merge(result.toUIMessageStream());
      },
      onFinish: ({ messages: all }) => {
        chat = all;
      },
    });
    for await (const chunk of stream) if (chunk.type === "data-compaction") parts.push(chunk);
  }
  expect(parts.length).toBeGreaterThan(0);
  expect(resultOf(provider)).toMatchObject({ requests: 30, refused: 0 });
  // Between two compactions the view only grows at its end: each request begins as the one before it.
  const changed = provider.requests.filter(({ body }, i) => {
    const before = provider.requests[i - 1]?.body["messages"] as unknown[] | undefined;
    const now = body["messages"] as unknown[];
    return before !== undefined && JSON.stringify(now.slice(0, before.length)) !== JSON.stringify(before);
  });
  expect(changed.length).toBe(parts.length);
});
