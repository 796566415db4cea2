import { stringifyDeep } from "../../core/deep-json.ts";
import { isShown } from "../../core/draft.ts";
import type { Run } from "../../core/types.ts";
import type { Operation } from "../operation.ts";

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
