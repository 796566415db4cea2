/** An agent of LangChain whose state stays whole. Run: OPENAI_API_KEY=… node langchain.ts */
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, HumanMessage, tool } from "langchain";
import { precisMiddleware } from "precis/langchain";
import { z } from "zod";

// Your tool. This one makes up a file of some 600 tokens.
const read = tool(
  async ({ path }) =>
    `// ${path}${path.includes("part-3.") ? ": port 4180 is opened by part-3" : ""}\n${"const a = 1;\n".repeat(120)}`,
  { name: "read", description: "Reads a file.", schema: z.object({ path: z.string() }) },
);

const agent = createAgent({
  model: new ChatOpenAI({ model: "gpt-4o" }),
  tools: [read],
  middleware: [precisMiddleware({ window: 8_000, trigger: { fraction: 0.8 }, keep: { messages: 6 } })],
  checkpointer: new MemorySaver(),
});

const task = "Read part-1.ts to part-24.ts: which one opens port 4180? Never touch generated files.";
const { messages } = await agent.invoke(
  { messages: [new HumanMessage(task)] },
  { recursionLimit: 200, configurable: { thread_id: "1" } },
);
console.log(`${messages.at(-1)?.text} ${messages.length} messages in the state.`);
