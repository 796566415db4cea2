import { expect, it } from "vitest";
import type { ModelsAnswer } from "../../../src/gateway/api.ts";
import { modelTexts } from "./model-texts.ts";

it("a model that several servers have is there once, and says which of them answers", () => {
  const models = [
    { id: "llama", upstream: "here" },
    { id: "qwen", upstream: "here" },
    { id: "llama", upstream: "there" },
  ];
  expect([...modelTexts({ models, problems: [] } as unknown as ModelsAnswer)]).toEqual([
    ["llama", "llama (here answers)"],
    ["qwen", "qwen"],
  ]);
});
