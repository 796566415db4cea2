import { MAX_MODEL_NAME, MOST_ANSWER_TOKENS, mergeSizes } from "../answers.ts";
import { isRecord } from "../is-record.ts";
import type { AnswerSize, AnswerSizes } from "../types.ts";
import { MAX_ANSWER_MODELS } from "./limits.ts";
import { isCount, isText } from "./record-checks.ts";

/** What a state or a store says about answers of this conversation; what is damaged or of another one is left out. */
export function readAnswers(value: unknown, conversation: string | undefined): readonly AnswerSizes[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly unknown[]).slice(-MAX_ANSWER_MODELS).flatMap((one) => {
    if (!isRecord(one) || one["hash"] !== conversation || !isText(one["hash"])) return [];
    const { hash, model, sizes } = one;
    if (!isText(model) || model.length > MAX_MODEL_NAME || !Array.isArray(sizes)) return [];
    return [{ hash, model, sizes: mergeSizes([], sizes.filter(isSize)) }];
  });
}

function isSize(value: unknown): value is AnswerSize {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    isCount(value[0]) &&
    isCount(value[1]) &&
    value[1] <= 2 * MOST_ANSWER_TOKENS
  );
}
