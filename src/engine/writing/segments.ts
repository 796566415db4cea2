import { stringifyDeep } from "../../core/deep-json.ts";
import { isShown } from "../../core/draft.ts";
import { ModelError } from "../../core/errors.ts";
import type { Message, Run, Summary } from "../../core/types.ts";
import { reasoningAllowance } from "../../models/shared/model-traits.ts";
import { answerCap, PROMPTS } from "../../summaries/prompts/index.ts";
import { renderNarrative } from "../../summaries/render-narrative.ts";
import { type InputPiece, splitRuns } from "../../summaries/split-input.ts";
import { renderRun } from "../../summaries/summarizer-input.ts";
import { isOwn, narrativeOf } from "../narrative.ts";
import { LEAST_RECORD } from "../narrative-share.ts";
import type { Operation } from "../operation.ts";
import { askSummary, isCancelled } from "../summarizer.ts";
import { learnFrom, MOST_SHORTENED, summarizerWindow } from "./summarizer-window.ts";
import {
  absolute,
  createWritingTask,
  keyOf,
  mustKeep,
  record,
  shareOf,
  sourceTokens,
  type WritingTask,
  withRoom,
} from "./writing-task.ts";

/** Share of the summariser's window that is left free, because its own count may differ from ours. */
const WINDOW_MARGIN = 0.1;
/** What items to keep take in a prompt, in units of the ceiling. */
const PROMPT_CEILINGS = 0.4;
/** Pieces never get smaller than this, however small the summariser's window is (tokens). */
const LEAST_PIECE = 1_000;

/** Characters of the first tail message that a continuation quotes. */
const UNTIL_CHARACTERS = 80;

/** What came before a run is told in at most this share of the summariser's window: it is there to read the run. */
const EARLIER_SHARE = 0.03;

/** For a task at which nothing is written. */
const NEVER = new AbortController().signal;

type Mode = "continuation" | "full" | "simple";

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
  const written: Summary[] = [];
  let failure: unknown;
  for (const mode of modes) {
    const rest = { from: written.at(-1)?.covers.to ?? run.from, to: run.to };
    try {
      if (mode === "continuation") {
        const source = sourceTokens(task, absolute(task, rest));
        written.push(await continueSegment(withRoom(task, { written, source }), rest));
      } else await writeShorter(task, rest, mode, written);
      return { segments: written };
    } catch (error) {
      failure = error;
      if (task.summarizer.signal.aborted || isCancelled(error)) break;
    }
  }
  // What was paid for is kept: it speaks for the beginning of the run, and the rest is offered again.
  if (written.length > 0) return { segments: written, failure };
  throw failure ?? noMode(task);
}

/**
 * Previous summary and new messages become one record, piece by piece; where there is none yet, it may be continued. What a
 * person wrote stays as it is: the one record begins behind it.
 */
export async function writeRolling<M>(given: WritingTask<M>, run: Run): Promise<Segments> {
  const { records: all } = narrativeOf(
    given.operation.survey.state.summaries,
    given.operation.survey.conversation.chain,
    run.from,
  );
  const begin = all.findLastIndex(isOwn) + 1;
  const records = all.slice(begin);
  const rollsFrom = all[begin - 1]?.covers.to ?? 0;
  const task = { ...given, rollsFrom };
  // Segments that were written under a larger budget are taken in together.
  const previous = records.at(-1) && {
    text: records.map(({ text }) => text).join("\n"),
    to: records.at(-1)!.covers.to,
  };
  const written: Summary[] = [];
  let failure: unknown;
  for (const mode of rollingModes(task.operation, run)) {
    const last = written.at(-1);
    const earlier = last ? { text: last.text, to: last.covers.to } : previous;
    const rest = { from: earlier?.to ?? rollsFrom, to: run.to };
    try {
      if (mode === "continuation") written.push(await continueSegment(task, rest));
      else await writeShorter(task, rest, mode, written, earlier?.text);
      failure = undefined;
      break;
    } catch (error) {
      failure = error;
      if (task.summarizer.signal.aborted || isCancelled(error)) break;
    }
  }
  if (written.length > 0) return { segments: written.slice(-1), failure };
  throw failure ?? noMode(task);
}

/** The rungs of the summariser's ladder that can be tried, in order. */
export function modesOf<M>(operation: Operation<M>, run: Run): Mode[] {
  const { engine, input, now } = operation;
  const { mode } = engine.settings.summary;
  const model = engine.summarizer!;
  const warm = input.lastRequestAt === undefined || now - input.lastRequestAt <= engine.settings.cache.ttlMs;
  // The same model and the same request, or the provider's cache holds nothing of it.
  const continues =
    operation.range?.place !== "inside" &&
    input.request !== undefined &&
    model.continues === engine.dialect.id &&
    (input.request as { readonly model?: unknown }).model === model.id &&
    isInRequest(operation, run);
  if (mode === "continuation") return continues ? ["continuation"] : [];
  if (mode === "full" || mode === "simple") return [mode];
  return continues && warm ? ["continuation", "full", "simple"] : ["full", "simple"];
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
  const newest = stringifyDeep(transcript[start + run.to - 1]);
  const sent = Array.isArray(messages) ? messages : Array.isArray(items) ? items : [];
  return sent.findLast((message) => stringifyDeep(message) === newest) !== undefined;
}

async function continueSegment<M>(task: WritingTask<M>, run: Run): Promise<Summary> {
  const { operation, ceiling, kind, summarizer } = task;
  const { messages, structure } = operation.survey.conversation;
  const covers = absolute(task, run);
  const text = await askSummary(summarizer, {
    name: "summarize-continuation",
    rung: "continuation",
    prompt: PROMPTS.continuation,
    input: {
      focus: operation.input.focus,
      kind,
      until: beginningOf(messages[structure.start + run.to]),
      hasRecord: run.from > 0,
    },
    mustKeep: mustKeep(task, covers),
    covers,
    ceiling,
    source: sourceTokens(task, covers),
    sourceText: renderRun(messages, covers, "simple"),
    continues: operation.input.request,
  });
  return record(task, run, PROMPTS.continuation, text, 0);
}

