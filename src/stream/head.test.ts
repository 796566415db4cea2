import { expect, test } from "vitest";
import { createHead } from "./core.ts";

const marker = "Task knowledge:";

test("system ⊕ summary ⊕ knowledge, with one blank between; each part may be missing", () => {
  const head = createHead({ systemPrompt: "You help. ", knowledge: "1. a 2. b", marker });
  expect(head.text()).toBe("You help. 1. a 2. b");
  expect(head.text("So far: a.")).toBe("You help. So far: a. 1. a 2. b");
  expect(createHead({ marker }).text()).toBe("");
  expect(createHead({ marker }).text("So far: a.")).toBe("So far: a.");
});

test("options win over turns", () => {
  const head = createHead({ systemPrompt: "Mine.", marker });
  head.note("Theirs. Task knowledge: x");
  expect(head.text()).toBe("Mine. Task knowledge: x");
});

test("another stream learns anew", () => {
  const head = createHead({ marker });
  head.note("First.");
  head.clear();
  head.note("Second.");
  expect(head.text()).toBe("Second.");
});
