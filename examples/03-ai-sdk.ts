/** An agent of the AI SDK whose every step fits its window. The model is a mock: no key, no network. Run: node examples/03-ai-sdk.ts */

import { readFileSync } from "node:fs";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { profiles } from "precis";
import { precisPrepareStep } from "precis/ai-sdk";

// Stands for your model: reads twelve files, one after the other, then answers.
const files = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];
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
  execute: ({ path }) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8"),
});

const tools = { read };
const result = await generateText({
  model,
  tools,
  stopWhen: stepCountIs(20),
  prompt: "Read the files in examples/make. Never change one of them.",
  prepareStep: precisPrepareStep({
    window: 12_000,
    profile: profiles.agent,
    tools, // They take their part of the window.
    onView: ({ report: { tokens, outcome } }) =>
      console.log(`transcript ${tokens.transcript} tokens, sent ${tokens.after} (${outcome})`),
  }),
});
console.log(result.text);
