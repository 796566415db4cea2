import { expect, it } from "vitest";
import { errorText } from "../shared/events.ts";
import { geminiApi } from "./api.ts";

const chunk = (parts: object[], more: object = {}) => ({
  candidates: [{ content: { role: "model", parts }, ...more }],
});

it("a chunk tells its words, and the last one that the answer has ended: without that a chat would count as broken off", () => {
  expect(geminiApi.readEvent(chunk([{ text: "hm", thought: true }]))).toMatchObject({
    reasoning: "hm",
    isEnd: false,
  });
  expect(geminiApi.readEvent(chunk([{ text: "So." }]))).toMatchObject({ text: "So.", isEnd: false });
  expect(geminiApi.readEvent(chunk([{ text: "" }], { finishReason: "STOP" }))).toMatchObject({ isEnd: true });
  expect(errorText({ error: { code: 503, message: "overloaded" } })).toBe("overloaded");
});
