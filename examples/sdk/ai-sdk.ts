/** An agent of the AI SDK that never runs out of its window. Run: OPENAI_API_KEY=… node ai-sdk.ts */
import { openai } from "@ai-sdk/openai";
import { generateText, stepCountIs, tool, wrapLanguageModel } from "ai";
import { precisMiddleware } from "precis/ai-sdk";
import { z } from "zod";

const model = wrapLanguageModel({
  model: openai("gpt-4o"),
  middleware: precisMiddleware({ window: 8_000 }),
});

// Your tool. This one makes up a file of some 600 tokens.
const read = tool({
  description: "Reads a file.",
  inputSchema: z.object({ path: z.string() }),
  execute: async ({ path }) =>
    `// ${path}${path.includes("part-3.") ? ": port 4180 is opened by part-3" : ""}\n${"const a = 1;\n".repeat(120)}`,
});

const { text } = await generateText({
  model,
  tools: { read },
  stopWhen: stepCountIs(40),
  prompt: "Read part-1.ts to part-24.ts: which one opens port 4180? Never touch generated files.",
});
console.log(text);
