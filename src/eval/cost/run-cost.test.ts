import { expect, it } from "vitest";
import { charsCounter } from "../../tokens/index.ts";
import type { ChatMessage } from "../types.ts";
import { type CostSession, chainSessions, messageTokens, PRICES } from "./cost-session.ts";
import { costPolicies, everything, keepLast, precisPolicy } from "./policy.ts";
import { type CostOptions, costOfSession, costResult } from "./run-cost.ts";

const counter = charsCounter();
const HEAD = 100;
const SECOND = 1_000;

/** A turn of 50 + 50 tokens each `gap` seconds: 46 of text and 4 of frame. */
function session(turns: number, gap = 10, id = "s"): CostSession {
  const messages = Array.from({ length: turns }, (_, turn): ChatMessage[] => [
    { role: "user", content: `${turn} `.padEnd(46 * 4, "x") },
    { role: "assistant", content: `a${turn} `.padEnd(46 * 4, "y") },
  ]).flat();
  return {
    id,
    messages,
    times: messages.map((_, index) => Math.floor(index / 2) * gap * SECOND),
    cuts: [],
  };
}

interface RunOptions extends CostOptions {
  readonly sessions: readonly CostSession[];
}

const options = (more: Partial<RunOptions>): RunOptions => ({
  name: "test",
  sessions: [],
  policies: [everything],
  window: 10_000,
  head: HEAD,
  reserve: 0,
  prices: PRICES.anthropic,
  counter,
  ...more,
});

const runCost = async ({ sessions, ...run }: RunOptions) =>
  costResult(run, await Promise.all(sessions.map((one) => costOfSession(one, run))));

/** The same from the rules alone: what a request shares with the one before it is read, the rest written. */
function everythingByHand(turns: number, isCold: (turn: number) => boolean): number {
  let cost = 0;
  for (let turn = 0; turn < turns; turn++) {
    const prompt = HEAD + 100 * turn + 50;
    const cached = turn === 0 || isCold(turn) ? 0 : HEAD + 100 * (turn - 1) + 50;
    cost += 0.1 * cached + 1.25 * (prompt - cached) + 5 * 50;
  }
  return cost;
}

it("what is unchanged is read from the cache, the rest written, until the cache expires", async () => {
  const warm = await runCost(options({ sessions: [session(20)], policies: [everything, keepLast()] }));
  expect(warm).toMatchObject({ requests: 20, cold: 0, sessions: 1, budget: 9_900 });
  // Nothing is cut in so large a window: the two are the same.
  expect(warm.rows[1]).toMatchObject({ cost: 1, compactions: 0 });
  expect(warm.rows[0]?.sent).toBe(20 * HEAD + 20 * 50 + 100 * 190);
  const cold = await runCost(options({ sessions: [session(20, 301)], policies: [everything] }));
  expect([cold.cold, cold.rows[0]?.cached]).toEqual([19, 0]);
  const never = { ...PRICES.anthropic, ttlMs: Number.POSITIVE_INFINITY };
  expect((await runCost(options({ sessions: [session(20, 301)], prices: never }))).cold).toBe(0);
});

it("relative costs are those of the rules", async () => {
  const sessions = [session(20)];
  const half = await runCost(options({ sessions, policies: [everything, keepLast()], window: 700 }));
  let slide = 0;
  for (let turn = 0; turn < 20; turn++) {
    // 600 tokens hold 12 messages: from turn 6 on, each request has another beginning.
    const view = Math.min(100 * turn + 50, 600);
    const cached = turn === 0 ? 0 : turn > 5 ? HEAD : HEAD + 100 * (turn - 1) + 50;
    slide += 0.1 * cached + 1.25 * (HEAD + view - cached) + 5 * 50;
  }
  expect(half.rows[1]?.cost).toBeCloseTo(slide / everythingByHand(20, () => false), 10);
});

it("a policy that keeps its beginning is cheaper than one that cuts each time, and the engine's is cheapest", async () => {
  const sessions = [session(200)];
  const { rows } = await runCost(
    options({
      sessions,
      policies: [everything, keepLast(), keepLast(0.5), precisPolicy("summarize-oldest")],
      window: 3_000,
    }),
  );
  const [all, slide, step, own] = rows.map(({ cost }) => cost);
  expect(all).toBe(1);
  expect(step).toBeLessThan(slide!);
  expect(own).toBeLessThan(slide!);
  expect(own).toBeLessThan(1);
  expect(rows[3]?.costWithModel).toBeGreaterThan(own!);
  expect(rows[3]?.compactions).toBeGreaterThan(2);
});

it("needed names are looked up in what was sent last and what came since", async () => {
  const base = session(40);
  const messages = base.messages.map((message, index) =>
    index === 1 || index === 70 ? { ...message, content: `${message.content} name${index}.ts` } : message,
  );
  const anchors = [1, 70].map((index) => ({ text: `name${index}.ts`, old: false, neighbours: [] }));
  const cuts = [
    { at: 2, anchors },
    { at: 71, anchors },
  ];
  const { cuts: scored, rows } = await runCost(
    options({ sessions: [{ ...base, messages, cuts }], policies: [everything, keepLast()], window: 1_100 }),
  );
  // At the first cut everything fits, so it says nothing.
  expect(scored).toBe(1);
  expect(rows.map((row) => row.anchors)).toEqual([1, 0.5]);
});

it("chains: in the order of time, with a pause between, and no call answered by another session", async () => {
  const call = (id: string): ChatMessage[] => [
    { role: "user", content: "Look." },
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id, type: "function", function: { name: "read", arguments: "{}" } }],
    },
    { role: "tool", content: "x".repeat(400), tool_call_id: id },
    { role: "assistant", content: "Seen." },
  ];
  const part = (id: string, at: number): CostSession => ({
    id,
    messages: call("call_1"),
    times: [0, 1, 2, 3].map((second) => at + second * SECOND),
    cuts: [{ at: 3, anchors: [{ text: "read", old: false, neighbours: [] }] }],
  });
  const size = part("", 0).messages.reduce((sum, message) => sum + messageTokens(message, counter.count), 0);
  const [chain, ...rest] = chainSessions([part("b", 9e9), part("a", 1e9)], 2 * size, counter.count);
  expect(rest).toEqual([]);
  expect(chain?.times[0]).toBe(1e9);
  expect(chain!.times[4]! - chain!.times[3]!).toBe(30 * 60 * SECOND);
  expect(chain?.messages[6]?.tool_call_id).toBe(chain?.messages[5]?.tool_calls?.[0]?.id);
  expect(chain?.messages[6]?.tool_call_id).not.toBe(chain?.messages[2]?.tool_call_id);
  expect(chain?.cuts.map(({ at }) => at)).toEqual([3, 7]);
  const { cold } = await runCost(options({ sessions: [chain!], policies: costPolicies }));
  expect(cold).toBe(1);
});
