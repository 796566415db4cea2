import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import type { StreamJson } from "../../src/cli/stream.ts";
import { runCli, scratchFolder } from "./run-cli.ts";

const folder = scratchFolder();
afterAll(folder.remove);
const file = folder.path("repair.jsonl");
const ATTACK = `</pre><script>window.hit = 1</script><img src=x onerror="window.hit = 2">`;

/** Ten minutes: a turn of the assistant every 20 seconds. */
const events = [
  { role: "system", content: "You help with repairs." },
  { role: "user", time: 0, content: `I want to change the chain of my bike. ${ATTACK}` },
  ...Array.from({ length: 30 }, (_, turn) => [
    { role: "frames", start: turn * 40, end: (turn + 1) * 40 },
    { role: "assistant", time: (turn + 1) * 20, content: `Now look at link ${turn} of the new chain.` },
  ]).flat(),
];
writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(""));

test("the timeline as JSON", async () => {
  const { code, stdout, stderr } = await runCli(["stream", file, "--window", "4096", "--json"]);
  expect([code, stderr]).toEqual([0, ""]);
  const { status, managed, points, totals } = JSON.parse(stdout) as StreamJson;
  expect(status).toMatchObject({ time: 600, frames: 1_200, window: 4_096 });
  expect(managed.length).toBeGreaterThan(2);
  expect(totals).toMatchObject({ managed: managed.length });
  expect(totals.largest).toBeLessThanOrEqual(status.limit);
  expect(points.length).toBeGreaterThan(1_000);
  for (const { summary } of managed) expect(summary).toContain("I want to change the chain of my bike.");
});

test("the JSON has the fields that its reference page names, and no others", async () => {
  const { stdout } = await runCli(["stream", file, "--window", "4096", "--json"]);
  const printed = JSON.parse(stdout) as StreamJson;
  expect(printed.format).toBe("precis-stream/1");
  const page = readFileSync(new URL("../../docs/reference/stream-json.md", import.meta.url), "utf8");
  const named = (heading: string): string[] => {
    const from = page.indexOf(heading);
    const section = page.slice(from, page.indexOf("\n## ", from + 1));
    return [...section.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell]) => cell!.match(/\w+/g) ?? []).sort();
  };
  expect(named("# The JSON")).toEqual(Object.keys(printed).sort());
  expect(named("## `totals`")).toEqual(Object.keys(printed.totals).sort());
  expect(named("## `status`")).toEqual(Object.keys(printed.status).sort());
  for (const entry of printed.managed)
    expect(named("## An entry")).toEqual(expect.arrayContaining(Object.keys(entry)));
});

test("as text: chart, totals, one line for each management; no colours in a pipe", async () => {
  const { code, stdout } = await runCli(["stream", file, "--strategy", "drop-middle"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/4\.1k ┤/);
  expect(stdout).toMatch(/▲ \d+ minutes? .*frame \d+.*: 4k → 5\d\d, parts kept/);
  expect(stdout).not.toContain("\u001b");
  const narrow = await runCli(["stream", file], { env: { COLUMNS: "36" } });
  for (const line of narrow.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(36);
});

test.each([
  [["stream"], 2, /needs a FILE/],
  [["stream", file, "--strategy", "drop-al"], 2, /Did you mean drop-all\?/],
  [["stream", file, "--pick", "2"], 2, /holds 1 recording/],
  [["stream", file, "--reserve", "128"], 1, /at least/],
  [["stream", file, "--model", "none.gguf"], 1, /node-llama-cpp/],
] as const)("%j ends with %i", async (args, expected, message) => {
  const { code, stderr, stdout } = await runCli(args);
  expect([code, stdout]).toEqual([expected, ""]);
  expect(stderr).toMatch(message);
});

test("a recording on stdin", async () => {
  const { code, stdout } = await runCli(["stream", "-"], { stdin: readFileSync(file) });
  expect([code, stdout]).toEqual([0, expect.stringContaining("▲")]);
});
