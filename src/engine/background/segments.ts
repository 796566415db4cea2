import { reasoningAllowance } from "../../apis/shared/model-traits.ts";
import { HUGE_CHARS } from "../../core/collections.ts";
import { isShown } from "../../core/draft.ts";
import { ModelError } from "../../core/errors.ts";
import { firstCharacters } from "../../core/first-characters.ts";
import { stringifyDeep } from "../../core/json.ts";
import { charsOf } from "../../core/message-text.ts";
import type { Message, Model, Run, Summary } from "../../core/types.ts";
import { type InputPiece, splitRuns } from "../../summaries/input/split-input.ts";
import { renderRun } from "../../summaries/input/summarizer-input.ts";
import { abridged } from "../../summaries/material/abridge.ts";
import { answerCap, PROMPTS, promptOf, stepPrompt } from "../../summaries/prompts/index.ts";
import { renderNarrative } from "../../summaries/records/render-narrative.ts";
import { citationRegistry, readForRecord } from "../../summaries/sources/citations.ts";
import { readStates } from "../../summaries/states/read-states.ts";
import { showStates } from "../../summaries/states/show-states.ts";
import { isOwn, isRolling, LEAST_RECORD, narrativeOf, recordLength, shareOf } from "../plan/narrative.ts";
import type { Operation } from "../read/survey.ts";
import { askSummary, isCancelled, isTimeout, type Summarizer, type Written } from "./ask-summary.ts";
import {
  absolute,
  createWritingTask,
  inOwnNumbers,
  inTurns,
  isTooLong,
  keyOf,
  MOST_SHORTENED,
  mustKeep,
  ownWindow,
  record,
  sourceTokens,
  summarizerWindow,
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
  task: WritingTask<M>,
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
      learnHaste(task, error);
      if (task.summarizer.signal.aborted || isCancelled(error)) break;
    }
  }
  // What was paid for is kept: it speaks for the beginning of the run, and the rest is offered again.
  if (written.length > 0) return { segments: written, failure };
  throw failure ?? noMode(task.summarizer.model.id);
}

