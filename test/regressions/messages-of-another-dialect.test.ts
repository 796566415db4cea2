import { describe, expect, it } from "vitest";
import { TranscriptError } from "../../src/core/errors.ts";
import { createCompactor } from "../../src/index.ts";
import { dialectOf } from "../support/dialects.ts";

/** Messages that only their own format has, one by one; each is a whole transcript for another dialect. */
const SAMPLES: Readonly<Record<string, readonly object[]>> = {
  "openai-chat": [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c", content: "done" },
    { role: "user", content: [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }] },
  ],
  "openai-responses": [
    { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
    { type: "function_call_output", call_id: "c", output: "done" },
    { type: "reasoning", id: "rs_1", summary: [] },
    { type: "message", role: "user", content: [{ type: "input_text", text: "Hello." }] },
    { role: "user", content: [{ type: "input_image", image_url: "data:image/png;base64,AAAA" }] },
  ],
  "anthropic-messages": [
    { role: "assistant", content: [{ type: "tool_use", id: "c", name: "f", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "done" }] },
    {
      role: "user",
      content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }],
    },
  ],
  "ai-sdk": [
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "f", input: {} }] },
    {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "c", toolName: "f", output: { type: "text", value: "done" } },
      ],
    },
  ],
};

const PAIRS = Object.keys(SAMPLES).flatMap((of) =>
  Object.keys(SAMPLES)
    .filter((given) => given !== of)
    .map((given) => ({ of, given })),
);

describe.each(PAIRS)("messages of $of for the dialect $given", ({ of, given }) => {
  it.each(SAMPLES[of]!.map((message) => ({ message })))(
    "are refused, and the right one is named: $message",
    ({ message }) => {
      const read = () => dialectOf(given).read(message);
      expect(read).toThrow(TranscriptError);
      expect(read).toThrow(`\`${of}\``);
    },
  );
});

describe.each(Object.keys(SAMPLES))("%s", (id) => {
  it("refuses messages of the AI SDK's interface instead of counting 100,000 tokens as nothing", async () => {
    const text = "We looked at this and that once more. ".repeat(50);
    const message = { id: "ui-1", role: "user", parts: [{ type: "text", text }], createdAt: 123 };
    const compactor = createCompactor({ dialect: dialectOf(id), budget: 4_000 });
    await expect(compactor.fit([message])).rejects.toThrow(/convertToModelMessages/);
    await expect(compactor.fit([message])).rejects.toBeInstanceOf(TranscriptError);
    await compactor.close();
  });

  it.each(["user", "assistant"])("refuses a message of the %s without content", (role) => {
    expect(() => dialectOf(id).read({ role })).toThrow(TranscriptError);
  });
});

it("an assistant's message may consist of its calls, its refusal or its reasoning alone", () => {
  const chat = dialectOf("openai-chat");
  const calls = [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }];
  for (const fields of [{ tool_calls: calls }, { refusal: "No." }, { reasoning_content: "Hm." }])
    expect(chat.read({ role: "assistant", ...fields }).parts).toHaveLength(1);
});
