import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { oldNode } from "./io.ts";

it.each(["v20.20.2", "v22.12.0", "v18.0.0"])("%s is too old, and is told so", (version) => {
  expect(oldNode(version)).toContain(`Node 22.13 or later, and this is ${version}`);
});

it.each(["v22.13.0", "v24.0.0", "v26.1.0-nightly"])("%s will do", (version) => {
  expect(oldNode(version)).toBeUndefined();
});

it("asks for what package.json asks for", () => {
  const { engines } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(engines.node).toBe(">=22.13");
});
