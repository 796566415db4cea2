import { isShown } from "../../core/draft.ts";
import type { Measure } from "../../core/types.ts";
import { reductions } from "../../reductions/index.ts";
import { chooseTail } from "../plan/tail.ts";
import { draftTokens, fixedTokens, mustShow } from "../read/conversation.ts";
import { neededReasoning } from "../read/reasoning.ts";
import type { Rung } from "./step.ts";

/** A batch is worth changing the prefix for when it frees this share of the view. */
const LEAST_GAIN = 0.15;
/** Reductions are enough by themselves when the view then lands at or below this share of room. */
const ENOUGH = 0.6;
/** What one old result may keep, tried from generous to strict (tokens). */
const ALLOWANCES = [4_000, 2_000, 1_000, 500];

/** Rung 1: makes the shown middle smaller in one batch, with as generous an allowance as reaches the aim. */
export const reduce: Rung = async (input) => {
  const { conversation, current, settings, rules, limit, goal, anyGain } = input;
  const { messages, structure } = conversation;
  const measure = countingOnce(conversation.measure);
  const before = draftTokens(conversation, current);
  const fixed = fixedTokens(conversation);
  const aim = anyGain ? goal : Math.min(limit, fixed + Math.floor((limit - fixed) * ENOUGH));
  const tail = chooseTail(conversation, {
    tail: settings.tail,
    limit: settings.tail.tokens ?? Math.floor((goal - fixed) * settings.tail.share),
    soft: false,
  });
  const reducible = (index: number) =>
    index < tail.from && isShown(current.fates[index]!) && !mustShow(conversation, index);
  const needsReasoning = neededReasoning(conversation, rules);
  const given = { messages, structure, reducible, needsReasoning, measure, images: settings.images };
  for (const allowance of ALLOWANCES) {
    let draft = current;
    for (const reduction of reductions) {
      await input.pause();
      draft = reduction.apply(draft, { ...given, allowance });
    }
    await input.pause();
    const after = draftTokens(conversation, draft);
    if (after <= aim && (anyGain || before - after >= LEAST_GAIN * before)) return draft;
  }
  return undefined;
};

/** The measure with a memory of the texts that it counted: each reduction asks for them again, for each allowance. */
function countingOnce(measure: Measure): Measure {
  const counted = new Map<string, number>();
  return {
    ...measure,
    text(text) {
      const tokens = counted.get(text) ?? measure.text(text);
      counted.set(text, tokens);
      return tokens;
    },
  };
}
