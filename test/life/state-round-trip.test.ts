import { describe, expect, it } from "vitest";
import type { CompactorOptions, FitInput, Sized, State, StrategyName } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { editedSummary, memoryStore } from "../../src/index.ts";
import { profiles } from "../../src/profiles/index.ts";
import { gatedModel } from "../summaries/gated-model.ts";
import { BUILDERS, dialectOf } from "../support/dialects.ts";
import { sent, session } from "../support/host.ts";

const NOW = 1_700_000_000_000;
const KEY = "a secret of this server only";
const STRATEGIES: readonly StrategyName[] = [
  "summarize-oldest",
  "summarize-and-drop",
  "tool-summaries",
  "drop-middle",
  "truncate-oldest",
];
const throughJson = (state: State): unknown => JSON.parse(JSON.stringify(state));

/** A session with results of all sizes, some of which come again. */
function work(id: string): { messages: object[]; input: FitInput<object> } {
  const b = BUILDERS[id]!;
  const { messages, system } = session(20, id);
  const lines = (count: number, seed: number) =>
    Array.from(
      { length: count },
      (_, n) => `${seed}.${n}: value${(n * 7919 + seed) % 1_000} = "${"ab".repeat(n % 9)}"`,
    ).join("\n");
  for (let n = 0; n < 12; n++) {
    const args =
      n % 3 === 0 ? { path: `src/f${n % 4}.ts`, content: lines(30, n) } : { path: `src/f${n % 4}.ts` };
    messages.push(
      b.user(`Step ${n}.`),
      ...b.round("read", args, lines(5 + n * 12, n), `big${n}`),
      b.assistant(`Read ${n}.`),
    );
  }
  messages.push(b.user("What is next?"));
  return { messages, input: { now: NOW, lastRequestAt: NOW, ...(system !== undefined && { system }) } };
}

/** Another process: it has nothing but the state. */
async function elsewhere(id: string, options: Partial<CompactorOptions<object>> & Sized, state: State) {
  const { messages, input } = work(id);
  const compactor = createCompactor<object>({ dialect: dialectOf(id), ...options });
  const result = await compactor.fit(messages, { ...input, state: throughJson(state) });
  await compactor.close();
  return result;
}

describe.each(Object.keys(BUILDERS))("%s: a state that goes through JSON to another compactor", (id) => {
  const { messages, input } = work(id);
  const cases = STRATEGIES.flatMap((strategy) =>
    [2_000, 4_000, 8_000].map((budget) => ({ strategy, budget })),
  );

  it.each(cases)("gives the same view: $strategy, $budget tokens", async (options) => {
    const first = await createCompactor<object>({ dialect: dialectOf(id), ...options }).fit(messages, input);
    expect(first.report.outcome).toBe("compacted");
    const second = await elsewhere(id, options, first.state);
    expect(second.report.outcome).toBe("view");
    expect(sent(second)).toBe(sent(first));
    expect(second.report.warnings.filter(({ code }) => code.startsWith("state"))).toEqual([]);
    expect(second.state).toEqual(first.state);
  });

  it.each(["rag", "desktop", "editor", "agent", "stream"] as const)(
    "gives the same view if it is signed: %s",
    async (name) => {
      const options = { profile: profiles[name], window: 8_000, budget: 4_000, stateKey: KEY };
      const first = await createCompactor<object>({ dialect: dialectOf(id), ...options }).fit(
        messages,
        input,
      );
      expect(first.report.outcome).toBe("compacted");
      const second = await elsewhere(id, options, first.state);
      expect(sent(second)).toBe(sent(first));
      expect(second.report.prefixChanged).toBe(false);
    },
  );

  it("holds what was compacted by hand, undone and made ahead", async () => {
    const options = { budget: 30_000 };
    const host = createCompactor<object>({ dialect: dialectOf(id), ...options });
    const passed = await host.fit(messages, input);
    const compacted = await host.compact(messages, input);
    expect(compacted.report.outcome).toBe("compacted");
    expect(sent(await elsewhere(id, options, compacted.state))).toBe(sent(compacted));
    const undone = await host.undo(messages, { ...input, state: compacted.state });
    expect(sent(await elsewhere(id, options, undone))).toBe(sent(passed));
  });
});

it("a summary that a person edited is in the next state, and is shown from the next compaction on", async () => {
  const { messages, input } = work("openai-chat");
  const options = { dialect: dialectOf("openai-chat"), budget: 6_000 };
  const store = memoryStore();
  const host = createCompactor<object>({ ...options, store, summarizer: gatedModel() });
  const first = await host.compact(messages, input);
  const state = await first.background;
  expect(state.summaries).toHaveLength(1);
  const edited = editedSummary(state.summaries[0]!, {
    text: "The user wants it in Esperanto.",
    now: NOW + 1,
  });
  await store.save({ summaries: [edited] });
  const next = await host.fit(messages, { ...input, state });
  expect(next.state.summaries).toContainEqual(edited);
  const model = gatedModel();
  const other = createCompactor<object>({ ...options, summarizer: model });
  const again = await other.compact(messages, { ...input, now: NOW + 2, state: throughJson(next.state) });
  expect(sent(again)).toContain("Esperanto");
  expect(model.requests).toHaveLength(0);
});
