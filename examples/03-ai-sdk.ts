/** An agent of the AI SDK whose every step fits its window. The model is a mock: no key, no network. Run: node examples/03-ai-sdk.ts */

import { readFileSync } from "node:fs";
import { generateText, jsonSchema, type ModelMessage, stepCountIs, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { createCompactor, profiles } from "precis";
import { aiSdk } from "precis/dialects";

const compactor = createCompactor({ dialect: aiSdk, window: 12_000, profile: profiles.agent });

// Stands for your model: reads twelve files, one after the other, then answers.
const files = ["workspace.ts", "coding-session.ts", "retrieval-chat.ts", "script.ts", "diff.ts"];
let asked = 0;
const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 };
const model = new MockLanguageModelV4({
  doGenerate: async () => ({
    content:
      asked++ < 12
        ? [
            {
              type: "tool-call",
              toolCallId: `call-${asked}`,
              toolName: "read",
              input: JSON.stringify({ path: files[asked % files.length] }),
            },
          ]
        : [{ type: "text", text: "All files read." }],
    finishReason: { unified: asked <= 12 ? "tool-calls" : "stop", raw: undefined },
    usage: { inputTokens: none, outputTokens: none },
    warnings: [],
  }),
});

const read = tool({
  inputSchema: jsonSchema<{ path: string }>({ type: "object", properties: { path: { type: "string" } } }),
  execute: ({ path }) => readFileSync(new URL(`make/${path}`, import.meta.url), "utf8"),
});

const result = await generateText({
  model,
  tools: { read },
  stopWhen: stepCountIs(20),
  prompt: "Read the files in examples/make. Never change one of them.",
  prepareStep: async ({ stepNumber, initialMessages, responseMessages }) => {
    // The whole transcript, not `messages`: those are what the step before was sent.
    const transcript: ModelMessage[] = [...initialMessages, ...responseMessages];
    const { messages, report } = await compactor.fit(transcript);
    console.log(
      `step ${stepNumber}: transcript ${report.tokens.transcript} tokens, sent ${report.tokens.after} (${report.outcome})`,
    );
    return { messages };
  },
});
console.log(result.text);
