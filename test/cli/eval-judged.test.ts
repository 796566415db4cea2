import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/index.ts";
import { answerMailbox } from "../support/answer-mailbox.ts";
import { examReply, houseItems, houseTalk } from "../support/exam-models.ts";
import { runCli, scratchFolder } from "./run-cli.ts";

const scratch = scratchFolder();
afterAll(scratch.remove);

const TALK = 60;
const exams = scratch.path("exams");
mkdirSync(exams);
for (const name of ["one", "two"]) {
  writeFileSync(join(exams, `${name}-talk.json`), JSON.stringify(houseTalk(TALK)));
  const summary = "They talked about houses. house number 101 is green. Nothing else was decided.";
  const exam = {
    session: `${name}-talk.json`,
    at: TALK - 2,
    summary,
    items: houseItems([1, 20, 40, 55, 57]),
  };
  writeFileSync(join(exams, `${name}.json`), JSON.stringify(exam));
}

let provider: FakeProvider;
let run: string;
let runs = 0;
beforeEach(async () => {
  run = scratch.path(`run-${++runs}`);
  provider = await startFakeProvider({ reply: ({ lastUser }) => ({ text: examReply(lastUser) }) });
});
afterEach(() => provider.close());

const judged = (...flags: string[]) =>
  runCli(["eval", "judged", "--exams", exams, "--run", run, "--counter", "chars", ...flags]);
const atProvider = () => `gpt-4o-mini@${provider.url}/v1`;

it("each arm gets the score that its context allows, over real HTTP", async () => {
  const flags = ["--reader", atProvider(), "--summarizer", atProvider(), "--trials", "2", "--yes", "--json"];
  const { code, stdout, stderr } = await judged(...flags, "--sizes", "S,400");
  expect([code, stderr.split("\n")[0]]).toEqual([0, "This asks:"]);
  const { rows, against, questions, trials, spent } = JSON.parse(stdout);
  expect([questions, trials, against]).toEqual([10, 2, "recorded@S"]);
  const score = Object.fromEntries(
    rows.map((row: { arm: string; size: string; score: { mean: number } }) => [
      `${row.arm}@${row.size}`,
      row.score.mean,
    ]),
  );
  expect(score).toMatchObject({
    "whole@all": 1,
    "recorded@S": 0.2,
    "newest@400": 0.4,
    "recorded+newest@400": 0.6,
  });
  expect(Object.keys(score)).toContain("precis+model@400");
  const newest = rows.find(
    (row: { arm: string; size: string }) => row.arm === "newest" && row.size === "400",
  );
  const small = rows.find(
    (row: { arm: string; size: string }) => row.arm === "precis+model" && row.size === "S",
  );
  expect([newest.unasked, small.unasked]).toEqual([0, 2]);
  expect(newest.difference.mean).toBeCloseTo(0.2);
  expect(newest.byType.early.mean).toBeCloseTo(1 / 3);
  expect(rows.every((row: { misleading: number }) => row.misleading === 0)).toBe(true);
  expect(spent.map((one: { role: string }) => one.role).sort()).toEqual(["judge", "reader", "summarizer"]);
});

it("the result is a page, too, with every question, and nothing in a conversation can run there", async () => {
  const file = scratch.path("odd.json");
  writeFileSync(scratch.path("odd-talk.json"), JSON.stringify(houseTalk(TALK)));
  const [item, ...others] = houseItems([1, 20, 57]);
  const odd = { ...item, q: `${item!.q} <script>alert(1)</script>` };
  writeFileSync(file, JSON.stringify({ session: "odd-talk.json", items: [odd, ...others] }));
  const target = scratch.path("judged.html");
  const common = ["eval", "judged", "--exams", file, "--run", run, "--counter", "chars", "--yes"];
  const flags = [
    "--reader",
    atProvider(),
    "--trials",
    "1",
    "--sizes",
    "400",
    "--arms",
    "newest,precis,whole",
  ];
  const { code, stderr } = await runCli([...common, ...flags, "--html", target]);
  expect([code, stderr]).toEqual([0, expect.stringContaining(`wrote ${target}`)]);
  const html = readFileSync(target, "utf8");
  expect(html).toContain("3 questions of 1 exam");
  expect(html.match(/<td>\d+ [^<]+<\/td>/g)).toHaveLength(3);
  for (const { q } of others) expect(html).toContain(q);
  expect(html).not.toContain("<script");
  expect(html).toContain("default-src 'none'");
  const refused = await runCli([...common, ...flags, "--html", file]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("would overwrite an input")]);
});

