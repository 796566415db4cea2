import { reasoningAllowance } from "../../apis/shared/model-traits.ts";
import { stringifyDeep } from "../../core/deep-json.ts";
import { isShown } from "../../core/draft.ts";
import { charsOf } from "../../core/message-text.ts";
import type { Run } from "../../core/types.ts";
import { abridged } from "../../summaries/abridge.ts";
import { citationRegistry } from "../../summaries/citations.ts";
import { answerCap, PROMPTS, promptOf } from "../../summaries/prompts/index.ts";
import { isRolling, recordLength } from "../narrative-share.ts";
import type { Operation } from "../operation.ts";
import { notesRoom } from "./notes-room.ts";
import { ownWindow } from "./summarizer-window.ts";
import { shareOf } from "./writing-task.ts";

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
  const warm = input.lastRequestAt === undefined || now - input.lastRequestAt <= engine.settings.cache.ttlMs;
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
