import type { ChatMessage } from "../../src/apis/index.ts";
import { openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { profiles } from "../../src/profiles/index.ts";
import { headOf, longWork, type WorkSize } from "./long-work.ts";
import { countingModel, type Habit } from "./model.ts";

const SECOND = 1_000;
const START = 1_700_000_000_000;

/** One way to run the work. */
export interface WorkRun {
  readonly size: WorkSize;
  readonly window: number;
  readonly rounds: number;
  /** Left out: no model. */
  readonly habit?: Habit;
  /** Rounds that pass until a summary is there. 0: it is there before the next request. */
  readonly delay?: number;
  /** Tokens that the client wants to be free for the answer. */
  readonly reserve?: number;
  /** The last request is handed over, as the gateway does where it fits twice. */
  readonly continues?: boolean;
}

/** What it took. All sizes in tokens. */
export interface WorkCount {
  readonly budget: number;
  readonly head: number;
  readonly calls: number;
  readonly callsPerRound: number;
  readonly names: Readonly<Record<string, number>>;
  readonly rejected: number;
  readonly summarizerInput: number;
  readonly summarizerOutput: number;
  /** Sum over the requests of the conversation itself. */
  readonly mainInput: number;
  readonly compactions: number;
  readonly prefixBreaks: number;
  readonly pressure: { readonly mean: number; readonly most: number; readonly landed: number };
  /** Share of the transcript that model-written records in the last view speak for. */
  readonly told: number;
}

export async function runWork(run: WorkRun): Promise<WorkCount> {
  const { size, window, rounds, habit, delay = 0, reserve, continues = false } = run;
  const model = habit && countingModel(habit, window);
  const compactor = createCompactor<ChatMessage>({
    dialect: openaiChat,
    window,
    profile: profiles.agent,
    // How seldom it asks by itself is counted, not how the ceiling holds it back.
    summary: { costShare: 1 },
    ...(model && { summarizer: model }),
    ...(reserve !== undefined && { reserve }),
  });
  const { tools } = headOf(size);
  const transcript: ChatMessage[] = [];
  let state: unknown;
  let request: object | undefined;
  let waits = 0;
  let mainInput = 0;
  let compactions = 0;
  let prefixBreaks = 0;
  let rejected = 0;
  const pressures: number[] = [];
  const landed: number[] = [];
  let last = { budget: 0, head: 0, view: "" };
  let at = 0;
  for (const messages of longWork(size, rounds)) {
    transcript.push(...messages);
    const now = START + at++ * SECOND;
    if (delay > 0) model?.hold();
    const asked = model?.calls.length ?? 0;
    const result = await compactor.fit(transcript, {
      tools,
      now,
      lastRequestAt: now - SECOND,
      ...(state !== undefined && { state }),
      ...(continues && request !== undefined && { request }),
    });
    state = result.state;
    const { report } = result;
    request = { model: model?.id, messages: result.messages, tools };
    mainInput += report.tokens.after + report.budget.tools;
    pressures.push(report.pressure.after);
    if (report.outcome === "compacted") {
      compactions++;
      landed.push(report.pressure.after);
    }
    if (report.prefixChanged) prefixBreaks++;
    rejected += report.modelCalls.filter((call) => call.result !== "accepted").length;
    last = { budget: report.budget.budget, head: report.budget.head, view: JSON.stringify(result.messages) };
    if (delay === 0) await compactor.settled();
    else if ((model?.calls.length ?? 0) > asked || waits > 0) {
      waits++;
      if (waits >= delay) {
        model?.release();
        await compactor.settled();
        waits = 0;
      }
    }
  }
  model?.release();
  await compactor.close();
  const calls = model?.calls ?? [];
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const names: Record<string, number> = {};
  for (const { name } of calls) names[name] = (names[name] ?? 0) + 1;
  return {
    budget: last.budget,
    head: last.head,
    calls: calls.length,
    callsPerRound: calls.length / rounds,
    names,
    rejected,
    summarizerInput: calls.reduce((sum, { input }) => sum + input, 0),
    summarizerOutput: calls.reduce((sum, { output }) => sum + output, 0),
    mainInput,
    compactions,
    prefixBreaks,
    pressure: { mean: mean(pressures), most: Math.max(...pressures), landed: mean(landed) },
    told: toldShare(last.view, transcript.length),
  };
}

/** Messages named by the records of the summary message, as a share of all. */
function toldShare(view: string, messages: number): number {
  let told = 0;
  for (const [, from, to] of view.matchAll(/#(\d+)–(\d+): (?:Needed:|Step \d+ read)/g))
    told += Number(to) - Number(from) + 1;
  return told / messages;
}
