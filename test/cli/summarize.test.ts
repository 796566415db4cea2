import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, afterEach, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/index.ts";
import { heedfulReply } from "../summaries/heedful-reply.ts";
import { answerMailbox } from "../support/answer-mailbox.ts";
import { gardenChat, runCli, scratchFolder } from "./run-cli.ts";

const scratch = scratchFolder();
afterAll(scratch.remove);
const file = scratch.path("garden.json");
writeFileSync(file, JSON.stringify(gardenChat(60)));

let provider: FakeProvider | undefined;
afterEach(async () => {
  await provider?.close();
  provider = undefined;
});

it("without a model: the user's words and the lines that matter, within the cap", async () => {
  const { code, stdout, stderr } = await runCli(["summarize", file, "--cap", "300", "--json"]);
  expect([code, stderr]).toEqual([0, ""]);
  const { text, tokens, report } = JSON.parse(stdout);
  expect(text).toContain("Bed ");
  expect(tokens).toBeLessThanOrEqual(300);
  expect(report.rungs[0].rung).toBe("extractive");
  const plain = await runCli(["summarize", file, "--cap", "300"]);
  expect(plain.stdout).toBe(`${text}\n`);
});

it("takes the shortest cap that the library takes", async () => {
  const { code, stderr, stdout } = await runCli(["summarize", file, "--cap", "50", "--json"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(JSON.parse(stdout).tokens).toBeLessThanOrEqual(50);
});

it("says why a summary of a few words is empty", async () => {
  const short = scratch.path("short.json");
  writeFileSync(
    short,
    JSON.stringify([
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello." },
    ]),
  );
  const { code, stdout, stderr } = await runCli(["summarize", short]);
  expect([code, stdout.trim()]).toEqual([0, ""]);
  expect(stderr).toContain("hardly anything to summarise");
});

it.each([["summarize"], ["handover", "--goal", "go on"]])(
  "%s of a file in which nobody says anything is refused",
  async (command, ...flags) => {
    const empty = scratch.path("empty.json");
    writeFileSync(empty, JSON.stringify([{ role: "system", content: "You help." }]));
    const { code, stdout, stderr } = await runCli([command, empty, ...flags]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("has no messages");
  },
);

it("with a model: it is asked once, with focus and length, and what it says is printed", async () => {
  provider = await startFakeProvider({ reply: heedfulReply({ when: () => true }), apiKey: "secret-key" });
  const out = scratch.path("summary.md");
  const { code, stdout, stderr } = await runCli(
    [
      "summarize",
      file,
      "--model",
      "gpt-4o",
      "--base-url",
      `${provider.url}/v1`,
      "--key-env",
      "MY_KEY",
      "--focus",
      "the potatoes",
      "--out",
      out,
    ],
    { env: { MY_KEY: "secret-key" } },
  );
  expect([code, stdout]).toEqual([0, ""]);
  expect(stderr).toMatch(/wrote .*summary\.md/);
  expect(readFileSync(out, "utf8")).toMatch(/^The conversation began with/);
  expect(provider.requests[0]?.lastUser).toContain("the potatoes");
});

it("a model that fails is told of, and there is a summary all the same", async () => {
  provider = await startFakeProvider({ faults: () => "unauthorized" });
  const { code, stdout, stderr } = await runCli([
    "summarize",
    file,
    "--model",
    "m",
    "--base-url",
    `${provider.url}/v1`,
  ]);
  expect(code).toBe(0);
  expect(stderr).toMatch(/401[\s\S]*made without the model/);
  expect(stdout).toContain("Bed ");
});

it("bad usage is told with the fix", async () => {
  const key = await runCli(["summarize", file, "--model", "gpt-4o"]);
  expect(key.code).toBe(2);
  expect(key.stderr).toContain("OPENAI_API_KEY isn't set");
  const model = await runCli(["summarize", file, "--base-url", "http://localhost:1/v1"]);
  expect(model.code).toBe(2);
  expect(model.stderr).toContain("needs --model");
  const api = await runCli(["summarize", file, "--model", "m", "--api", "soap"]);
  expect(api.code).toBe(2);
});

it("a mailbox is a model: whoever writes the reply file wrote the summary", async () => {
  const dir = scratch.path("letters");
  const said =
    "The conversation began with Bed 1, which was planted with beans, and went on from bed to bed.";
  const clerk = answerMailbox(dir, () => said);
  const { code, stdout, stderr } = await runCli(["summarize", file, "--model", `mailbox:${dir}`]);
  clerk.stop();
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("went on from bed to bed");
  expect(JSON.stringify(clerk.requests[0])).toContain("Bed ");
});

it("the shortest cap is the one that the help and the reference tell", async () => {
  const told = /--cap N .*at least (\d+)/.exec((await runCli(["summarize", "--help"])).stdout)?.[1];
  const reference = readFileSync(new URL("../../docs/reference/cli.md", import.meta.url), "utf8");
  expect(/`--cap N` .*at least (\d+)/.exec(reference)?.[1]).toBe(told);
  const { code, stderr } = await runCli(["summarize", "x.jsonl", "--cap", String(Number(told) - 1)]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`Give a whole number of at least ${told},`)]);
});
