import { expect, it } from "vitest";
import { validateGemini } from "./gemini.ts";

const MODEL = "gemini-3-flash-preview";
const says = (text: string) => ({ role: "user", parts: [{ text }] });
const calls = (signature?: string) => ({
  role: "model",
  parts: [
    {
      functionCall: { id: "1", name: "read_file", args: {} },
      ...(signature !== undefined && { thoughtSignature: signature }),
    },
  ],
});
const answers = (...more: object[]) => ({
  role: "user",
  parts: [{ functionResponse: { id: "1", name: "read_file", response: { output: "text" } } }, ...more],
});
const accept = (...contents: object[]) => validateGemini({ contents }, MODEL);

it("a call of the turn under way without its signature is refused, as Google does", () => {
  expect(() => accept(says("Read."), calls(), answers())).toThrow("missing a thought_signature");
  expect(() => accept(says("Read."), calls("sig.1"), answers(), calls(), answers())).toThrow("position 4");
  expect(() => accept(says("Read."), calls("sig.1"), answers())).not.toThrow();
});

it("a question right behind the answers of functions begins a turn: calls before it need no signature", () => {
  // What gemini-cli asks about a conversation under way: is it a loop?
  expect(() => accept(says("History:"), calls(), answers(), says("Is this a loop?"))).not.toThrow();
  expect(() => accept(says("Read."), calls(), answers({ text: "Go on." }))).toThrow("thought_signature");
});