it("precis with a model waits for the model's own words, also behind a mailbox", async () => {
  const dir = scratch.path("writers");
  const long = scratch.path("long.json");
  // Long enough for a summary to be worth a request.
  writeFileSync(scratch.path("long-talk.json"), JSON.stringify(houseTalk(600)));
  writeFileSync(long, JSON.stringify({ session: "long-talk.json", items: houseItems([1, 300]) }));
  const clerk = answerMailbox(dir, ({ messages }) => examReply(messages.at(-1)?.text ?? ""));
  const flags = ["--reader", atProvider(), "--summarizer", `mailbox:${dir}`, "--trials", "1", "--yes"];
  const { code } = await runCli([
    ...["eval", "judged", "--exams", long, "--run", run, "--counter", "chars", ...flags],
    ...["--sizes", "6k", "--arms", "precis+model", "--at-once", "1"],
  ]);
  clerk.stop();
  expect(code).toBe(0);
  expect(clerk.requests.length).toBeGreaterThan(0);
  const contexts = provider.requests.filter(({ lastUser }) => lastUser.includes("<questions>"));
  expect(contexts).toHaveLength(1);
  for (const { lastUser } of contexts) expect(lastUser).toContain("talked about houses and their colours");
});

it("a conversation is compacted several times in a row where that is asked for, each time on top of the last", async () => {
  const long = scratch.path("in-a-row.json");
  writeFileSync(scratch.path("in-a-row-talk.json"), JSON.stringify(houseTalk(600)));
  writeFileSync(long, JSON.stringify({ session: "in-a-row-talk.json", items: houseItems([1, 300]) }));
  const flags = ["--reader", atProvider(), "--summarizer", atProvider(), "--trials", "1", "--yes", "--json"];
  const arms = ["--arms", "precis,precis*4,precis+model,precis+model*4", "--sizes", "2k"];
  const { code, stdout, stderr } = await runCli([
    ...["eval", "judged", "--exams", long, "--run", run, "--counter", "chars"],
    ...[...flags, ...arms],
  ]);
  expect([code, stderr]).toEqual([0, expect.stringContaining("10 requests")]);
  const { rows } = JSON.parse(stdout) as { rows: { arm: string; score: { mean: number } }[] };
  expect(rows.map(({ arm }) => arm)).toEqual(["precis", "precis*4", "precis+model", "precis+model*4"]);
  // Without a model a view is made from the transcript alone.
  expect(rows[1]!.score).toEqual(rows[0]!.score);
  const asked = provider.requests.filter(({ body }) => JSON.stringify(body).includes("<previous-summary>"));
  expect(asked.length).toBeGreaterThan(0);
});

it("with recall each question has a context of its own, no larger than without it", async () => {
  const file = scratch.path("recalled.json");
  writeFileSync(scratch.path("recalled-talk.json"), JSON.stringify(houseTalk(600)));
  const houses = [11, 101, 207, 311, 401];
  writeFileSync(file, JSON.stringify({ session: "recalled-talk.json", items: houseItems(houses) }));
  const flags = ["--reader", atProvider(), "--trials", "1", "--yes", "--json", "--sizes", "4k"];
  const { code, stdout } = await runCli([
    ...["eval", "judged", "--exams", file, "--run", run, "--counter", "chars", ...flags],
    ...["--arms", "precis,precis+recall", "--one-by-one"],
  ]);
  expect(code).toBe(0);
  const [without, recalled] = JSON.parse(stdout).rows;
  expect(recalled.score.mean).toBe(1);
  expect(without.score.mean).toBeLessThan(1);
  const asked = provider.requests.flatMap(({ lastUser }) => (/<questions>/.test(lastUser) ? [lastUser] : []));
  expect(asked).toHaveLength(2 * houses.length);
  for (const text of asked) expect(text.match(/<context>.*<\/context>/s)?.[0].length).toBeLessThan(4 * 4_000);
  // The question is asked, and isn't part of the context.
  for (const text of asked) expect(text.match(/Which colour/g)).toHaveLength(1);
});

it("the judge sees every answer, in another order for each question, and no names of arms", async () => {
  await judged("--reader", atProvider(), "--trials", "1", "--yes", "--sizes", "400");
  const asked = provider.requests.filter(({ lastUser }) => lastUser.includes("<rubric>"));
  const texts = asked.map(({ lastUser }) => lastUser);
  expect(texts.join("")).not.toMatch(/newest|recorded|precis|whole/);
  const orders = texts
    .flatMap((text) => text.split(/(?=<question number=)/))
    .filter((part) => part.includes("<answer"))
    .map((part) => [...part.matchAll(/<answer number="\d+">\n(.*?)\n/g)].map((match) => match[1]).join("|"));
  expect(new Set(orders).size).toBeGreaterThan(1);
});

it("readers see neither expected answers nor rubrics", async () => {
  await judged("--reader", atProvider(), "--trials", "1", "--yes", "--sizes", "400");
  const read = provider.requests.filter(({ lastUser }) => lastUser.includes("<questions>"));
  expect(read.length).toBeGreaterThan(0);
  for (const { lastUser } of read) expect(lastUser).not.toMatch(/Says \w+|expected/);
});

it("nothing is asked before somebody said yes, and what it takes is told", async () => {
  const { code, stdout, stderr } = await judged("--reader", "gpt-4o-mini", "--key-env", "K");
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("the variable K isn't set");
  const without = await judged("--reader", atProvider());
  expect(without.code).toBe(2);
  expect(without.stderr).toMatch(/reader {5}gpt-4o-mini: \d+ requests, [\d.k]+ tokens in, [\d.k]+ out, \$/);
  expect(without.stderr).toContain("Add --yes to continue");
  expect(provider.requests).toHaveLength(0);
});

