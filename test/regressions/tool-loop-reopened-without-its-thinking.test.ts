/**
 * A view that hides the newest answer and ends with a pinned round has the model go on in that round. Anthropic refuses it with thinking
 * switched on, because its signed thinking is gone.
 */
import { expect, it } from "vitest";
import { type AnthropicMessage, anthropicMessages } from "../../src/dialects/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";

it("a view that ends with a round of an answered turn says that thinking must be off", async () => {
  const talk = Array.from({ length: 20 }, (_, n) => ({
    role: n % 2 === 0 ? "user" : "assistant",
    content: `Part ${n}: ${"and more words about the garden ".repeat(20)}`,
  }));
  const transcript = [
    ...talk,
    { role: "user", content: "Look at the bed." },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "I must look.", signature: "s" },
        { type: "tool_use", id: "t1", name: "look", input: {} },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "Leeks." }] },
    { role: "assistant", content: "There are leeks in it." },
  ] as AnthropicMessage[];
  const compactor = createCompactor({ dialect: anthropicMessages, budget: 600, strategy: "drop-all" });
  const { messages, report } = await compactor.fit(transcript, { pins: [transcript.length - 2] });
  expect(JSON.stringify(messages.at(-1))).toContain("tool_result");
  expect(JSON.stringify(messages)).not.toContain("I must look.");
  expect(report.warnings.map(({ code }) => code)).toContain("thinking-off");
});
