import { expect, test } from "vitest";
import { reasoningAllowance, refusesTemperature, wantsCompletionTokens } from "./model-traits.ts";

test.each([
  "o1",
  "o3-mini",
  "o4-mini-2025-04-16",
  "gpt-5",
  "openai/gpt-5.2-codex",
  "gpt-6",
  "codex-mini-latest",
])("%s takes no temperature and another cap", (model) => {
  expect(refusesTemperature(model)).toBe(true);
  expect(wantsCompletionTokens(model)).toBe(true);
  expect(reasoningAllowance(model, 200_000)).toBe(8_192);
});

test.each(["claude-opus-4-7", "anthropic/claude-sonnet-5", "us.anthropic.claude-opus-5-20260801-v1:0"])(
  "%s takes no temperature",
  (model) => expect(refusesTemperature(model)).toBe(true),
);

test.each([
  "gpt-4o",
  "gpt-4.1-mini",
  "gpt-5-chat-latest",
  "claude-sonnet-4-5",
  "claude-opus-4-1",
  "llama3.3",
  "ollama",
])("%s is asked in the ordinary way", (model) => {
  expect(refusesTemperature(model)).toBe(false);
  expect(wantsCompletionTokens(model)).toBe(false);
  expect(reasoningAllowance(model, 200_000)).toBe(0);
});

test("reasoning doesn't eat a small window", () => {
  expect(reasoningAllowance("qwen3:8b", 8_192)).toBe(1_024);
});
