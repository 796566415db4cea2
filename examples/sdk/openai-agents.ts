/** An agent of the OpenAI Agents SDK that never runs out of its window. Run: OPENAI_API_KEY=… node openai-agents.ts */
import { Agent, MemorySession, Runner, tool } from "@openai/agents";
import { precisInputFilter } from "precis/openai-agents";
import { z } from "zod";

// Your tool. This one makes up a file of some 600 tokens.
const read = tool({
  name: "read",
  description: "Reads a file.",
  parameters: z.object({ path: z.string() }),
  execute: async ({ path }) =>
    `// ${path}${path.includes("part-3.") ? ": port 4180 is opened by part-3" : ""}\n${"const a = 1;\n".repeat(120)}`,
});

const agent = new Agent({ name: "Reader", model: "gpt-4o", tools: [read] });
const runner = new Runner({
  callModelInputFilter: precisInputFilter({ window: 8_000 }),
  tracingDisabled: true,
});
const session = new MemorySession(); // Keeps everything.

const task = "Read part-1.ts to part-24.ts: which one opens port 4180? Never touch generated files.";
const result = await runner.run(agent, task, { session, maxTurns: 40 });
console.log(`${result.finalOutput} ${(await session.getItems()).length} items in the session.`);
