import { ModelError } from "../../core/errors.ts";
import { firstCharacters } from "../../core/first-characters.ts";
import type { Message, Run, Summary } from "../../core/types.ts";
import { renderRun } from "../../summaries/input/summarizer-input.ts";
import { PROMPTS, stepPrompt } from "../../summaries/prompts/index.ts";
import { renderNarrative } from "../../summaries/records/render-narrative.ts";
import { readForRecord } from "../../summaries/sources/cited-sources.ts";
import { readStates } from "../../summaries/states/read-states.ts";
import { showStates } from "../../summaries/states/show-states.ts";
import { isOwn, LEAST_RECORD, narrativeOf, shareOf } from "../plan/narrative.ts";
import { askSummary, isCancelled, type Written } from "./ask-summary.ts";
import {
  learnHaste,
  type Mode,
  modesOf,
  notesRoom,
  piecesOf,
  type ReadingMode,
  rollingModes,
} from "./modes.ts";
import { isTooLong, MOST_SHORTENED, summarizerWindow } from "./summarizer-window.ts";
import {
  absolute,
  inOwnNumbers,
  inTurns,
  keyOf,
  mustKeep,
  record,
  sourceTokens,
  type WritingTask,
  withRoom,
} from "./writing-task.ts";

/** Characters of the first tail message that a continuation quotes. */
const UNTIL_CHARACTERS = 80;

/** What came before a run is told in at most this share of the summariser's window: it is there to read the run. */
const EARLIER_SHARE = 0.03;

/** Records of a run, from its beginning on. */
export interface Segments {
  readonly segments: Summary[];
  /** Why they don't reach its end. */
  readonly failure?: unknown;
}

/** One record for the run, or several where it is larger than the summariser's window. */
export async function writeSegments<M>(
  task: WritingTask<M>,
  run: Run,
  modes: readonly Mode[] = modesOf(task.operation, run),
): Promise<Segments> {
  return downLadder(task, modes, async (mode, written) => {
    const rest = { from: written.at(-1)?.covers.to ?? run.from, to: run.to };
    if (mode !== "continuation") return writeShorter(task, rest, mode, written);
    const source = sourceTokens(task, absolute(task, rest));
    written.push(await continueSegment(withRoom(task, { written, source }), rest));
  });
}

/**
 * Previous summary and new messages become one record, piece by piece; where there is none yet, it may be continued. What a
 * person wrote stays as it is: the one record begins behind it.
 */
export async function writeRolling<M>(given: WritingTask<M>, run: Run): Promise<Segments> {
  const { state, conversation } = given.operation.survey;
  const { records: all } = narrativeOf(state.summaries, conversation.chain, run.from);
  const begin = all.findLastIndex(isOwn) + 1;
  const [standing, rollsFrom] = [all.slice(begin), all[begin - 1]?.covers.to ?? 0];
  const records = standing.map((one) => inOwnNumbers(given, one));
  const task = { ...given, rollsFrom };
  // Segments that were written under a larger budget are taken in together.
  const previous = records.at(-1) && {
    text: records.map(({ text }) => text).join("\n"),
    notes: notesOf(records),
    to: records.at(-1)!.covers.to,
  };
  const rewritten = Math.max(-1, ...records.map(({ level }) => level));
  const { segments, failure } = await downLadder(
    task,
    rollingModes(task.operation, run),
    async (mode, written) => {
      const last = written.at(-1);
      const earlier = last ? { text: last.text, notes: last.notes, to: last.covers.to } : previous;
      const rest = { from: earlier?.to ?? rollsFrom, to: run.to };
      if (mode === "continuation") written.push(await continueSegment(task, rest));
      else await writeShorter({ ...task, rewritten }, rest, mode, written, earlier);
    },
  );
  return { segments: segments.slice(-1), failure };
}

/** What was noted of what the records speak for; undefined where nothing was. */
function notesOf(records: readonly Summary[]): string | undefined {
  if (records.every(({ notes }) => notes === undefined)) return undefined;
  return records.map(({ notes, text }) => notes ?? text).join("\n");
}

/** Tries one mode after the other until one has written all that is left. */
async function downLadder<M>(
  { summarizer }: WritingTask<M>,
  modes: readonly Mode[],
  write: (mode: Mode, written: Summary[]) => Promise<void>,
): Promise<Segments> {
  const written: Summary[] = [];
  let failure: unknown;
  for (const mode of modes) {
    try {
      await write(mode, written);
      return { segments: written };
    } catch (error) {
      failure = error;
      learnHaste(summarizer.model, error);
      if (summarizer.signal.aborted || isCancelled(error)) break;
    }
  }
  // What was paid for is kept: it speaks for the beginning of the run, and the rest is offered again.
  if (written.length > 0) return { segments: written, failure };
  throw failure ?? noMode(summarizer.model.id);
}

function noMode(model: string): ModelError {
  return new ModelError({
    model,
    failure: "bad-request",
    message: "the forced summary mode can't be used here.",
    fix: "`continuation` needs `request` and a summariser of the same model; leave `summary.mode` out to let precis choose.",
  });
}

