import { firstReserve } from "../core/answers.ts";
import { budgetOf } from "../core/budget.ts";
import { forgetOldest } from "../core/keep-newest.ts";
import { systemMessage } from "../core/render.ts";
import type { FitInput, Measure } from "../core/types.ts";
import { hasSystem } from "./conversation.ts";
import type { Engine } from "./engine.ts";

/** A request is surely far below everything that may be due if its bound is below this share of the budget. */
const SURELY_SMALL = 0.25;
/** Bounds that are remembered, so that nothing is learnt from them. */
const MAX_TOLD = 256;

/**
 * The measure for a request that is so short that nothing can be due, whatever its exact count is: a bound shows it, and the
 * tokenizer needn't be loaded. Undefined where the exact count may matter.
 */
export function measureOfShort<M>(
  engine: Engine<M>,
  transcript: readonly M[],
  input: FitInput<M>,
): Measure | undefined {
  const measure = engine.bounds();
  if (!measure || input.rejected) return undefined;
  try {
    return isSurelySmall(engine, transcript, input, measure) ? measure : undefined;
  } catch {
    // What is wrong with the request is said by whoever reads it for good.
    return undefined;
  }
}

function isSurelySmall<M>(
  { dialect, settings }: Engine<M>,
  transcript: readonly M[],
  input: FitInput<M>,
  measure: Measure,
): boolean {
  const { window, budget, reserve, safety } = settings;
  const answer = window === undefined ? undefined : firstReserve(window, input.maxAnswer);
  const tools = input.tools === undefined ? 0 : measure.tools(input.tools);
  const whole = budgetOf({ window, budget, reserve, answer, safety, tools: 0, head: 0 }).budget;
  const limit = Math.min(
    whole * SURELY_SMALL,
    // An answer that may fill the rest of the window is lowered to the exact rest.
    window === undefined || input.maxAnswer === undefined ? whole : window - input.maxAnswer,
  );
  let tokens = tools;
  for (const message of parts(input, transcript)) {
    if (tokens > limit) return false;
    tokens += measure.message(dialect.read(message));
  }
  return tokens <= limit;
}

/** Everything of a request that has messages. */
function* parts<M>({ system, extras = [] }: FitInput<M>, transcript: readonly M[]): Iterable<M> {
  if (hasSystem(system)) yield systemMessage<M>(system);
  yield* extras;
  yield* transcript;
}

/** Remembers a count that was told as a bound. */
export function tellBound<M>({ toldBounds }: Engine<M>, tokens: number): void {
  toldBounds.add(tokens);
  forgetOldest(toldBounds, MAX_TOLD);
}
