import { expect, it } from "vitest";
import { messagesIn } from "./message-text.ts";

it("the messages of a request are read in each format, and no call of a tool is lost", () => {
  const call = { id: "c1", type: "function", function: { name: "read", arguments: "{}" } };
  expect(
    messagesIn({
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "Look" },
            { type: "image_url", image_url: {} },
          ],
        },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "c1", content: "done" },
      ],
    }).map(({ role, text }) => [role, text.includes('"read"') ? "call" : text.split("\n")[0]]),
  ).toEqual([
    ["system", "Be brief."],
    ["user", "Look"],
    ["assistant", "call"],
    ["tool", "done"],
  ]);
  expect(messagesIn({ system: [{ type: "text", text: "Be kind." }], messages: [] })).toEqual([
    { role: "system", text: "Be kind." },
  ]);
  expect(
    messagesIn({ instructions: "Hi", input: [{ type: "function_call_output", output: "5" }] })[1],
  ).toEqual({ role: "function_call_output", text: expect.stringContaining('"5"') });
  expect(messagesIn({ contents: [{ role: "model", parts: [{ text: "Yes." }] }] })).toEqual([
    { role: "model", text: "Yes." },
  ]);
  expect(messagesIn("a summary")).toEqual([]);
  expect(messagesIn(null)).toEqual([]);
});