function noMode(model: string): ModelError {
  return new ModelError({
    model,
    failure: "bad-request",
    message: "the forced summary mode can't be used here.",
    fix: "`continuation` needs `request` and a summariser of the same model; omit `summary.mode` to let precis choose.",
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

/** What a continuation says behind the last request, with its list of items, at most (tokens). */
const QUESTION_TOKENS = 2_000;

/** How a summary is asked for. */
export type Mode = "continuation" | ReadingMode;

/** How the transcript is written out for the summariser. */
type ReadingMode = "full" | "simple";

/** The rungs of the summariser's ladder that can be tried, in order. */
export function modesOf<M>(operation: Operation<M>, run: Run): Mode[] {
  const { engine, input, now } = operation;
  const { mode } = engine.settings.summary;
  const model = engine.summarizer!;
  const warm =
    input.lastRequestAt === undefined ||
    now - input.lastRequestAt <= (input.cacheTtlMs ?? engine.settings.cache.ttlMs);
  // The same model and the same request, or the provider's cache holds nothing of it.
  const continues =
    operation.range?.place !== "inside" &&
    input.request !== undefined &&
    model.continues === engine.dialect.id &&
    (input.request as { readonly model?: unknown }).model === model.id &&
    isInRequest(operation, run) &&
    isWithinWindow(operation) &&
    // In its own request the model reads the host's numbers, which may mean another source in every turn.
    !citationRegistry(abridged(operation.survey.conversation.messages)).isOwn;
  if (mode === "continuation") return continues ? ["continuation"] : [];
  if (mode === "full" || mode === "simple") return [mode];
  return continues && warm ? ["continuation", "full", "simple"] : ["full", "simple"];
}

/**
 * Does the summariser's window hold the last request, the question and the answer? The last request is no longer than the current view.
 * A summariser without a window of its own has that of the conversation, whose model it is.
 */
function isWithinWindow<M>(operation: Operation<M>): boolean {
  const { engine, survey } = operation;
  const model = engine.summarizer!;
  const window = ownWindow(model);
  if (window === undefined) return true;
  const { cap } = engine.settings.summary;
  const share = shareOf(operation);
  const ceiling = recordLength({ room: share, cap });
  const rolling = isRolling(engine.settings, share);
  const notes = notesRoom({ operation, ceiling, rolling, summarizer: { model } });
  const answer = answerCap(PROMPTS.continuation, ceiling, notes);
  const asked = survey.tokens + survey.budget.tools + QUESTION_TOKENS + taskTokens(operation);
  return asked + answer + reasoningAllowance(model.id, window) <= window;
}

/** What the host's own words add to the question, which may be pages. */
function taskTokens<M>({ engine, survey }: Operation<M>): number {
  const { prompt } = engine.settings.summary;
  const task = prompt === undefined ? undefined : promptOf(prompt).task;
  return task === undefined ? 0 : survey.conversation.measure.text(task);
}

/** A continuation is told to leave out what earlier records say, so it can only be the first of a record for all. */
export function rollingModes<M>(operation: Operation<M>, run: Run): Mode[] {
  const isFirst = run.from === 0 && operation.engine.settings.summary.merge !== "rolling";
  return modesOf(operation, run).filter((mode) => isFirst || mode !== "continuation");
}

/** Does the last request show all of the run? A summary of what the model can't see would be made up. */
function isInRequest<M>({ survey, transcript, input }: Operation<M>, run: Run): boolean {
  const { start } = survey.conversation.structure;
  if (!survey.current.fates.slice(start + run.from, start + run.to).every(isShown)) return false;
  const { last } = survey.state;
  if (last && last.length >= run.to && survey.conversation.chain[last.length] === last.hash) return true;
  const { messages, input: items } = input.request as { messages?: unknown; input?: unknown };
  const wire = transcript[start + run.to - 1];
  const sent = Array.isArray(messages) ? messages : Array.isArray(items) ? items : [];
  if (sent.includes(wire)) return true;
  // To write a huge text for each comparison takes too long; another way to summarise it is as good.
  if (survey.conversation.messages.some((message) => charsOf(message) > HUGE_CHARS)) return false;
  const newest = stringifyDeep(wire);
  return sent.findLast((message) => stringifyDeep(message) === newest) !== undefined;
}

/** Share of the summariser's window that is left free, because its own count may differ from ours. */
const WINDOW_MARGIN = 0.1;
/** What items to keep take in a prompt, in units of the ceiling. */
const PROMPT_CEILINGS = 0.4;
/** Requests for one compaction; the rest of a long run is left for the next one. */
export const MAX_REQUESTS = 12;
/** Pieces never get smaller than this, however small the summariser's window is (tokens). */
const LEAST_PIECE = 1_000;
/** A task that is only estimated can't be ended: nothing is written for it. */
const NEVER = new AbortController().signal;

/**
 * What the model reads, in as few requests as fit its window. Where that takes too many, long arguments and
 * results are clipped; what is still too much is left for the next compaction.
 */
function piecesOf<M>(
  task: WritingTask<M>,
  run: Run,
  {
    mode,
    previous,
    earlier,
  }: { mode: ReadingMode; previous?: string | undefined; earlier: string | undefined },
): { readonly pieces: readonly InputPiece[]; readonly mode: ReadingMode } {
  const { operation } = task;
  const { structure, measure } = operation.survey.conversation;
  const messages = readForRecord(operation.survey.conversation.messages);
  const { mode: forced } = operation.engine.settings.summary;
  const limit = pieceLimit(task, run, previous ?? earlier);
  const split = (as: ReadingMode): InputPiece[] =>
    splitRuns({
      messages,
      units: structure.units,
      run: absolute(task, run),
      limit,
      count: measure.text,
      mode: as,
    });
  const whole = split(mode);
  if (whole.length <= MAX_REQUESTS) return { pieces: whole, mode };
  const clipped = mode === "full" && forced === undefined ? split("simple") : whole;
  const [pieces, used] = clipped.length < whole.length ? [clipped, "simple" as const] : [whole, mode];
  return { pieces: task.complete ? pieces : pieces.slice(0, MAX_REQUESTS), mode: used };
}

/**
 * Tokens of transcript that one request may hold: what its window leaves beside the prompt and the answer, with the thoughts that a
 * model has before it. Servers that reserve the whole answer refuse what doesn't fit.
 */
function pieceLimit<M>(task: WritingTask<M>, run: Run, beside: string | undefined): number {
  const { operation, prompt, summarizer } = task;
  const { model, measure } = summarizer;
  const window = summarizerWindow(model);
  const { ceiling } = task;
  const { system = "", user } = prompt.render({
    transcript: "",
    covers: absolute(task, run),
    focus: operation.input.focus,
    target: ceiling,
    ...(beside !== undefined && { previous: beside }),
  });
  const asked = measure.text(system) + measure.text(user) + ceiling * PROMPT_CEILINGS;
  const answered = answerCap(prompt, ceiling, notesRoom(task)) + reasoningAllowance(model.id, window);
  return Math.max(LEAST_PIECE, Math.floor(window * (1 - WINDOW_MARGIN) - asked - answered));
}

/** How many requests a run takes, about: before anybody is asked. */
export function expectedRequests<M>(operation: Operation<M>, run: Run): number {
  const task = createWritingTask(operation, { signal: NEVER, calls: [] }, shareOf(operation));
  const tokens = sourceTokens(task, absolute(task, run));
  return Math.max(1, Math.ceil(tokens / pieceLimit(task, run, undefined)));
}

/** Notes are so many times as long as the record. */
const CEILINGS = 3;
/** They may take this share of the summariser's window: they are written and read again, and messages are what the window is for. */
const WINDOW_SHARE = 0.04;
/** Notes that are hardly longer than the record aren't worth asking for. */
const LEAST_CEILINGS = 1.5;

/** A model that had no time for them is asked for them again after this time (milliseconds). */
const HASTE_MS = 60 * 60_000;
/** Until when models are asked for the record alone. */
const inHaste = new WeakMap<Model, number>();

/** Tokens of notes for the next record; 0 where there is more than one record. */
function notesRoom<M>({
  operation,
  ceiling,
  rolling,
  summarizer,
}: Pick<WritingTask<M>, "operation" | "ceiling" | "rolling"> & {
  readonly summarizer: Pick<Summarizer, "model">;
}): number {
  const { model } = summarizer;
  const { hasCap } = operation.engine.settings;
  if (!rolling || hasCap || operation.now < (inHaste.get(model) ?? 0)) return 0;
  const room = Math.min(ceiling * CEILINGS, summarizerWindow(model) * WINDOW_SHARE);
  return room < ceiling * LEAST_CEILINGS ? 0 : Math.floor(room);
}

/** A model that didn't answer in time is asked for the record alone for a while. */
function learnHaste<M>({ operation, summarizer }: WritingTask<M>, error: unknown): void {
  if (isTimeout(error)) inHaste.set(summarizer.model, operation.now + HASTE_MS);
}
