import { linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runCli } from "../../test/cli/run-cli.ts";
import { UsageError } from "./flags.ts";

const dir = mkdtempSync(join(tmpdir(), "precis-eval-cli-"));
const noSessions = mkdtempSync(join(tmpdir(), "precis-eval-cli-"));
afterAll(() => {
  for (const folder of [dir, noSessions]) rmSync(folder, { recursive: true, force: true });
});
const messages = Array.from({ length: 40 }, (_, i) => ({
  role: i % 2 === 0 ? "user" : "assistant",
  content: `Note ${i}: the colour of house number ${i * 7} is ${["red", "green", "blue"][i % 3]}.`,
}));
const probes = [{ q: "Colour of 0?", a: "red", type: "information_extraction", evidence: [0] }];
writeFileSync(join(dir, "tiny.jsonl"), JSON.stringify({ id: "t", dataset: "tiny", messages, probes }));

/** What a measurement prints, or the error that it ends with. */
async function run(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(["eval", ...args]);
  if (code === 0) return stdout;
  throw code === 2 ? new UsageError(stderr) : new Error(stderr);
}

test("a table for people, JSON for programs, a page for both", async () => {
  expect(await run("retention", "--data", dir, "--counter", "chars")).toMatch(/precis, no model +5 %/);
  const html = join(dir, "out.html");
  const json: unknown = JSON.parse(
    await run("retention", "--data", dir, "--json", "--html", html, "--budgets", "50"),
  );
  expect(json).toMatchObject({ counter: "o200k_base", sampled: false, sets: [{ type: "probes", cases: 1 }] });
  expect(readFileSync(html, "utf8")).toContain("<svg");
});

test("never writes over its own data, under whatever name", async () => {
  const file = join(dir, "tiny.jsonl");
  const link = join(noSessions, "link.html");
  linkSync(file, link);
  const before = readFileSync(file, "utf8");
  for (const html of [file, link]) {
    const refused = run("retention", "--data", dir, "--counter", "chars", "--html", html);
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(/would overwrite an input/);
  }
  expect(readFileSync(file, "utf8")).toBe(before);
});

test("a byte order mark is no error", async () => {
  const folder = join(noSessions, "mark");
  mkdirSync(folder);
  const record = { id: "t", dataset: "tiny", messages, probes };
  writeFileSync(join(folder, "tiny.json"), `\uFEFF${JSON.stringify(record)}`);
  expect(await run("retention", "--data", folder, "--counter", "chars")).toMatch(/precis, no model +5 %/);
});

test.each(["retention", "cost"])("%s of a file instead of a folder is bad usage", async (what) => {
  const refused = run(what, "--data", join(dir, "tiny.jsonl"));
  await expect(refused).rejects.toThrow(UsageError);
  await expect(refused).rejects.toThrow(/tiny\.jsonl is a file\. Give a folder\./);
});

