import { expect, test } from "vitest";
import { chatApi } from "./api.ts";

test("what DeepSeek read from its cache isn't charged as new", () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 5,
    prompt_cache_hit_tokens: 64,
    prompt_cache_miss_tokens: 36,
  };
  expect(chatApi.readAnswer({ choices: [], usage }).usage).toEqual({ input: 100, output: 5, cacheRead: 64 });
});
