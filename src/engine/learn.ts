import { answerSize, MAX_MODEL_NAME, MOST_ANSWER_TOKENS } from "../core/answers.ts";
import type { Observation } from "../core/types.ts";
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
