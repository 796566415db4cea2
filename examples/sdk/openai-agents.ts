/** An agent of the OpenAI Agents SDK that never runs out of its window. Run: OPENAI_API_KEY=… node openai-agents.ts */
import { Agent, MemorySession, Runner, tool } from "@openai/agents";
import { precisInputFilter } from "precis/openai-agents";
import { z } from "zod";
import { readPart } from "./parts.ts";

const parameters = z.object({ path: z.string() });
const read = tool({
  name: "read",
  description: "Reads a part.",
  parameters,
  execute: async (input) => readPart(input),
});
const agent = new Agent({ name: "Reader", model: "gpt-4o", tools: [read] });
const runner = new Runner({
  callModelInputFilter: precisInputFilter({ window: 8_000 }),
  tracingDisabled: true,
});
const session = new MemorySession(); // Keeps everything.
const result = await runner.run(agent, "Read all parts: who opens port 4180? Never touch generated files.", {
  session,
  maxTurns: 40,
});
console.log(`${result.finalOutput} ${(await session.getItems()).length} items in the session.`);
