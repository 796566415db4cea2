import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { profiles } from "../../src/profiles/index.ts";
import { countingModel, type Habit } from "./counting-model.ts";
import { headOf, longWork, type WorkSize } from "./long-work.ts";

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
}

/** What it took. */
interface WorkCount {
  readonly calls: number;
  readonly names: Readonly<Record<string, number>>;
  /** The fullest view that was sent. */
  readonly pressure: number;
  /** Share of the transcript that model-written records in the last view speak for. */
  readonly told: number;
}

export async function runWork(run: WorkRun): Promise<WorkCount> {
  const { size, window, rounds, habit, delay = 0, reserve } = run;
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
  let waits = 0;
  let pressure = 0;
  let view = "";
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
    });
    state = result.state;
    pressure = Math.max(pressure, result.report.pressure.after);
    view = JSON.stringify(result.messages);
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
  const names: Record<string, number> = {};
  for (const name of calls) names[name] = (names[name] ?? 0) + 1;
  return { calls: calls.length, names, pressure, told: toldShare(view, transcript.length) };
}

/** Messages named by the records of the summary message, as a share of all. */
function toldShare(view: string, messages: number): number {
  let told = 0;
  for (const [, from, to] of view.matchAll(/#(\d+)–(\d+): (?:Needed:|Step \d+ read)/g))
    told += Number(to) - Number(from) + 1;
  return told / messages;
}
