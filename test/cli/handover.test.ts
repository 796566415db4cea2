import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { gardenChat, runCli, scratchFolder } from "./run-cli.ts";

const scratch = scratchFolder();
afterAll(scratch.remove);
const file = scratch.path("garden.json");
writeFileSync(file, JSON.stringify(gardenChat(60)));

it("the start of a fresh session goes to stdout, or to a file", async () => {
  const goal = ["--goal", "plan the rye of bed 3"];
  const { code, stdout, stderr } = await runCli(["handover", file, ...goal, "--cap", "400"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^# Hand-over\n\n\*\*Goal:\*\* plan the rye of bed 3\n/);
  expect(stdout).toContain("For bed 3 take rye in week 33.");
  const out = scratch.path("start.md");
  const written = await runCli(["handover", file, ...goal, "--cap", "400", "--out", out]);
  expect(written.stdout).toBe("");
  expect(readFileSync(out, "utf8")).toBe(stdout);
  const { text, tokens } = JSON.parse((await runCli(["handover", file, ...goal, "--json"])).stdout);
  expect(tokens).toBeLessThanOrEqual(2_500);
  expect(text).toContain("plan the rye");
});

it("without a goal nothing is written", async () => {
  const { code, stdout, stderr } = await runCli(["handover", file]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("--goal TEXT");
});
