import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import type { Replay } from "../../src/eval/replay/simulate.ts";
import type { ReplayTotals } from "../../src/eval/replay/totals.ts";
import { startFakeProvider } from "../../src/testing/index.ts";
import { examReply, houseTalk } from "../support/exam-models.ts";
import { programFile } from "../support/programs.ts";
import { finished, gardenChat, runCli, scratchFolder, startCli } from "./run-cli.ts";

const folder = scratchFolder();
afterAll(folder.remove);
const TURNS = 160;
/** As many turns as two compactions need: for what doesn't depend on how many there are. */
const FEW_TURNS = 80;
const chatFile = folder.path("garden.json");
writeFileSync(chatFile, JSON.stringify(gardenChat(TURNS)));
const shortFile = folder.path("bed.json");
writeFileSync(shortFile, JSON.stringify(gardenChat(FEW_TURNS)));

test("the numbers, as JSON", async () => {
  const { code, stdout, stderr } = await runCli([
    "replay",
    chatFile,
    "--window",
    "4k",
    "--prices",
    "gpt-4o",
    "--json",
  ]);
  expect([code, stderr]).toEqual([0, ""]);
  const result = JSON.parse(stdout) as Replay & { totals: ReplayTotals; window: number };
  const { totals, requests, compactions } = result;
  expect(totals.requests).toBe(TURNS);
  expect(requests).toHaveLength(TURNS);
  expect(totals.compactions).toBe(compactions.length);
  expect(compactions.length).toBeGreaterThan(1);
  expect(totals.largest).toBeLessThanOrEqual(totals.budget);
  expect(totals.sent).toBeLessThan(totals.sentWithout / 2);
  expect(totals.unchanged).toBeGreaterThan(0.8);
  expect(totals.cost?.with.total).toBeLessThan(totals.cost?.without.total ?? 0);
  for (const { at, fates } of compactions) {
    expect(fates[0]?.from).toBe(0);
    expect(fates.at(-1)?.to).toBe(at);
  }
});

test("the same as text: chart, totals, a paragraph per compaction in 80 columns; no colours in a pipe", async () => {
  const args = ["replay", shortFile, "--window", "4k", "--prices", "gpt-4o"];
  const { code, stdout } = await runCli(args, { env: { COLUMNS: "80" } });
  expect(stdout).toContain("names, paths, numbers");
  expect(stdout.replace(/\s+/g, " ")).toContain(
    "--profile desktop suits this conversation better, because it is a chat with few tool calls.",
  );
  expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/ [\d.]+k ┤/);
  expect(stdout).toMatch(/▲/);
  expect(stdout).toMatch(/tokens sent .*−\d+\.\d %, without precis/);
  expect(stdout).toMatch(/cost .*\$.*without precis \$/);
  expect(stdout).toMatch(
    /▲ after message \d+, because the view was [a-z ]+\n {2}Exact lines, no model: [\d.]+k → [\d.]+k? tokens\n {2}kept \d+, shortened \d+, summarised \d+, left out \d+\n/,
  );
  expect(stdout).toContain("Summarise oldest (summarize-oldest)");
  expect(stdout).not.toContain("\u001b");
});

test("colours when forced, but never against NO_COLOR", async () => {
  const args = ["replay", shortFile, "--window", "4k"];
  expect((await runCli(args, { env: { FORCE_COLOR: "1" } })).stdout).toContain("\u001b[32m");
  expect((await runCli(args, { env: { FORCE_COLOR: "1", NO_COLOR: "1" } })).stdout).not.toContain("\u001b");
});

test("no line is wider than a phone's terminal", async () => {
  const { stdout } = await runCli(["replay", shortFile, "--window", "4k", "--prices", "gpt-4o"], {
    env: { COLUMNS: "36" },
  });
  expect(stdout).toMatch(/▲/);
  for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(36);
});

test("another strategy gives another replay; all of it fits", async () => {
  const args = ["replay", shortFile, "--window", "4k", "--strategy", "truncate-oldest", "--json"];
  const { compactions, totals } = JSON.parse((await runCli(args)).stdout) as Replay & {
    totals: ReplayTotals;
  };
  expect(compactions.length).toBeGreaterThan(0);
  expect(compactions.every((compaction) => compaction.written.length === 0)).toBe(true);
  expect(totals.largest).toBeLessThanOrEqual(totals.budget);
});

test("without --window the session's model decides, and without a model it asks", async () => {
  const request = { model: "gpt-4o", messages: gardenChat(3) };
  const known = await runCli(["replay", "-", "--json"], { stdin: JSON.stringify(request) });
  expect((JSON.parse(known.stdout) as { window: number }).window).toBe(128_000);
  const unknown = await runCli(["replay", chatFile]);
  expect([unknown.code, unknown.stderr.includes("replay needs --window")]).toEqual([2, true]);
});

test("a transcript without an answer is no failure", async () => {
  const { code, stdout } = await runCli(
    ["replay", "-", "--window", "4k", "--html", folder.path("empty.html")],
    {
      stdin: JSON.stringify([{ role: "user", content: "Hello" }]),
    },
  );
  expect(code).toBe(0);
  expect(stdout).toContain("no request to replay");
  expect(readFileSync(folder.path("empty.html"), "utf8")).toContain("no request to replay");
});

