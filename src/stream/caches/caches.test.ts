import type { Model } from "../../core/types.ts";
import { describeKvCache } from "../../testing/kv-cache-contract.ts";
import { charsCounter, createMeasure } from "../../tokens/index.ts";
import { countingCache } from "./counting-cache.ts";
import { prompt } from "./prompt.ts";

const counter = charsCounter();
const model: Model = {
  id: "stub",
  complete: async () => ({ text: "Now the chain.", stop: "end", usage: { input: 0 } }),
};

describeKvCache({
  name: "counting",
  open: async () => countingCache({ counter, answer: () => "Now the chain." }),
});
describeKvCache({
  name: "prompt",
  open: async () => prompt({ model, measure: createMeasure({ counter }) }),
  keeps: "items",
});