test("what sessions cost, as a table and as JSON", async () => {
  const folder = join(dir, "sessions");
  mkdirSync(folder);
  const turns = Array.from({ length: 60 }, (_, turn) => [
    {
      role: "user",
      content: `Question ${turn}. ${"word ".repeat(900)}`,
      ts: new Date(turn * 20_000).toISOString(),
    },
    { role: "assistant", content: `Answer ${turn}.`, ts: new Date(turn * 20_000 + 5_000).toISOString() },
  ]);
  writeFileSync(
    join(folder, "one.json"),
    JSON.stringify({ id: "one", agent: "test", messages: turns.flat() }),
  );
  const table = await run("cost", "--data", folder, "--windows", "32k", "--chains", "no");
  expect(table).toMatch(/sessions, window 32000 \(13000 for messages/);
  expect(table).toMatch(/send everything +1\.000/);
  expect(table).toMatch(/precis, summarize-oldest +0\.\d{3} +0\.\d{3} +\d+/);
  const { results } = JSON.parse(
    await run(
      "cost",
      "--data",
      folder,
      "--chains",
      "no",
      "--windows",
      "32k",
      "--ttl",
      "never",
      "--prices",
      "openai",
      "--json",
    ),
  ) as { results: { requests: number; prices: { write: number }; rows: { cost: number }[] }[] };
  expect(results[0]).toMatchObject({ requests: 60, prices: { write: 1 } });
  expect(results[0]?.rows[0]?.cost).toBe(1);
});

test("what an agent's own logs cost, with their pauses", async () => {
  const folder = join(dir, "claude");
  mkdirSync(folder);
  const record = (type: "user" | "assistant", turn: number, content: unknown) => ({
    ...{ type, uuid: `${type}-${turn}`, sessionId: "s1", isSidechain: false },
    timestamp: new Date(Date.UTC(2026, 2, 1) + turn * 20_000 + (turn > 30 ? 600_000 : 0)).toISOString(),
    message: { role: type, content, ...(type === "assistant" && { id: `msg_${turn}`, model: "claude-x" }) },
  });
  const records = Array.from({ length: 60 }, (_, turn) => [
    record(
      "user",
      turn,
      turn === 0
        ? "Read them all."
        : [{ type: "tool_result", tool_use_id: `t${turn - 1}`, content: "word ".repeat(900) }],
    ),
    record("assistant", turn, [
      { type: "tool_use", id: `t${turn}`, name: "read", input: { path: `${turn}.md` } },
    ]),
  ]).flat();
  writeFileSync(join(folder, "s1.jsonl"), records.map((one) => JSON.stringify(one)).join("\n"));
  const { results } = JSON.parse(
    await run("cost", "--data", folder, "--chains", "no", "--windows", "32k", "--json"),
  ) as { results: object[] };
  expect(results).toMatchObject([{ sessions: 1, requests: 60, cold: 1 }]);
});

/** A folder in which there is nothing. */
const empty = mkdtempSync(join(tmpdir(), "precis-eval-empty-"));
afterAll(() => rmSync(empty, { recursive: true }));

test.each([
  [["speed"], /Unknown subcommand `speed`. precis eval has retention, cost, /],
  [["cost", "--data", noSessions], /no agent session of 50000/],
  [["cost", "--data", dir, "--sets", "x"], /--sets doesn't go with precis eval cost/],
  [["cost", "--data", dir, "--ttl", "soon"], /minutes above 0, or never/],
  [["retention", "--data", dir, "--head", "1k"], /--head doesn't go with precis eval retention/],
  [["retention", "--data", dir, "--budgets", "5,x"], /not a percentage/],
  [["retention", "--data", dir, "--sets", "nothing"], /no set has this/],
  [["retention", "--data", join(dir, "nowhere")], /there is no folder .*precis comes without data.*\.jsonl/],
  [["cost", "--data", join(dir, "nowhere")], /there is no folder .*precis comes without data.*\.jsonl/],
  [
    ["retention", "--data", empty],
    /has no data in a known format. It must contain your own recorded conversations/,
  ],
  [["retention", "--data", dir, "--counter", "words"], /one of o200k, chars/],
])("%j is refused with what to do", async (args, message) => {
  await expect(run(...args)).rejects.toThrow(message);
});

test.each([
  ["not-gzip.jsonl.gz", "plain text", /incorrect header/],
  ["broken.json", '{"messages": [', /isn't JSON/],
  ["numbers.json", JSON.stringify({ messages: [{ role: "user", content: 5 }] }), /`content`/],
])("a bad file is named: %s", async (name, text, why) => {
  const folder = join(noSessions, `bad-${name}`);
  mkdirSync(folder);
  writeFileSync(join(folder, name), text);
  const failed = run("retention", "--data", folder, "--counter", "chars");
  await expect(failed).rejects.toThrow(why);
  await expect(failed).rejects.toThrow(join(folder, name));
});