test("requests that nothing can make fit are told and left out; if that is all of them, it fails", async () => {
  const small = gardenChat(3);
  const huge = { role: "user", content: "compost ".repeat(6_000) };
  const later = [huge, { role: "assistant", content: "Noted." }, ...gardenChat(3).slice(1)];
  const some = await runCli(["replay", "-", "--window", "4k", "--json"], {
    stdin: JSON.stringify([...small, ...later]),
  });
  expect(some.code).toBe(0);
  expect(some.stderr).toMatch(/one request doesn't fit at all .* after message 9: .*last user message/);
  expect((JSON.parse(some.stdout) as { totals: ReplayTotals }).totals.requests).toBe(6);
  const all = await runCli(["replay", "-", "--window", "4k"], { stdin: JSON.stringify(later.slice(0, 2)) });
  expect([all.code, all.stdout]).toEqual([1, ""]);
  expect(all.stderr).toMatch(/Shorten the last user message .* use a larger budget/);
});

test("Ctrl-C while reading: exit 130, no stack, nothing on stdout", async () => {
  const child = startCli(["replay", "-", "--window", "4k"]);
  const result = finished(child);
  // More than a pipe holds: when it is written, the command is running and reading.
  const text = `${JSON.stringify({ role: "user", content: "x".repeat(1_000) })}\n`.repeat(2_000);
  await new Promise((resolve) => child.stdin?.write(text, resolve));
  child.kill("SIGINT");
  expect(await result).toEqual({ code: 130, stdout: "", stderr: "precis: interrupted\n" });
});

/**
 * Makes progress known at once, because each look at the clock is a minute later, and sends Ctrl-C with the first word about a request.
 * From outside the signal might come when a fast machine has replayed all of it.
 */
const CTRL_C_AT_THE_FIRST_REQUEST = `data:text/javascript,${encodeURIComponent(`
  let now = Date.now();
  Date.now = () => (now += 60_000);
  const { write } = process.stderr;
  process.stderr.write = function (text) {
    if (String(text).includes("replaying request")) {
      process.stderr.write = write;
      process.kill(process.pid, "SIGINT");
    }
    return write.apply(process.stderr, arguments);
  };
`)}`;

test("Ctrl-C while replaying stops between two requests", async () => {
  const child = startCli(["replay", chatFile, "--window", "4k"], {
    NODE_OPTIONS: `--import=${CTRL_C_AT_THE_FIRST_REQUEST}`,
  });
  const { code, stdout, stderr } = await finished(child);
  expect([code, stdout]).toEqual([130, ""]);
  expect(stderr).toMatch(/: replaying request 1 of 160 [\s\S]*\nprecis: interrupted\n$/);
  expect(stderr).not.toContain("request 160 of 160");
});

test("a reader that has seen enough is no failure", async () => {
  const script = `"$1" "$2" replay "$3" --window 4k --json | head -c 1 >/dev/null; echo "\${PIPESTATUS[0]}"`;
  const shell = spawn("bash", ["-c", script, "bash", process.execPath, programFile("precis"), shortFile]);
  const { stdout, stderr } = await finished(shell);
  expect([stdout.trim(), stderr]).toEqual(["0", ""]);
});

test("a judge says what readers of each strategy's view know, after its cost was told; nothing is asked without --yes", async () => {
  const provider = await startFakeProvider({ reply: ({ lastUser }) => ({ text: examReply(lastUser) }) });
  const scratch = scratchFolder();
  try {
    const file = scratch.path("houses.json");
    writeFileSync(file, JSON.stringify(houseTalk(70)));
    const judge = ["--judge", `gpt-4o-mini@${provider.url}/v1`];
    const args = ["replay", file, "--window", "2k", "--prices", "gpt-4o-mini", ...judge];
    const unasked = await runCli(args);
    expect([unasked.code, provider.requests.length]).toEqual([2, 0]);
    expect(unasked.stderr).toMatch(/writer +gpt-4o-mini: 1 request/);
    const { strategies } = JSON.parse((await runCli([...args, "--yes", "--json"])).stdout) as {
      strategies: { strategy: string; knows?: number }[];
    };
    expect(strategies.filter(({ knows }) => knows !== undefined)).toHaveLength(7);
    // What a reader of the view can still read, it knows.
    expect(strategies.some(({ knows = 0 }) => knows > 0)).toBe(true);
    expect((await runCli(["replay", file, "--window", "2k", ...judge])).stderr).toContain("needs --prices");
  } finally {
    await provider.close();
    scratch.remove();
  }
});

/** As ARCHITECTURE.md rounds tokens. */
const rounded = (tokens: number): string => (Math.round(tokens / 100) * 100).toLocaleString("en");

test("the life of a message in ARCHITECTURE.md is what a replay of the example shows", async () => {
  const { stdout } = await runCli(["replay", "examples/coding-session.jsonl", "--window", "32k", "--json"]);
  const { requests, budget } = JSON.parse(stdout) as Replay;
  const rows = requests.flatMap((row, index) =>
    row.compaction === undefined ? [] : [{ ...row, n: index + 1 }],
  );
  const column = (of: (row: (typeof rows)[number]) => number) =>
    rows
      .slice(1)
      .map((row) => rounded(of(row)))
      .join(" · ");
  const [first] = rows;
  const page = readFileSync("ARCHITECTURE.md", "utf8");
  const before = rows.map((row) => row.pressure.before * (budget?.budget ?? 0));
  expect(page).toContain(
    `| ${first?.n} | ${rounded(first?.full ?? 0)} | ${rounded(before[0] ?? 0)} | ${rounded(first?.tokens ?? 0)} |`,
  );
  expect(page).toContain(
    `| ${rows
      .slice(1)
      .map(({ n }) => n)
      .join(
        ", ",
      )} | ${column((row) => row.full)} | ${before.slice(1).map(rounded).join(" · ")} | ${column((row) => row.tokens)} |`,
  );
  const last = requests.at(-1);
  expect(page).toContain(
    `| ${requests.length} | ${rounded(last?.full ?? 0)} | the fourth checkpoint + what is newer | ${rounded(last?.tokens ?? 0)} |`,
  );
});
