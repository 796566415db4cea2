import { reasoningAllowance } from "../../apis/shared/model-traits.ts";
import { stringifyDeep } from "../../core/deep-json.ts";
import { isShown } from "../../core/draft.ts";
import { charsOf } from "../../core/message-text.ts";
import type { Model, Run } from "../../core/types.ts";
import { type InputPiece, splitRuns } from "../../summaries/input/split-input.ts";
import { abridged } from "../../summaries/material/abridge.ts";
import { answerCap, PROMPTS, promptOf } from "../../summaries/prompts/index.ts";
import { citationRegistry } from "../../summaries/sources/citations.ts";
import { readForRecord } from "../../summaries/sources/cited-sources.ts";
import { isRolling, recordLength, shareOf } from "../plan/narrative.ts";
import type { Operation } from "../read/survey.ts";
import { isTimeout, type Summarizer } from "./ask-summary.ts";
import { ownWindow, summarizerWindow } from "./summarizer-window.ts";
import { absolute, createWritingTask, sourceTokens, type WritingTask } from "./writing-task.ts";

/** What a continuation says behind the last request, with its list of items, at most (tokens). */
const QUESTION_TOKENS = 2_000;

/** How a summary is asked for. */
export type Mode = "continuation" | ReadingMode;

/** How the transcript is written out for the summariser. */
export type ReadingMode = "full" | "simple";

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

/** Of a conversation with a longer message nobody asks whether it is in the last request (characters). */
const LONGEST_COMPARED = 1_000_000;

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
  if (survey.conversation.messages.some((message) => charsOf(message) > LONGEST_COMPARED)) return false;
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
export function piecesOf<M>(
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

/** Models that had no time for them. */
const slow = new WeakSet<Model>();

/** Tokens of notes for the next record; 0 where there is more than one record. */
export function notesRoom<M>({
  operation,
  ceiling,
  rolling,
  summarizer,
}: Pick<WritingTask<M>, "operation" | "ceiling" | "rolling"> & {
  readonly summarizer: Pick<Summarizer, "model">;
}): number {
  const { model } = summarizer;
  const { hasCap } = operation.engine.settings;
  if (!rolling || hasCap || slow.has(model)) return 0;
  const room = Math.min(ceiling * CEILINGS, summarizerWindow(model) * WINDOW_SHARE);
  return room < ceiling * LEAST_CEILINGS ? 0 : Math.floor(room);
}

/** A model that didn't answer in time is asked for the record alone from then on. */
export function learnHaste(model: Model, error: unknown): void {
  if (isTimeout(error)) slow.add(model);
}
