import { mergeSizes, sizesOf } from "../core/answers.ts";
import { readAnswers } from "../core/state/read-answers.ts";
import type { Remembered } from "../core/state/remembered.ts";
import type { AnswerSizes } from "../core/types.ts";
import type { Engine } from "./engine.ts";

/** With what the compactor's model took for its answers: by the state, by the store and as was seen here. */
export function withAnswers<M>(
  { answers, modelName: model }: Engine<M>,
  remembered: Remembered,
  chain: readonly string[],
  stored: readonly AnswerSizes[] = [],
): Remembered {
  const hash = chain[1];
  if (hash === undefined) return remembered;
  const of = { hash, model };
  const own = readAnswers(
    stored.filter((one) => one.model === model),
    hash,
  );
  // What a state says is for its own host: nobody vouches for it, so it is neither remembered nor stored for others.
  const said = sizesOf(remembered.answers, of);
  const sizes = mergeSizes(said, answers.learn({ ...of, sizes: sizesOf(own, of) }));
  if (sizes.length === 0) return remembered;
  const others = remembered.answers.filter((one) => one.model !== model);
  return { ...remembered, answers: [...others, { ...of, sizes }] };
}

/** A time that no clock shows: a record that claims it is foreign, and the order of the others doesn't follow it. */
const LATEST_TIME = 8.64e15;

/** Records are ordered by their times: a clock that was set back must not make a new record older than those before it. */
export function afterRecords(
  now: number,
  { checkpoints, undos }: Pick<Remembered, "checkpoints" | "undos">,
): number {
  let latest = now;
  for (const { at } of [...checkpoints, ...undos]) if (at >= latest && at < LATEST_TIME) latest = at + 1;
  return latest;
}
