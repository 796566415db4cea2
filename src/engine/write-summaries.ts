import { shifted } from "../core/shifted.ts";
import type { PlannedCall, Run, Summary, Warning } from "../core/types.ts";
import { PROMPTS, type Prompt, stepPrompt } from "../summaries/prompts/index.ts";
import { isRolling, LEAST_RECORD, recordLength } from "./narrative-share.ts";
import type { Operation } from "./operation.ts";
import { ARGS_TOKENS, RESULT_TOKENS, summarizesRounds, unsealedRounds } from "./round-runs.ts";
import { speaksOfRounds } from "./wanted-run.ts";
import { mergeRecords, writeMerges } from "./writing/merges.ts";
import { modesOf, rollingModes } from "./writing/modes.ts";
import { expectedRequests, MAX_REQUESTS } from "./writing/pieces.ts";
import { writeRolling, writeSegments } from "./writing/segments.ts";
import { learnWindow, summarizerWindow } from "./writing/summarizer-window.ts";
import {
  createWritingTask,
  roomBeside,
  shareOf,
  unfinished,
  type Work,
  type WritingTask,
} from "./writing/writing-task.ts";

/** The records that a model wrote for a run. */
export interface Written {
  readonly records: readonly Summary[];
  /** Why it is only a part of what was asked for. */
  readonly failure?: unknown;
}

/**
 * Has the run summarised from its originals, then merges what outgrew its share. Throws if every rung failed; if only a
 * part of a long run could be summarised, that part is kept.
 */
export async function writeSummaries<M>(operation: Operation<M>, run: Run, work: Work): Promise<Written> {
  const { engine, survey } = operation;
  if (speaksOfRounds(operation)) return writeRounds(operation, run, work);
  await learnWindow(engine.summarizer!, work.signal);
  const share = shareOf(operation);
  const isInside = operation.range?.place === "inside";
  const rolling = !isInside && isRolling(engine.settings, share);
  const { cap } = engine.settings.summary;
  const length = rolling ? recordLength({ room: share, cap }) : share;
  const task = { ...createWritingTask(operation, work, length), rolling };
  const { segments, failure } = rolling ? await writeRolling(task, run) : await writeSegments(task, run);
  // Half of what was to be made anew would stand beside the other half of what it replaces.
  if (operation.anew && segments.at(-1)!.covers.to < run.to) throw unfinished(task);
  // What stands between other messages speaks for itself: it neither joins the records of the beginning nor goes on from them.
  const merges = rolling || isInside ? [] : await writeMerges(task, segments, share);
  engine.emitter.emit("progress", { done: 1, total: 1, label: "summary" });
  const known = new Set(survey.state.summaries.map(({ key }) => key));
  return { records: [...segments, ...merges].filter(({ key }) => !known.has(key)), failure };
}

/** Has finished rounds summarised: what was wanted, called, found. The talk around them stays, so nothing is merged. */
async function writeRounds<M>(operation: Operation<M>, bounds: Run, work: Work): Promise<Written> {
  const written: Summary[] = [];
  let failure: unknown;
  for (const rounds of roundsWithin(operation, bounds)) {
    const run = shifted(rounds, -operation.survey.conversation.structure.start);
    const task = createWritingTask(operation, work, roundsCeiling(operation, rounds));
    const modes = modesOf(operation, run).filter((mode) => mode !== "continuation");
    try {
      const place = { ...task, prompt: roundsPrompt(task), rolling: false, fixed: true };
      const part = await writeSegments(place, run, modes);
      written.push(...part.segments);
      failure = part.failure;
    } catch (error) {
      failure = error;
    }
    if (failure !== undefined) break;
  }
  if (written.length === 0 && failure !== undefined) throw failure;
  operation.engine.emitter.emit("progress", { done: 1, total: 1, label: "summary" });
  return { records: written, failure };
}