/** Pieces as long as the model takes them: one that says "too long" gets smaller ones, now and from then on. */
async function writeShorter<M>(
  task: WritingTask<M>,
  run: Run,
  mode: "full" | "simple",
  written: Summary[],
  previous?: string,
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
      if (isAgain || tries >= MOST_SHORTENED || !learnFrom(task.summarizer.model, error)) throw error;
    }
  }
}

async function writePieces<M>(
  task: WritingTask<M>,
  run: Run,
  mode: "full" | "simple",
  /** Takes each record as soon as it is there. */
  written: Summary[],
  previous?: string,
): Promise<void> {
  const { operation, prompt, summarizer, rolling, rollsFrom = 0, kind } = task;
  const { conversation, state } = operation.survey;
  const { start } = conversation.structure;
  const earlier =
    rolling && rollsFrom === 0 ? undefined : earlierRecord(task, written, rolling ? rollsFrom : run.from);
  const { pieces, mode: used } = piecesOf(task, run, { mode, previous, earlier });
  const records = [...written];
  let rolled = previous;
  for (const [done, piece] of pieces.entries()) {
    operation.engine.emitter.emit("progress", { done, total: pieces.length, label: `summarize-${used}` });
    const covers = { from: rolling ? rollsFrom : piece.run.from - start, to: piece.run.to - start };
    const source = sourceTokens(task, piece.run);
    const place = rolling ? task : withRoom(task, { written: records, pieces: pieces.length, source });
    const key = keyOf(place, covers, prompt);
    const known = state.summaries.find((one) => one.key === key);
    const text =
      known?.text ??
      (await askSummary(summarizer, {
        name: `summarize-${used}`,
        rung: used,
        prompt,
        input: {
          transcript: piece.text,
          covers: piece.run,
          focus: operation.input.focus,
          kind,
          ...(rolled !== undefined && { previous: rolled }),
          ...(earlier !== undefined && { earlier }),
        },
        mustKeep: mustKeep(place, piece.run),
        covers: piece.run,
        ceiling: place.ceiling,
        // One record for everything replaces everything, however little is new.
        source: rolling ? sourceTokens(task, absolute(task, covers)) : piece.tokens,
        sourceText: piece.text,
      }));
    written.push(known ?? record(place, covers, prompt, text, 0));
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
  const placed = records.map(({ text, covers }) => ({ text, covers: absolute(task, covers) }));
  const room = Math.min(shareOf(task.operation), summarizerWindow(task.summarizer.model) * EARLIER_SHARE);
  if (room < LEAST_RECORD) return undefined;
  const shown = renderNarrative(placed, room, measure.text);
  return shown.length === 0 ? undefined : shown.map(({ head, text }) => `${head} ${text}`).join("\n");
}

/**
 * What the model reads, in as few requests as fit its window. Where that takes more than the host allows, long arguments and
 * results are clipped; what is still too much is left for the next compaction.
 */
function piecesOf<M>(
  task: WritingTask<M>,
  run: Run,
  {
    mode,
    previous,
    earlier,
  }: { mode: "full" | "simple"; previous?: string | undefined; earlier: string | undefined },
): { readonly pieces: readonly InputPiece[]; readonly mode: "full" | "simple" } {
  const { operation } = task;
  const { messages, structure, measure } = operation.survey.conversation;
  const { maxRequests, mode: forced } = operation.engine.settings.summary;
  const limit = pieceLimit(task, run, previous ?? earlier);
  const split = (as: "full" | "simple"): InputPiece[] =>
    splitRuns({
      messages,
      units: structure.units,
      run: absolute(task, run),
      limit,
      count: measure.text,
      mode: as,
    });
  const whole = split(mode);
  if (whole.length <= maxRequests) return { pieces: whole, mode };
  const clipped = mode === "full" && forced === undefined ? split("simple") : whole;
  const [pieces, used] = clipped.length < whole.length ? [clipped, "simple" as const] : [whole, mode];
  return { pieces: task.complete ? pieces : pieces.slice(0, maxRequests), mode: used };
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
  const answered = answerCap(prompt, ceiling) + reasoningAllowance(model.id, window);
  return Math.max(LEAST_PIECE, Math.floor(window * (1 - WINDOW_MARGIN) - asked - answered));
}

/** How many requests a run takes, about: before anybody is asked. */
export function expectedRequests<M>(operation: Operation<M>, { from, to }: Run): number {
  const { conversation } = operation.survey;
  const { start } = conversation.structure;
  const tokens = conversation.tokens.slice(start + from, start + to).reduce((sum, one) => sum + one, 0);
  const task = createWritingTask(operation, { signal: NEVER, calls: [] }, shareOf(operation));
  return Math.max(1, Math.ceil(tokens / pieceLimit(task, { from, to }, undefined)));
}

function beginningOf(message: Message | undefined): string | undefined {
  const text = message?.parts.find((part) => part.type === "text")?.text.trim();
  return text ? text.slice(0, UNTIL_CHARACTERS) : undefined;
}

function noMode<M>({ summarizer }: WritingTask<M>): ModelError {
  return new ModelError({
    model: summarizer.model.id,
    failure: "bad-request",
    message: "the forced summary mode can't be used here.",
    fix: "`continuation` needs `request` and a summariser of the same model; leave `summary.mode` out to let precis choose.",
  });
}
