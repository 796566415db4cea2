import { expect, it } from "vitest";
import { assembleChat } from "./api.ts";

const delta = (fields: object) => ({ choices: [{ index: 0, delta: fields }] });

it("what a provider wants back with its calls isn't lost in a stream", () => {
  const signature = { extra_content: { google: { thought_signature: "abc" } } };
  expect(
    assembleChat([
      delta({ role: "assistant", content: "" }),
      delta({ reasoning: "One ", reasoning_details: [{ type: "reasoning.text", index: 0, text: "One " }] }),
      delta({ reasoning: "two.", reasoning_details: [{ type: "reasoning.text", index: 0, text: "two." }] }),
      delta({ reasoning_details: [{ type: "reasoning.encrypted", index: 0, data: "xyz" }] }),
      delta({ tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: "" }, ...signature }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: "{}" } }] }),
    ]),
  ).toEqual({
    role: "assistant",
    content: null,
    reasoning: "One two.",
    reasoning_details: [
      { type: "reasoning.text", index: 0, text: "One two." },
      { type: "reasoning.encrypted", index: 0, data: "xyz" },
    ],
    tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" }, ...signature }],
  });
});

it("a signed thought that comes in pieces keeps its signature", () => {
  expect(
    assembleChat([
      delta({ thinking_blocks: [{ type: "thinking", thinking: "One " }] }),
      delta({ thinking_blocks: [{ type: "thinking", thinking: "two." }] }),
      delta({ thinking_blocks: [{ type: "thinking", thinking: "", signature: "sig" }] }),
      delta({ content: "Done." }),
    ]),
  ).toEqual({
    role: "assistant",
    content: "Done.",
    thinking_blocks: [{ type: "thinking", thinking: "One two.", signature: "sig" }],
  });
});
