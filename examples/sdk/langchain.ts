/** An agent of LangChain whose state stays whole. Run: OPENAI_API_KEY=… node langchain.ts */
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, HumanMessage, tool } from "langchain";
import { precisMiddleware } from "precis/langchain";
import { z } from "zod";
import { readPart } from "./parts.ts";

const middleware = [precisMiddleware({ window: 8_000, trigger: { fraction: 0.8 }, keep: { messages: 6 } })];
const read = tool(readPart, {
  name: "read",
  description: "Reads a part.",
  schema: z.object({ path: z.string() }),
});
const model = new ChatOpenAI({ model: "gpt-4o" });
const agent = createAgent({ model, tools: [read], middleware, checkpointer: new MemorySaver() });
const task = {
  messages: [new HumanMessage("Read all parts: who opens port 4180? Never touch generated files.")],
};
const { messages } = await agent.invoke(task, { recursionLimit: 200, configurable: { thread_id: "1" } });
console.log(`${messages.at(-1)?.text} ${messages.length} messages in the state.`);
