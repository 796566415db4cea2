import fc from "fast-check";
import { describe, expect, it, test, vi } from "vitest";
import { modelInfo } from "./model-info.ts";
import { REGISTRY } from "./registry.ts";

const NAMES = Object.keys(REGISTRY);

test("every listed model is found by its own name, with its own data", () => {
  for (const name of NAMES) expect(modelInfo(name)).toEqual({ ...REGISTRY[name], id: name, known: true });
});

test("provider, date and variant don't hide a model", () => {
  const provider = fc.constantFrom(
    "",
    "openai/",
    "anthropic/",
    "models/",
    "openrouter/vendor/",
    "accounts/x/models/",
  );
  const date = fc.constantFrom("", "-20250929", "-2025-09-29", "-latest");
  const variant = fc.constantFrom("", ":free", "@20250929", ":thinking", "@latest");
  fc.assert(
    fc.property(provider, fc.constantFrom(...NAMES), date, variant, (before, name, after, tag) => {
      const id = before + name + after + tag;
      expect(modelInfo(id)).toEqual({ ...REGISTRY[name], id, known: true });
      expect(modelInfo(id.toUpperCase()).window).toBe(REGISTRY[name]?.window);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ["anthropic/claude-opus-4.5", "claude-opus-4-5"],
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"],
  ["claude-sonnet-4-5@20250929", "claude-sonnet-4-5"],
  ["claude-opus-4-20250514", "claude-opus-4"],
  ["meta-llama/Llama-3.1-8B-Instruct", "llama-3.1"],
  ["meta.llama3-1-70b-instruct-v1:0", "llama-3.1"],
  ["llama3.1:8b", "llama-3.1"],
  ["llama3:8b", "llama-3"],
  ["Qwen/Qwen2.5-Coder-32B-Instruct", "qwen2.5"],
  ["gpt-oss:20b", "gpt-oss"],
  ["moonshotai/kimi-k2", "kimi-k2"],
  ["kimi-k2-0905-preview", "kimi-k2-0905"],
  ["kimi-k2.7-code-highspeed", "kimi-k2.7"],
  ["z-ai/glm-4.6", "glm-4.6"],
  ["zai.glm-4.7", "glm-4.7"],
  ["glm-5.1", "glm-5"],
  ["x-ai/grok-4-0709", "grok-4"],
  ["xai.grok-4-fast-reasoning", "grok-4-fast"],
  ["gpt-4-0613", "gpt-4"],
  ["MiniMax-M2.5", "minimax-m2"],
  ["minimax/MiniMax-M2.7-highspeed", "minimax-m2"],
  ["grok-code-fast-1", "grok-code-fast"],
  ["gpt-daybreak-blue-latest", "gpt-daybreak"],
  ["google/gemma-3-27b-it", "gemma-3"],
  ["gemma3:12b", "gemma-3"],
  ["command-a-03-2025", "command-a"],
  ["cohere-command-r-plus-08-2024", "command-r"],
  ["us.amazon.nova-pro-v1:0", "nova-pro"],
  ["kimi-latest", "kimi"],
  ["glm-4.6v-flash", "glm-4.6v"],
  ["qwen-plus-2025-07-28", "qwen-plus"],
  ["ministral-8b-2512", "ministral"],
  ["gpt-4-turbo-2024-04-09", "gpt-4-turbo"],
  ["gpt-4o-mini-2024-07-18", "gpt-4o-mini"],
  ["models/gemini-3-pro-preview", "gemini-3-pro"],
  ["gpt-5.6-sol-2026-07-09", "gpt-5.6-sol"],
])("%s is %s", (id, name) => {
  const { window, encoding, factor, images } = modelInfo(id);
  expect({ window, encoding, factor, images }).toEqual({
    window: REGISTRY[name]?.window,
    encoding: REGISTRY[name]?.encoding,
    factor: REGISTRY[name]?.factor,
    images: REGISTRY[name]?.images,
  });
});

test("a member of a family that isn't listed has the family's window but not its prices", () => {
  expect(REGISTRY["gpt-5"]?.prices).toBeDefined();
  for (const id of ["gpt-5.9", "gpt-5-pro", "gpt-5-some-new-variant"]) {
    expect(modelInfo(id).known).toBe(true);
    expect(modelInfo(id).window).toBe(REGISTRY["gpt-5"]?.window);
    expect(modelInfo(id).prices).toBeUndefined();
  }
  expect(modelInfo("claude-opus-9").window).toBe(200_000);
});

test("a fine-tuned model has its base's window, but not its prices", () => {
  for (const id of [
    "ft:gpt-4o-mini-2024-07-18:org::abc",
    "ft:gpt-4o-mini:org/team:name:id",
    "openai/ft:GPT-4o-mini",
  ]) {
    const { prices, ...base } = REGISTRY["gpt-4o-mini"]!;
    expect(prices).toBeDefined();
    expect(modelInfo(id)).toEqual({ ...base, id, known: true });
  }
  expect(modelInfo("ft:gpt-4.1-custom:org").window).toBe(REGISTRY["gpt-4.1"]?.window);
  expect(modelInfo("ft:my-model:org").known).toBe(false);
});

test("a longer name wins over a shorter one", () => {
  expect(modelInfo("gpt-4.1-mini-custom").images).toBe("openai-patch");
  expect(modelInfo("gpt-4-turbo-custom").window).toBe(128_000);
});

test.each(["", "my-model", "constructor", "__proto__", "gpt-50", "gpt4", "o30"])(
  "%j is unknown: 8,192 tokens",
  (id) => {
    expect(modelInfo(id)).toMatchObject({ id, window: 8_192, known: false });
  },
);

test("[1m] asks for the long window of a Claude", () => {
  expect(modelInfo("claude-sonnet-4-5[1m]").window).toBe(1_000_000);
});

describe("overrides win", () => {
  test("by the id as given and by the bare id", () => {
    const overrides = { "gpt-4o": { window: 64_000 }, "local/thing:7b": { window: 16_000 } };
    expect(modelInfo("gpt-4o", overrides).window).toBe(64_000);
    expect(modelInfo("openai/gpt-4o-2024-11-20", overrides).window).toBe(64_000);
    expect(modelInfo("local/thing:7b", overrides)).toMatchObject({ window: 16_000, known: true });
  });

  test("what they don't say stays", () => {
    const plain = modelInfo("gpt-4o");
    expect(modelInfo("gpt-4o", { "gpt-4o": { factor: 1.2 } })).toEqual({ ...plain, factor: 1.2 });
  });

  test("one without a window doesn't make an unknown model known", () => {
    expect(modelInfo("thing", { thing: { factor: 1.2 } })).toMatchObject({ known: false, factor: 1.2 });
  });

  test("other models' don't matter", () => {
    expect(modelInfo("gpt-4o", { "gpt-4o-mini": { window: 1 } })).toEqual(modelInfo("gpt-4o"));
  });
});

test("the data is plausible", () => {
  for (const [name, entry] of Object.entries(REGISTRY)) {
    expect(entry.window, name).toBeGreaterThanOrEqual(8_192);
    expect(entry.factor, name).toBeGreaterThanOrEqual(1);
    expect(entry.factor, name).toBeLessThan(2);
    expect(name, "names are lower case").toBe(name.toLowerCase());
    if (!entry.prices) continue;
    const { input, cacheRead, cacheWrite, output } = entry.prices;
    expect(cacheRead, name).toBeLessThanOrEqual(input);
    expect(cacheWrite, name).toBeGreaterThanOrEqual(input);
    expect(output, name).toBeGreaterThan(input);
  }
});

it.each(["-v1", "-it", "-exp", "-123", "a.", "ft:", "[1m]", "/", ":", " ", "-"])(
  "an id of many %j takes no more steps than a short one",
  (piece) => {
    const replace = vi.spyOn(String.prototype, "slice");
    const info = modelInfo(`x${piece.repeat(8_000)}`);
    expect(replace.mock.calls.length).toBeLessThan(100);
    replace.mockRestore();
    expect(info).toMatchObject({ known: false, window: 8_192 });
  },
);

it("an id that is longer than any can still be told its window", () => {
  const id = "x-v1".repeat(1_000);
  expect(modelInfo(id, { [id]: { window: 32_768 } })).toMatchObject({ known: true, window: 32_768, id });
});

it("takes off several qualifiers", () => {
  expect(modelInfo("gpt-4o-2024-11-20-preview-latest").window).toBe(128_000);
});
