/** An agent of Mastra that never runs out of its window. Run: OPENAI_API_KEY=… node agent.ts */
import { openai } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { precisProcessor } from "precis/mastra";
import { z } from "zod";

// Your tool. This one makes up a file of some 600 tokens.
const read = createTool({
  id: "read",
  description: "Reads a file.",
  inputSchema: z.object({ path: z.string() }),
  execute: async ({ path }) =>
    `// ${path}${path.includes("part-3.") ? ": port 4180 is opened by part-3" : ""}\n${"const a = 1;\n".repeat(120)}`,
});

const agent = new Agent({
  id: "reader",
  name: "Reader",
  instructions: "You read files.",
  model: openai.chat("gpt-4o"),
  tools: { read },
  inputProcessors: [precisProcessor({ window: 8_000 })],
});

const task = "Read part-1.ts to part-24.ts: which one opens port 4180? Never touch generated files.";
const { text } = await agent.generate(task, { maxSteps: 40 });
console.log(text);
