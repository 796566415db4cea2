import type { Pause } from "../core/pause.ts";
import type { FitInput } from "../core/types.ts";
import { createPause } from "../recall/pause.ts";
import type { ChosenRange } from "./choose-range.ts";
import type { Engine } from "./engine.ts";
import { type Survey, type SurveyOptions, takeSurvey } from "./survey.ts";

/** One use of a compactor (a `fit`, a `compact`, an `undo` …): what it was given, and the survey that it works on. */
export interface Operation<M> {
  readonly engine: Engine<M>;
  readonly transcript: readonly M[];
  readonly input: FitInput<M> & { readonly focus?: string };
  readonly survey: Survey<M>;
  readonly now: number;
  /** Long work stops here now and then. */
  readonly pause: Pause;
  /** Summaries are asked for anew, whatever is known. */
  readonly anew?: boolean;
  /** The view is to fill a budget of so many tokens, for this operation alone. */
  readonly filling?: number;
  /** The messages that a person chose to hide. */
  readonly range?: ChosenRange;
}

/** Takes the survey of a transcript, for one use of a compactor. */
export async function beginOperation<M>(
  engine: Engine<M>,
  transcript: readonly M[],
  input: Operation<M>["input"],
  more: SurveyOptions = {},
): Promise<Operation<M>> {
  const now = input.now ?? Date.now();
  const survey = await takeSurvey(engine, transcript, input, { ...more, now });
  return {
    engine,
    transcript,
    input: { ...input, system: survey.system },
    now,
    survey,
    pause: createPause(input.signal),
  };
}
