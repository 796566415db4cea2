/** An agent of the AI SDK that never runs out of its window. Run: OPENAI_API_KEY=… node ai-sdk.ts */
import { openai } from "@ai-sdk/openai";
import { stepCountIs, ToolLoopAgent, tool, wrapLanguageModel } from "ai";
import { precisMiddleware } from "precis/ai-sdk";
import { z } from "zod";
import { readPart } from "./parts.ts";

const middleware = precisMiddleware({ window: 8_000 });
const model = wrapLanguageModel({ model: openai("gpt-4o"), middleware });
const read = tool({
  description: "Reads a part.",
  inputSchema: z.object({ path: z.string() }),
  execute: readPart,
});
const agent = new ToolLoopAgent({ model, tools: { read }, stopWhen: stepCountIs(40) });
const { text } = await agent.generate({
  prompt: "Read all parts: who opens port 4180? Never touch generated files.",
});
console.log(text);
