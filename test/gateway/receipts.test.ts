/** Receipts against the provider's own bill: what they say was saved is what a session without precis would have cost more. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { ReplayTotals } from "../../src/eval/replay/totals.ts";
import { type Past, type RequestFact, type RequestRecord, routes, urlOf } from "../../src/gateway/api.ts";
import { createFakeClock } from "../../src/testing/fake-clock.ts";
import {
  type FakeProvider,
  type FakeReplier,
  summarizingReply,
} from "../../src/testing/fake-provider/index.ts";
import { exactCounter } from "../../src/tokens/index.ts";
import { runCli } from "../cli/run-cli.ts";
import { byProof } from "../support/proof.ts";
import { type StartedGateway, startBoth } from "./gateway-process.ts";
import { fileText } from "./long-task.ts";
import { post } from "./own-upstream.ts";
import { totalsOf } from "./totals-of.ts";

const MODEL = "gpt-4o";

async function called<T>(url: string, route: Parameters<typeof urlOf>[0], id: string): Promise<T> {
  const text = await (await fetch(url + urlOf(route, { id } as never))).text();
  const events = text
    .split("\n")
    .flatMap((line) => (line.startsWith("data:") ? [JSON.parse(line.slice(5))] : []));
  return (events.length > 0 ? (events.at(-1).answer ?? events.at(-1)) : JSON.parse(text)) as T;
}

/** What all compactions of the one conversation came to. */
async function receiptsOf({ url, gateway }: StartedGateway): Promise<Past["receipts"]> {
  const { conversations } = await gateway.store.conversations.list("default");
  expect(conversations).toHaveLength(1);
  return (await called<Past>(url, routes.past, conversations[0]!.id)).receipts;
}

const ROUNDS = byProof({ sample: 120, more: 300, all: 300 });
/** So that each round is as large a share of it. */
const windowOf = (rounds: number): number => 80 * rounds;
/** Every so many rounds somebody is away for longer than the cache lasts. */
const PAUSE_EVERY = 40;

/** A talk of so many rounds, and the provider's own bill for it. */
async function talk({
  isPlain,
  ttlMs,
  summarizer = "same",
  rounds = ROUNDS,
}: {
  readonly isPlain: boolean;
  readonly ttlMs?: number;
  readonly summarizer?: "same" | "extractive";
  readonly rounds?: number;
}) {
  // The store has a clock of its own, and sweeps out what is years old.
  const clock = createFakeClock(Date.now());
  const { count } = await exactCounter("o200k_base");
  const reply = summarizingReply({
    when: ({ messages, lastUser }) => messages.length < 3 || !lastUser.startsWith("Question"),
    otherwise: ({ lastUser }) =>
      `About ${lastUser.slice(0, 12)}: ${fileText(lastUser.slice(0, 12)).slice(0, 900)}`,
  });
  const { provider, gateway } = await startBoth(
    { window: windowOf(rounds), summarizer, ...(ttlMs && { cache: { ttlMs } }) },
    { window: 400_000, reply, count, now: clock.now, ...(ttlMs && { cache: { ttlMs } }) },
    { now: clock.now },
  );
  const messages = [{ role: "system", content: `You answer. ${"Be brief and exact. ".repeat(80)}` }];
  const times = [clock.now()];
  for (let round = 0; round < rounds; round++) {
    messages.push({ role: "user", content: `Question ${round}: ${fileText(`q${round}`).slice(0, 500)}` });
    const response = await post(`${isPlain ? provider.url : gateway.url}/v1/chat/completions`, {
      model: MODEL,
      messages,
    });
    const { choices } = (await response.json()) as {
      choices: { message: { role: string; content: string } }[];
    };
    messages.push({ role: "assistant", content: choices[0]!.message.content });
    times.push(clock.now(), clock.now());
    clock.advance(round % PAUSE_EVERY === PAUSE_EVERY - 1 ? 10 * 60_000 : 20_000);
  }
  // A summary may still be on its way.
  await gateway.gateway.compactors.settled();
  return { gateway, bill: billOf(provider), session: messages.map((one, at) => ({ ...one, ts: times[at] })) };
}

/** By the prices that OpenAI publishes for this model, worked out by hand: 2.50 a million tokens, 1.25 from the cache, 10 for an answer. */
function billOf({ requests }: FakeProvider): number {
  return requests.reduce((sum, { tokens: { input, cacheRead }, outputTokens }) => {
    const dollarsOfMillions = 2.5 * (input - cacheRead) + 1.25 * cacheRead + 10 * outputTokens;
    return sum + dollarsOfMillions / 1e6;
  }, 0);
}

