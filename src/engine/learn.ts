import { answerSize, haveSameStep, MAX_MODEL_NAME, MOST_ANSWER_TOKENS, mergeSizes } from "../core/answers.ts";
import type { AnswerSize, AnswerSizes, Observation } from "../core/types.ts";
import { createRecentMap } from "../tokens/recent-map.ts";
import type { Engine } from "./engine.ts";

/** Corrects the counting by what the provider counted. */
export function calibrate<M>(
  engine: Engine<M>,
  { usage, tokens, model = engine.modelName }: Observation<M>,
): void {
  if (!usage || tokens === undefined || engine.toldBounds.has(tokens)) return;
  const factor = model === engine.modelName ? engine.factor() : 1;
  engine.calibration.observe({ model, counted: tokens, reported: usage.input, factor });
}

/** Remembers what an answer took. False if the provider didn't say, or nobody knows which model it was. */
export async function learnAnswer<M>(
  engine: Engine<M>,
  { usage, stop, model = engine.modelName, input }: Observation<M>,
  conversation: string,
): Promise<boolean> {
  const tokens = usage?.output;
  if (tokens === undefined || !(tokens > 0 && tokens <= MOST_ANSWER_TOKENS)) return false;
  if (model.length > MAX_MODEL_NAME) return false;
  const size = answerSize(input?.now ?? Date.now(), tokens, stop === "length");
  const told = engine.answers.add({ hash: conversation, model }, size);
  if (told) await engine.records.save({ answers: [told] });
  return true;
}

/** Characters of the names of conversations and models that are remembered: some thousand of them. */
const MAX_NAMES = 256 * 1_024;

/** What answers took, by conversation and model: what this compactor saw, and what the store has from others. */
export interface Answers {
  /** What is known, with what the store says by now. */
  learn(stored: AnswerSizes): readonly AnswerSize[];
  /** One more answer. The record to be stored, if the store's leads to another figure; undefined otherwise. */
  add(of: Pick<AnswerSizes, "hash" | "model">, size: AnswerSize): AnswerSizes | undefined;
}

interface Known {
  readonly sizes: readonly AnswerSize[];
  /** As they are in the store, as far as is known here. */
  readonly stored: readonly AnswerSize[];
}

const NOTHING: Known = { sizes: [], stored: [] };

export function createAnswers(): Answers {
  const known = createRecentMap<Known>(MAX_NAMES);
  const nameOf = ({ hash, model }: Pick<AnswerSizes, "hash" | "model">) => `${hash} ${model}`;
  return {
    learn(stored) {
      const name = nameOf(stored);
      const before = known.get(name) ?? NOTHING;
      if (stored.sizes.length === 0) return before.sizes;
      const sizes = mergeSizes(before.sizes, stored.sizes);
      known.set(name, { sizes, stored: stored.sizes });
      return sizes;
    },
    add({ hash, model }, size) {
      const name = nameOf({ hash, model });
      const before = known.get(name) ?? NOTHING;
      const sizes = mergeSizes(before.sizes, [size]);
      const isTold = haveSameStep(sizes, before.stored);
      known.set(name, { sizes, stored: isTold ? before.stored : sizes });
      return isTold ? undefined : { hash, model, sizes };
    },
  };
}
