import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../src/apis/chat/read.ts";
import { openaiChat } from "../../src/apis/index.ts";
import { createCompactor, memoryStore } from "../../src/index.ts";

const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
const question = (images: number): ChatMessage => ({
  role: "user",
  content: [{ type: "text", text: "Describe these." }, ...Array.from({ length: images }, () => image)],
});
const rounds = (count: number) =>
  Array.from({ length: count }, (_, i): ChatMessage[] => [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: `c${i}`, type: "function", function: { name: "exif", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: `c${i}`, content: "taken in Oslo" },
  ]).flat();
const system: ChatMessage = { role: "system", content: "You sort photos." };
const shown = (messages: readonly ChatMessage[]) => JSON.stringify(messages).split('"image_url":').length - 1;

describe("a last user message with more images than fit", () => {
  const ask = (transcript: readonly ChatMessage[], size: { window: number } | { budget: number }) =>
    createCompactor({ dialect: openaiChat, ...size }).fit(transcript);

  it("keeps those that fit, and the rounds beside them, and says so", async () => {
    for (const count of [0, 3]) {
      const { messages, report } = await ask([system, question(4), ...rounds(count)], { window: 4096 });
      expect(shown(messages)).toBe(3);
      expect(messages).toHaveLength(2 + 2 * count);
      expect(report.warnings.map(({ code }) => code)).toEqual(["images-left-out"]);
      expect(report.warnings[0]!.message).toMatch(
        /^1 of the 4 images and files in the last user message don't/,
      );
    }
  });

  it("keeps the rounds where no image fits", async () => {
    const { messages, report } = await ask([system, question(1), ...rounds(12)], { budget: 1_000 });
    expect(shown(messages)).toBe(0);
    expect(messages).toHaveLength(2 + 24);
    expect(report.warnings.map(({ code }) => code)).toEqual(["images-left-out"]);
  });

  it("stays as it is while the agent goes on", async () => {
    const compactor = createCompactor({ dialect: openaiChat, window: 4096, store: memoryStore() });
    const transcript = [system, question(4)];
    for (const [index, message] of rounds(5).entries()) {
      const { messages, report } = await compactor.fit(transcript);
      expect([index, shown(messages), messages.length]).toEqual([index, 3, transcript.length]);
      expect(report.warnings.map(({ code }) => code)).toEqual(["images-left-out"]);
      transcript.push(message);
    }
  });
});
