import { expect, it } from "vitest";
import { geminiWire } from "./gemini-wire.ts";

const chunk = (parts: object[], more: object = {}) => ({
  candidates: [{ content: { role: "model", parts }, ...more }],
});

it("a chunk tells its words, and the last one that the answer has ended: without that a chat would count as broken off", () => {
  expect(geminiWire.delta(chunk([{ text: "hm", thought: true }]))).toMatchObject({
    reasoning: "hm",
    isEnd: false,
  });
  expect(geminiWire.delta(chunk([{ text: "So." }]))).toMatchObject({ text: "So.", isEnd: false });
  expect(geminiWire.delta(chunk([{ text: "" }], { finishReason: "STOP" }))).toMatchObject({ isEnd: true });
  expect(geminiWire.delta({ error: { code: 503, message: "overloaded" } })).toMatchObject({
    error: "overloaded",
  });
});