async function continueSegment<M>(task: WritingTask<M>, run: Run): Promise<Summary> {
  const { operation, ceiling, kind, summarizer } = task;
  const prompt = stepPrompt(PROMPTS.continuation, task.prompt);
  const { structure } = operation.survey.conversation;
  const messages = readForRecord(operation.survey.conversation.messages);
  const covers = absolute(task, run);
  const text = await askSummary(summarizer, {
    name: "summarize-continuation",
    rung: "continuation",
    prompt,
    input: {
      focus: operation.input.focus,
      kind,
      task: task.prompt.task,
      states: statesIn(task, covers),
      until: beginningOf(messages[structure.start + run.to]),
      hasRecord: run.from > 0,
    },
    mustKeep: await mustKeep(task, covers),
    covers,
    ceiling,
    source: sourceTokens(task, covers),
    sourceText: renderRun(messages, covers, "simple"),
    continues: operation.input.request,
    continuedTokens: operation.survey.tokens + operation.survey.budget.tools,
    notesCeiling: notesRoom(task),
  });
  return record(task, run, prompt, text, 0);
}

/** Pieces as long as the model takes them: one that says "too long" gets smaller ones, now and from then on. */
async function writeShorter<M>(
  task: WritingTask<M>,
  run: Run,
  mode: ReadingMode,
  written: Summary[],
  previous?: Written,
): Promise<void> {
  const { length } = written;
  for (let tries = 0; ; tries++) {
    const last = written.at(-1);
    const isBegun = last !== undefined && written.length > length;
    const rest = isBegun && !task.rolling ? { from: last.covers.to, to: run.to } : run;
    try {
      return await writePieces(task, rest, mode, written, previous);
    } catch (error) {
      const isAgain = task.rolling && written.length > length;
      if (isAgain || tries >= MOST_SHORTENED || !isTooLong(error)) throw error;
    }
  }
}

/** What a prompt says of what is done and open, at most (tokens). */
const MAX_STATES = 600;

/** What is done and open among these messages, as code reads it. */
function statesIn<M>({ operation }: WritingTask<M>, { from, to }: Run): readonly string[] {
  const { messages, measure } = operation.survey.conversation;
  const states = readStates(messages);
  const isHidden = (message: number): boolean => message >= from && message < to;
  return showStates(states, { isHidden, room: MAX_STATES, count: measure.text }).map(
    ({ head, text }) => `${head} ${text}`,
  );
}

async function writePieces<M>(
  task: WritingTask<M>,
  run: Run,
  mode: ReadingMode,
  /** Takes each record as soon as it is there. */
  written: Summary[],
  previous?: Written,
): Promise<void> {
  const { operation, prompt, summarizer, rolling, rollsFrom = 0, rewritten = -1, kind } = task;
  const { conversation, state } = operation.survey;
  const { start } = conversation.structure;
  const earlier =
    rolling && rollsFrom === 0 ? undefined : earlierRecord(task, written, rolling ? rollsFrom : run.from);
  const { pieces, mode: used } = await inTurns(task, absolute(task, run), () =>
    piecesOf(task, run, { mode, previous: previous?.notes ?? previous?.text, earlier }),
  );
  const records = [...written];
  let rolled = previous;
  for (const [done, piece] of pieces.entries()) {
    operation.engine.emitter.emit("progress", { done, total: pieces.length, label: `summarize-${used}` });
    const covers = { from: rolling ? rollsFrom : piece.run.from - start, to: piece.run.to - start };
    const source = sourceTokens(task, piece.run);
    const place = rolling ? task : withRoom(task, { written: records, pieces: pieces.length, source });
    const key = keyOf(place, covers, prompt);
    const known = state.summaries.find((one) => one.key === key);
    const text: Written =
      known ??
      (await askSummary(summarizer, {
        name: `summarize-${used}`,
        rung: used,
        prompt,
        input: {
          transcript: piece.text,
          covers: piece.run,
          focus: operation.input.focus,
          kind,
          task: prompt.task,
          states: statesIn(task, { from: absolute(task, covers).from, to: piece.run.to }),
          ...(rolled !== undefined &&
            (rolled.notes === undefined ? { previous: rolled.text } : { notes: rolled.notes })),
          ...(earlier !== undefined && { earlier }),
        },
        mustKeep: await mustKeep(place, piece.run),
        covers: piece.run,
        ceiling: place.ceiling,
        notesCeiling: notesRoom(place),
        // One record for everything replaces everything, however little is new.
        source: rolling ? sourceTokens(task, absolute(task, covers)) : piece.tokens,
        sourceText: piece.text,
      }));
    const level = rolling ? rewritten + 1 + done : 0;
    written.push(known ?? record(place, covers, prompt, text, level));
    if (rolling) rolled = text;
  }
}

/** What the records before a message say, so that a segment needn't repeat it and can say what it changes. */
function earlierRecord<M>(
  task: WritingTask<M>,
  written: readonly Summary[],
  before: number,
): string | undefined {
  const { chain, measure } = task.operation.survey.conversation;
  const { records } = narrativeOf([...task.operation.survey.state.summaries, ...written], chain, before);
  const placed = records
    .map((one) => inOwnNumbers(task, one))
    .map(({ text, covers }) => ({ text, covers: absolute(task, covers) }));
  const room = Math.min(shareOf(task.operation), summarizerWindow(task.summarizer.model) * EARLIER_SHARE);
  if (room < LEAST_RECORD) return undefined;
  const shown = renderNarrative(placed, { room, count: measure.text });
  return shown.length === 0 ? undefined : shown.map(({ head, text }) => `${head} ${text}`).join("\n");
}

function beginningOf(message: Message | undefined): string | undefined {
  const text = message?.parts.find((part) => part.type === "text")?.text.trim();
  return text ? firstCharacters(text, UNTIL_CHARACTERS) : undefined;
}
