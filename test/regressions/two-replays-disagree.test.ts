/** `precis replay` and the page's comparison once counted the same file differently: 80 requests in one, 40 in the other. */
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Replay } from "../../src/eval/replay/simulate.ts";
import type { ReplayTotals } from "../../src/eval/replay/totals.ts";
import { type ReplayInput, routes } from "../../src/gateway/api.ts";
import { runCli, scratchFolder } from "../cli/run-cli.ts";
import { apiOf } from "../gateway/api-support.ts";
import { type ServeHere, serveHere } from "../gateway/serve-here.ts";

const WINDOW = 4_000;
const STEPS = 40;
const MINUTE_MS = 60_000;
const START = Date.parse("2026-01-01T10:00:00Z");

/** Two answers in a row, in a format that keeps times: pauses longer than a cache lives, and a client's own summary. */
const session = {
  id: "garden",
  model: "claude-sonnet-4-5",
  compactions: [{ at: 61 }],
  messages: [
    { role: "system", content: "You keep the garden's diary.", ts: START },
    ...Array.from({ length: STEPS }, (_, step) => {
      const ts = START + (step + Math.floor(step / 10) * 10) * MINUTE_MS;
      return [
        { role: "user", content: `Entry ${step}: ${"the beans by the north wall. ".repeat(8)}`, ts },
        { role: "assistant", content: `I look at bed ${step}. ${"It is dry. ".repeat(10)}`, ts: ts + 1_000 },
        { role: "assistant", content: `Bed ${step} was watered.`, ts: ts + 2_000 },
      ];
    }).flat(),
  ].toSpliced(61, 0, {
    role: "user",
    content: "Summary so far: beans were watered.",
    ts: START + 20 * MINUTE_MS,
    flags: { compactSummary: true },
  } as never),
};
/** The same as the body of a request: no times, and tools. */
const request = {
  model: "gpt-4o",
  tools: [{ type: "function", function: { name: "water", description: "Waters a bed.", parameters: {} } }],
  messages: session.messages.map(({ role, content }) => ({ role, content })),
};

const folder = scratchFolder();
let serve: ServeHere;
const { call } = apiOf(() => serve.url);
beforeAll(async () => {
  serve = await serveHere(["--upstream", "http://127.0.0.1:9"]);
});
afterAll(async () => {
  await serve.stop();
  folder.remove();
});

type CliReplay = Replay & { readonly totals: ReplayTotals };
/** The same file gives the same replay, so each is replayed once. */
const replayed = new Map<string, Promise<CliReplay>>();
function byCli(text: string): Promise<CliReplay> {
  const known = replayed.get(text) ?? replay(text);
  replayed.set(text, known);
  return known;
}

async function replay(text: string): Promise<CliReplay> {
  const file = folder.path("session.json");
  writeFileSync(file, text);
  const { code, stdout } = await runCli([
    ...["replay", file, "--window", String(WINDOW), "--strategy", "truncate-oldest"],
    ...["--prices", "claude-sonnet-4-5", "--json"],
  ]);
  expect(code).toBe(0);
  return JSON.parse(stdout) as CliReplay;
}

async function byPage(source: Pick<ReplayInput, "conversation" | "file">) {
  const { runs, warnings } = await call(routes.replay, {
    body: {
      ...source,
      policies: [{ name: "one", window: WINDOW, strategy: "truncate-oldest" }],
      prices: "claude-sonnet-4-5",
    },
  });
  return { ...runs[0]!, warnings };
}

/** What a front says, in the words of the page. */
const saidBy = ({ requests, totals }: CliReplay, lead = 1) => ({
  requests: totals.requests,
  compactions: totals.compactions,
  impossible: 0,
  tokens: { transcript: totals.sentWithout, view: totals.sent },
  peak: { transcript: totals.transcript, view: totals.largest },
  cost: { transcript: totals.cost!.without.total, view: totals.cost!.with.total },
  points: requests.map(({ at, full, tokens, budget, compaction }) => ({
    messages: at - lead,
    transcript: full,
    view: tokens,
    budget,
    compacted: compaction !== undefined,
  })),
});

test.each([
  ["a session with times and a client's summary", JSON.stringify(session)],
  ["a request with tools", JSON.stringify(request)],
])("%s: one number of requests, tokens and dollars in both", async (_, text) => {
  const cli = await byCli(text);
  expect(cli.compactions.length).toBeGreaterThan(0);
  expect(await byPage({ file: { name: "session.json", text } })).toMatchObject(saidBy(cli));
});

test("a policy is replayed with all of its settings, not only with those that were there first", async () => {
  const text = JSON.stringify(request);
  const policies = [
    { name: "roomy", window: 100_000 },
    { name: "after turns", window: 100_000, triggerTurns: 10, tailTurns: 2 },
    { name: "one turn more", window: 100_000, triggerTurns: 10, tailTurns: 3 },
  ];
  const { runs } = await call(routes.replay, { body: { file: { name: "session.json", text }, policies } });
  const [roomy, byTurns, more] = runs;
  expect(roomy?.compactions).toBe(0);
  expect(byTurns?.compactions).toBeGreaterThan(0);
  expect(more?.tokens.view).not.toBe(byTurns?.tokens.view);
});

test("a recorded stream is played with the frames it was recorded with in both", async () => {
  const text = JSON.stringify({
    num_tokens_per_img: 64,
    conversation: [
      { role: "user", time: 0, content: "Tell me when the beans are dry." },
      { role: "frames", start: 0, end: 100 },
    ],
  });
  const file = folder.path("stream.jsonl");
  writeFileSync(file, text);
  const cli = JSON.parse((await runCli(["stream", file, "--json"])).stdout) as Record<string, unknown>;
  const page = await call(routes.replayStream, { body: { file: { name: "stream.jsonl", text } } });
  const { strategy, tokensPerFrame, fps, turns, timeline } = page;
  expect(cli).toMatchObject({ strategy, tokensPerFrame, fps, turns, points: timeline.points });
  expect(tokensPerFrame).toBe(64);
});

test("an imported session is compared as the file is replayed", async () => {
  const text = JSON.stringify(session);
  const { conversations, warnings } = await call(routes.importFile, { body: { name: "session.json", text } });
  expect(warnings).toEqual(["left out one summary that the client wrote itself"]);
  const cli = await byCli(text);
  expect(cli.totals).toMatchObject({ requests: 2 * STEPS, cold: 3 });
  expect(await byPage({ conversation: conversations[0]!.id })).toMatchObject(saidBy(cli));
});