it.each([
  ["five minutes", undefined],
  ["an hour, as the config says", 60 * 60_000],
])(
  `receipts of ${ROUNDS} rounds are the difference of two bills, to the cent, with a cache of %s`,
  {
    timeout: 600_000,
  },
  async (_, ttlMs) => {
    const plain = await talk({ isPlain: true, ...(ttlMs && { ttlMs }) });
    const { gateway, bill } = await talk({ isPlain: false, ...(ttlMs && { ttlMs }) });
    const totals = await totalsOf(gateway.url);
    expect(totals.spend + totals.cost).toBeCloseTo(bill, 6);
    expect(Math.abs(totals.net - (plain.bill - bill))).toBeLessThan(0.01);
    const receipts = await receiptsOf(gateway);
    expect(receipts.length).toBeGreaterThan(3);
    const sum = (of: (one: (typeof receipts)[number]) => number) =>
      receipts.reduce((all, one) => all + of(one), 0);
    // A last summary may wait for its compaction.
    expect(Math.abs(sum(({ summaries }) => summaries) - totals.cost)).toBeLessThan(0.05);
    expect(Math.abs(sum(({ net, summaries }) => net + summaries) - totals.net - totals.cost)).toBeLessThan(
      0.01,
    );
    // By client and by time they are the same.
    const since = Date.now() - 3_600_000;
    const { parts } = await totalsOf(gateway.url, { by: "model", every: 4 * 3_600_000, since });
    expect(parts!.reduce((all, { net }) => all + net, 0)).toBeCloseTo(totals.net, 6);
  },
);

it("a session costs in `replay --prices` what it cost in the gateway, and its net is the same", {
  timeout: 600_000,
}, async () => {
  // In longer sessions the provider's steps of 128 cached tokens add up to a cent.
  const rounds = 60;
  const { gateway, bill, session } = await talk({ isPlain: false, summarizer: "extractive", rounds });
  const { net, cost, compactions } = await totalsOf(gateway.url);
  const replayed = await runCli(
    ["replay", "-", "--window", String(windowOf(rounds)), "--prices", MODEL, "--json"],
    {
      stdin: JSON.stringify({ id: "talk", model: MODEL, messages: session }),
    },
  );
  const { totals } = JSON.parse(replayed.stdout) as { totals: ReplayTotals };
  expect([totals.requests, totals.compactions, cost]).toEqual([rounds, compactions, 0]);
  expect(Math.abs(totals.cost!.with.total / bill - 1)).toBeLessThan(0.05);
  expect(Math.abs(totals.cost!.without.total - totals.cost!.with.total - net)).toBeLessThan(0.01);
});

it("what the agent asks for again, because a compaction hid it, is in its receipt", async () => {
  let round = 0;
  // It reads files, and now and then the first one again.
  const reply: FakeReplier = () => {
    const path = round % 9 === 8 ? "src/a-0.ts" : `src/a-${round}.ts`;
    return { calls: [{ name: "read_file", args: { path }, id: `call_${round++}` }] };
  };
  const folder = mkdtempSync(join(tmpdir(), "precis-receipts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const db = join(folder, "precis.db");
  const { gateway } = await startBoth(
    { window: 4_000, summarizer: "extractive", db },
    { window: 400_000, reply },
  );
  const messages: object[] = [{ role: "user", content: "Read them." }];
  const tools = [{ type: "function", function: { name: "read_file", parameters: { type: "object" } } }];
  for (let n = 0; n < 28; n++) {
    const ask = () => post(`${gateway.url}/v1/chat/completions`, { model: MODEL, messages, tools });
    const response = await ask();
    const { choices } = (await response.json()) as {
      choices: { message: { tool_calls: { id: string }[] } }[];
    };
    // A client that asks once more after it lost an answer says nothing new.
    if (n > 0 && n % 9 === 0) {
      const { repeated } = await totalsOf(gateway.url);
      await (await ask()).arrayBuffer();
      round--;
      expect((await totalsOf(gateway.url)).repeated).toBe(repeated);
    }
    messages.push(choices[0]!.message, {
      role: "tool",
      tool_call_id: choices[0]!.message.tool_calls[0]!.id,
      content: fileText(`src/${n}.ts`),
    });
  }
  const receipts = await receiptsOf(gateway);
  const repeated = receipts.flatMap((one) => one.repeated);
  expect(repeated.length).toBeGreaterThan(0);
  expect(new Set(repeated)).toEqual(new Set(["read_file path=src/a-0.ts"]));
  const { repeated: again, parts } = await totalsOf(gateway.url, { by: "model" });
  expect([again, parts?.[0]?.repeated]).toEqual([repeated.length, repeated.length]);
  expect(await (await fetch(`${gateway.url}/metrics`)).text()).toMatch(/precis_repeated_calls_total [1-9]/);
  const of = receipts.find((one) => one.repeated.length > 0)!;
  const record = await called<RequestRecord>(gateway.url, routes.requestRecord, of.request);
  expect(record.receipt).toEqual(of);
  expect((record satisfies RequestFact).saved).toBeTypeOf("number");
  const { conversations } = await gateway.gateway.store.conversations.list("default");
  const shown = (await runCli(["inspect", conversations[0]!.id, "--db", db])).stdout.replace(/\s+/g, " ");
  expect(shown).toMatch(/Tokens saved over \d+ requests?: [\d,]+, worth \$[\d.]+\./);
  expect(shown).toContain("Asked for again because of it: read_file path=src/a-0.ts");
  expect(shown).toMatch(/precis (?:saved|cost) \$[\d.]+ of \$[\d.]+, net\./);
});
