/** An agent of Mastra that never runs out of its window. Run: OPENAI_API_KEY=… node agent.ts */
import { openai } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { precisProcessor } from "precis/mastra";
import { z } from "zod";
import { readPart } from "../sdk/parts.ts";

const inputSchema = z.object({ path: z.string() });
const read = createTool({
  id: "read",
  description: "Reads a part.",
  inputSchema,
  execute: async (input) => readPart(input),
});
const model = openai.chat("gpt-4o");
const inputProcessors = [precisProcessor({ window: 8_000 })];
const agent = new Agent({
  id: "reader",
  name: "Reader",
  instructions: "You read files.",
  model,
  tools: { read },
  inputProcessors,
});
const { text } = await agent.generate("Read all parts: who opens port 4180? Never touch generated files.", {
  maxSteps: 40,
});
console.log(text);