/** The prompts that a host can name are about conversations; only words of its own are about rounds, too. */
function roundsPrompt<M>({ prompt }: WritingTask<M>): Prompt {
  const step = PROMPTS["tool-rounds"];
  return prompt.isHosts ? { ...stepPrompt(step, prompt), task: prompt.task! } : step;
}

/** The rounds of a run that a model should be asked about (absolute indexes). */
function roundsWithin<M>({ survey }: Operation<M>, run: Run): readonly Run[] {
  const { conversation, state } = survey;
  return unsealedRounds(conversation, state.summaries, shifted(run, conversation.structure.start));
}

/** Half of what lines by code would take: the ceiling of one round's summary. */
function roundsCeiling<M>({ engine, survey }: Operation<M>, { from, to }: Run): number {
  const calls = survey.conversation.messages
    .slice(from, to)
    .reduce((sum, { parts }) => sum + parts.filter((part) => part.type === "tool-call").length, 0);
  const usual = Math.max(LEAST_RECORD, (calls * (ARGS_TOKENS + RESULT_TOKENS)) / 2);
  return Math.floor(Math.min(engine.settings.summary.cap, usual));
}

/** The requests that a summary of this run would make, about; none where the forced mode can't be used. */
export function plannedCalls<M>(operation: Operation<M>, run: Run): readonly PlannedCall[] {
  const { start } = operation.survey.conversation.structure;
  const { settings } = operation.engine;
  if (summarizesRounds(settings)) return plannedRounds(operation, run);
  const share = shareOf(operation);
  const rolling = isRolling(settings, share);
  const [rung] = rolling ? rollingModes(operation, run) : modesOf(operation, run);
  if (!rung) return [];
  const covers = [shifted(run, start)];
  const requests = rung === "continuation" ? 1 : Math.min(MAX_REQUESTS, expectedRequests(operation, run));
  const room = rolling ? share : roomBeside(operation, []) / requests;
  const { cap } = settings.summary;
  const planned = { name: `summarize-${rung}`, rung, covers, cap: recordLength({ room, cap }) };
  return Array.from({ length: requests }, () => planned);
}

/** Tells a host that its summariser's window makes many requests of one summary, before they are made. */
export function manyRequestsWarning<M>(operation: Operation<M>, run: Run): Warning | undefined {
  const { summarizer, settings } = operation.engine;
  if (!summarizer || summarizesRounds(settings) || modesOf(operation, run)[0] === "continuation")
    return undefined;
  const expected = expectedRequests(operation, run);
  if (expected <= MAX_REQUESTS) return undefined;
  return {
    code: "many-summary-requests",
    message: `What is to be summarised takes about ${expected} requests, because the window of ${summarizer.id} is taken as ${summarizerWindow(summarizer)} tokens. Long results are clipped, at most ${MAX_REQUESTS} requests are made for one compaction, and the rest is left for the next. Give the summariser its real \`window\` or choose one with a larger window.`,
  };
}

function plannedRounds<M>(operation: Operation<M>, bounds: Run): readonly PlannedCall[] {
  const rung = modesOf(operation, bounds).find((mode) => mode !== "continuation");
  if (!rung) return [];
  return roundsWithin(operation, bounds).map((run) => ({
    name: `summarize-${rung}`,
    rung,
    covers: [run],
    cap: roundsCeiling(operation, run),
  }));
}

/** A standalone summary of a run, in one text. */
export async function writeHandover<M>(
  operation: Operation<M>,
  run: Run,
  cap: number,
  work: Work,
): Promise<string> {
  await learnWindow(operation.engine.summarizer!, work.signal);
  const task = { ...createWritingTask(operation, work, cap), fixed: true, complete: true };
  const { segments: parts } = await writeSegments(task, run);
  if (parts.at(-1)!.covers.to < run.to) throw unfinished(task);
  return parts.length === 1 ? parts[0]!.text : (await mergeRecords(task, parts)).text;
}
