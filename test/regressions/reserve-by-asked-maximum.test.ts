import { describe, expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import type { CompactorOptions, FitInput, Observation, State } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import { chat } from "../../src/testing/index.ts";
import { talk } from "../support/host.ts";

/** A coding client asks for the longest answer that its model can give, and gets some hundred tokens. */
const WINDOW = 64_000;
const ASKED = 32_000;
const SHORT = 500;
const START = 1_700_000_000_000;

const compactorWith = (options: Partial<CompactorOptions<ChatMessage>> = {}) =>
  createCompactor<ChatMessage>({ dialect: openaiChat, window: WINDOW, ...options });

/** Fits and observes, `answers` times; the transcript stays as it is. */
async function answered(
  compactor: ReturnType<typeof compactorWith>,
  answers: readonly number[],
  more: { readonly input?: FitInput<ChatMessage>; readonly stop?: "length"; readonly from?: number } = {},
) {
  const transcript = [...talk(4), chat.user("and now?")];
  let view = await compactor.fit(transcript, { maxAnswer: ASKED, ...more.input });
  for (const [n, output] of answers.entries()) {
    const observation: Observation<ChatMessage> = {
      usage: { input: view.report.tokens.after, output },
      report: view.report,
      input: { now: START + (more.from ?? 0) + n },
      ...(more.stop && { stop: more.stop }),
    };
    await compactor.observe(observation);
    view = await compactor.fit(transcript, { maxAnswer: ASKED, ...more.input });
  }
  return view;
}

const times = (count: number, tokens: number) => Array.from({ length: count }, () => tokens);

describe("the output reserve", () => {
  it("isn't what the client asks for: with short answers the budget is nearly the window", async () => {
    const { report } = await answered(compactorWith(), times(10, SHORT));
    expect(report.budget.reserve).toBe(1_024);
    expect(report.budget.budget).toBeGreaterThan(0.95 * WINDOW);
  });

  it("rises with long answers, up to what is asked for and a fifth of the window", async () => {
    const compactor = compactorWith();
    expect((await answered(compactor, times(10, SHORT))).report.budget.reserve).toBe(1_024);
    const longer = await answered(compactor, [9_000], { from: 100 });
    expect(longer.report.budget.reserve).toBe(12_288);
    const longest = await answered(compactor, [31_000], { from: 200 });
    expect(longest.report.budget.reserve).toBe(WINDOW / 5);
    const lower = await answered(compactor, [], { input: { maxAnswer: 2_000 } });
    expect(lower.report.budget.reserve).toBe(2_000);
  });

  it("rises after an answer that was cut off, because nobody knows how long it would have been", async () => {
    const { report } = await answered(compactorWith(), [...times(8, SHORT), 4_000], { stop: "length" });
    expect(report.budget.reserve).toBeGreaterThan(2 * 4_000);
  });

  it("is the host's own figure where it set one", async () => {
    const { report } = await answered(compactorWith({ reserve: 5_000 }), times(10, SHORT));
    expect(report.budget.reserve).toBe(5_000);
  });

  it("of a long answer never makes a request impossible that would fit", async () => {
    const compactor = compactorWith({ window: 16_000 });
    const system = chat.system("A rule of the house. ".repeat(2_150));
    const transcript = [system, chat.user("and now?")];
    const { report } = await compactor.fit(transcript, { maxAnswer: ASKED });
    await compactor.observe({ usage: { input: 12_000, output: 30_000 }, report });
    const after = await compactor.fit(transcript, { maxAnswer: ASKED });
    expect(after.report.budget.reserve).toBe(2_000);
    expect(after.report.outcome).toBe("pass");
  });

  it("is known to the next process by the state, through JSON and with a key", async () => {
    for (const options of [{}, { stateKey: "a secret of sixteen characters" }]) {
      const { state } = await answered(compactorWith(options), times(10, SHORT));
      const back: unknown = JSON.parse(JSON.stringify(state));
      const { report } = await answered(compactorWith(options), [], { input: { state: back } });
      expect(report.budget.reserve).toBe(1_024);
    }
  });

  it("is known by the state that `observe` gives back to a process that ends after each answer", async () => {
    const transcript = [...talk(4), chat.user("and now?")];
    let state: State | undefined;
    for (let n = 0; n < 10; n++) {
      const compactor = compactorWith();
      const { report } = await compactor.fit(transcript, { state, maxAnswer: ASKED });
      state = await compactor.observe({
        usage: { input: report.tokens.after, output: SHORT },
        transcript: [...transcript, chat.assistant("It is done.")],
        input: { state, now: START + n },
      });
    }
    const { report } = await compactorWith().fit(transcript, { state, maxAnswer: ASKED });
    expect(report.budget.reserve).toBe(1_024);
  });

  it("isn't moved by a state that was damaged, is of another chat or claims nonsense", async () => {
    const { state } = await answered(compactorWith(), [...times(10, SHORT), 9_000]);
    const [known] = state.answers!;
    const hostile: readonly unknown[] = [
      "x",
      [null],
      [{ ...known, hash: "0".repeat(64) }],
      [{ ...known, model: 7 }],
      [{ ...known, model: "another-model" }],
      [{ ...known, sizes: [[1, -5], [1, Number.NaN], ["1", 5], [2, 1e12], [3], 4, null] }],
      [{ ...known, sizes: "no" }],
    ];
    for (const answers of hostile) {
      const { report } = await answered(compactorWith(), [], { input: { state: { ...state, answers } } });
      expect(report.budget.reserve, JSON.stringify(answers)).toBe(8_000);
    }
  });

  it("is known to a second node by the store, which isn't written to with every answer", async () => {
    const store = memoryStore();
    let writes = 0;
    const counted = {
      ...store,
      save: (records: Parameters<typeof store.save>[0]) => {
        writes++;
        return store.save(records);
      },
    };
    const one = compactorWith({ store: counted });
    const other = compactorWith({ store: counted });
    await answered(one, times(40, SHORT));
    expect(writes).toBe(1);
    expect((await answered(other, [])).report.budget.reserve).toBe(1_024);
    await answered(other, [6_000], { from: 1_000 });
    expect((await answered(one, [])).report.budget.reserve).toBe(8_192);
    expect(writes).toBe(2);
  });

  it("of one host's state isn't told to others who share the compactor", async () => {
    const { state } = await answered(compactorWith(), times(10, 9_000));
    const shared = compactorWith();
    expect((await answered(shared, [], { input: { state } })).report.budget.reserve).toBe(12_288);
    expect((await answered(shared, [])).report.budget.reserve).toBe(8_000);
  });
});

it("a view changes nothing before its end while answers come in, short and long", async () => {
  const compactor = compactorWith({ window: 8_000 });
  const transcript = [...talk(60), chat.user("go on")];
  let state: State | undefined;
  let before: readonly ChatMessage[] = [];
  let compactions = 0;
  const reserves = new Set<number>();
  for (let n = 0; n < 60; n++) {
    const view = await compactor.fit(transcript, { state, maxAnswer: ASKED, now: START + n });
    state = JSON.parse(JSON.stringify(view.state)) as State;
    if (view.report.outcome === "compacted") compactions++;
    else {
      expect(view.report.prefixReason, `request ${n}`).toBeUndefined();
      expect(view.messages.slice(0, before.length), `request ${n}`).toEqual(before);
    }
    before = view.messages;
    reserves.add(view.report.budget.reserve);
    const output = n % 25 === 10 ? 1_500 : 60 + ((n * 17) % 90);
    await compactor.observe({
      usage: { input: view.report.tokens.after, output },
      report: view.report,
      input: { now: START + n },
    });
    transcript.push(chat.assistant(`Done ${n}.`), chat.user(`And ${n}? ${"More of it. ".repeat(6)}`));
  }
  expect(reserves.size).toBeGreaterThan(1);
  expect(compactions).toBeLessThan(6);
});

it("a report says how long the answer may be", async () => {
  const { report } = await answered(compactorWith(), []);
  const { window, tools, safety } = report.budget;
  expect(report.answer).toBe(ASKED);
  const free = await compactorWith().fit([...talk(4), chat.user("and now?")]);
  expect(free.report.answer).toBe(window! - tools - safety - free.report.tokens.after);
  const endless = await createCompactor({ dialect: openaiChat, budget: 9_000 }).fit([chat.user("hello")]);
  expect(endless.report.answer).toBeUndefined();
});
