import { shifted } from "../../core/rounds.ts";
import type { PlannedCall, Run, Summary, Warning } from "../../core/types.ts";
import { type MustKeep, missingItems } from "../../summaries/keep/must-keep.ts";
import { PROMPTS, type Prompt, stepPrompt } from "../../summaries/prompts/index.ts";
import { isRolling, LEAST_RECORD, mergeDue, narrativeOf, recordLength, shareOf } from "../plan/narrative.ts";
import {
  ARGS_TOKENS,
  RESULT_TOKENS,
  speaksOfRounds,
  summarizesRounds,
  unsealedRounds,
} from "../plan/wanted-run.ts";
import type { Operation } from "../read/survey.ts";
import { askSummary } from "./ask-summary.ts";
import {
  expectedRequests,
  MAX_REQUESTS,
  modesOf,
  rollingModes,
  writeRolling,
  writeSegments,
} from "./segments.ts";
import {
  absolute,
  createWritingTask,
  inOwnNumbers,
  learnWindow,
  mustKeep,
  record,
  roomBeside,
  summarizerWindow,
  unfinished,
  type Work,
  type WritingTask,
} from "./writing-task.ts";

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
const roundsWithin = <M>(operation: Operation<M>, run: Run): readonly Run[] =>
  unsealedRounds(operation, shifted(run, operation.survey.conversation.structure.start));

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

/** Share of a merged record that items of its parts may take, besides citations. */
const MERGE_ITEMS_SHARE = 0.3;
/** Share of a summariser's window that records to merge may take; the rest is for the prompt and the answer. */
const READ_SHARE = 0.45;
/** So many records of one level become one of the next. */
const FANOUT = 8;

/** Merges the oldest records of the lowest level while all of them together are too large. A failure ends it quietly. */
async function writeMerges<M>(
  task: WritingTask<M>,
  segments: readonly Summary[],
  share: number,
): Promise<Summary[]> {
  const { survey, engine } = task.operation;
  const { chain } = survey.conversation;
  const { cap } = engine.settings.summary;
  const merges: Summary[] = [];
  for (;;) {
    const all = [...survey.state.summaries, ...segments, ...merges];
    const due = mergeDue(narrativeOf(all, chain, chain.length - 1), share, FANOUT);
    if (!due) break;
    try {
      const source = due.reduce((sum, part) => sum + part.tokens.source, 0);
      const room = roomBeside(task.operation, [...segments, ...merges], due);
      merges.push(await mergeRecords({ ...task, ceiling: recordLength({ room, source, cap }) }, due));
    } catch {
      // The segments stand without it.
      break;
    }
  }
  return merges;
}

/** Records become one; first in groups where all of them together are more than the summariser can read. */
async function mergeRecords<M>(task: WritingTask<M>, parts: readonly Summary[]): Promise<Summary> {
  const groups = groupsWithin(parts, summarizerWindow(task.summarizer.model) * READ_SHARE);
  if (groups.length === 1 || groups.length === parts.length) return mergeGroup(task, parts);
  const merged: Summary[] = [];
  for (const group of groups) merged.push(group.length === 1 ? group[0]! : await mergeGroup(task, group));
  return mergeRecords(task, merged);
}

function groupsWithin(parts: readonly Summary[], limit: number): Summary[][] {
  const groups: Summary[][] = [];
  let tokens = Number.POSITIVE_INFINITY;
  for (const part of parts) {
    tokens += part.tokens.text;
    if (tokens <= limit) groups.at(-1)!.push(part);
    else {
      groups.push([part]);
      tokens = part.tokens.text;
    }
  }
  return groups;
}

async function mergeGroup<M>(task: WritingTask<M>, standing: readonly Summary[]): Promise<Summary> {
  const parts = standing.map((one) => inOwnNumbers(task, one));
  const { operation, ceiling, kind, summarizer } = task;
  const prompt = stepPrompt(PROMPTS.merge, task.prompt);
  const run = { from: parts[0]!.covers.from, to: parts.at(-1)!.covers.to };
  const covers = absolute(task, run);
  const written = await askSummary(summarizer, {
    name: "summarize-merge",
    rung: "full",
    prompt,
    input: {
      summaries: parts.map((part) => ({ text: part.text, covers: absolute(task, part.covers) })),
      focus: operation.input.focus,
      kind,
      task: task.prompt.task,
    },
    mustKeep: await carriedItems(task, parts),
    covers,
    ceiling,
    source: parts.reduce((sum, part) => sum + part.tokens.text, 0),
  });
  return record(task, run, prompt, written, Math.max(...parts.map(({ level }) => level)) + 1);
}

/**
 * What a merge must not lose: what its parts still carry, the first item of each part before the second of any, because
 * the newest part would take all of the room otherwise. What a part left out can't be asked of a merge.
 */
async function carriedItems<M>(task: WritingTask<M>, parts: readonly Summary[]): Promise<MustKeep[]> {
  const lists: MustKeep[][] = [];
  for (const part of parts) {
    const items = await mustKeep(task, absolute(task, part.covers));
    const lacking = new Set(missingItems(part.text, items));
    lists.push(items.filter((item) => !lacking.has(item)));
  }
  const cited = lists.flat().filter(({ kind }) => kind === "citation");
  const chosen = new Map(cited.map((item) => [item.text, item]));
  const { measure } = task.summarizer;
  let left = task.ceiling * MERGE_ITEMS_SHARE;
  for (let rank = 0; left > 0 && lists.some((list) => rank < list.length); rank++) {
    for (const item of lists.flatMap((list) => list.slice(rank, rank + 1))) {
      left -= chosen.has(item.text) ? 0 : measure.text(`${item.text}\n`);
      if (left >= 0) chosen.set(item.text, item);
    }
  }
  return [...chosen.values()];
}