it("a run that failed goes on where it stopped, and pays for nothing twice", async () => {
  const flags = ["--reader", atProvider(), "--trials", "2", "--yes", "--sizes", "400", "--at-once", "1"];
  const whole = await judged(...flags, "--json");
  const requests = provider.requests.length;
  run = scratch.path("again");
  let left = 5;
  const cut = await startFakeProvider({
    reply: ({ lastUser }) => ({ text: left-- > 0 ? examReply(lastUser) : "no list at all" }),
  });
  const failed = await judged(...flags.with(1, `gpt-4o-mini@${cut.url}/v1`));
  await cut.close();
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain("the reader's answer can't be used");
  expect(readFileSync(join(run, "replies.jsonl"), "utf8").trim().split("\n")).toHaveLength(5);
  const before = provider.requests.length;
  const rest = await judged(...flags, "--json");
  expect(provider.requests).toHaveLength(before + requests - 5);
  expect(JSON.parse(rest.stdout).rows).toEqual(JSON.parse(whole.stdout).rows);
});

it("a table for people fits 80 columns", async () => {
  const flags = ["--reader", atProvider(), "--summarizer", atProvider(), "--trials", "1", "--yes"];
  const { stdout } = await judged(...flags, "--sizes", "S,400");
  expect(stdout).toMatch(/whole history +all +100\.0 \[100, 100\]/);
  for (const line of stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
});

it("readers and judges behind mailboxes hold an exam without any model", async () => {
  const [readers, judges] = [scratch.path("readers"), scratch.path("judges")];
  const clerks = [readers, judges].map((dir) =>
    answerMailbox(dir, ({ messages }) => examReply(messages.at(-1)?.text ?? "")),
  );
  const { code, stdout } = await judged(
    ...["--reader", `mailbox:${readers}`, "--judge", `mailbox:${judges}`, "--yes", "--json"],
    ...["--trials", "1", "--sizes", "400", "--arms", "newest,whole", "--at-once", "8"],
  );
  for (const clerk of clerks) clerk.stop();
  expect(code).toBe(0);
  const { rows } = JSON.parse(stdout);
  expect(rows.map((row: { arm: string; score: { mean: number } }) => [row.arm, row.score.mean])).toEqual([
    ["newest", 0.4],
    ["whole", 1],
  ]);
  expect(clerks[0]?.requests).toHaveLength(4);
  expect(new Set(clerks[1]?.requests.map(({ name }) => name))).toEqual(new Set(["exam-judge"]));
  expect(readdirSync(judges).filter((name) => name.includes("request"))).toEqual([]);
});

it("questions about a conversation of one's own are an exam", async () => {
  const file = join(exams, "one-talk.json");
  const out = scratch.path("own.json");
  const flags = ["--writer", atProvider(), "--questions", "3", "--yes"];
  const written = await runCli(["eval", "exam", file, "--out", out, ...flags]);
  expect([written.code, written.stdout]).toEqual([0, ""]);
  expect(written.stderr).toContain("wrote 3 questions");
  const exam = JSON.parse(readFileSync(out, "utf8"));
  expect(exam).toMatchObject({ session: "exams/one-talk.json", at: TALK });
  expect(exam.items[0]).toEqual({
    n: 0,
    type: "fact",
    q: "Which colour has house number 100?",
    expected: "It is red.",
    rubric: ["Says red"],
  });
  const held = await runCli([
    ...["eval", "judged", "--exams", out, "--run", run, "--reader", atProvider(), "--yes", "--json"],
    ...["--trials", "1", "--arms", "whole"],
  ]);
  expect(JSON.parse(held.stdout).rows[0].score.mean).toBe(1);
});

it("bad usage is told with the fix", async () => {
  const usage = async (...args: string[]) => {
    const { code, stderr } = await runCli(["eval", ...args]);
    expect(code, stderr).toBe(2);
    return stderr;
  };
  expect(await usage("judged")).toContain("--reader");
  expect(await usage("judged", "--reader", "mailbox:x")).toContain("--exams");
  const known = ["judged", "--reader", "mailbox:x", "--exams", exams];
  expect(await usage(...known, "--arms", "precis+model")).toContain("--summarizer");
  expect(await usage(...known, "--arms", "newst")).toContain("Did you mean newest?");
  expect(await usage(...known, "--arms", "whole*3")).toContain("only precis and precis+model");
  expect(await usage(...known, "--arms", "precis*0")).toContain("--arms");
  expect(await usage(...known, "--sizes", "tiny")).toContain("S, 2S, 10% or 4k");
  expect(await usage(...known, "--against", "whole", "--arms", "newest")).toContain("doesn't take part");
  expect(await usage("judged", "--budgets", "5")).toContain("--budgets doesn't go with precis eval judged");
  expect(await usage("exam")).toContain("precis eval exam FILE");
  expect(await usage("exam", join(exams, "one-talk.json"))).toContain("--writer");
  expect(existsSync("x")).toBe(false);
});
