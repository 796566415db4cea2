import { reasoningAllowance } from "../../apis/shared/model-traits.ts";
import type { Run } from "../../core/types.ts";
import { readForRecord } from "../../summaries/cited-sources.ts";
import { answerCap } from "../../summaries/prompts/index.ts";
import { type InputPiece, splitRuns } from "../../summaries/split-input.ts";
import type { Operation } from "../operation.ts";
import type { ReadingMode } from "./modes.ts";
import { notesRoom } from "./notes-room.ts";
import { summarizerWindow } from "./summarizer-window.ts";
import { absolute, createWritingTask, shareOf, sourceTokens, type WritingTask } from "./writing-task.ts";

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
