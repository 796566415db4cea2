import { breaches } from "./climb-to.ts";
import { draftTokens } from "./conversation.ts";
import type { Climb } from "./ladder.ts";
import type { Operation } from "./operation.ts";
import { withQuoted } from "./recall/quotations.ts";
import { shrinkParts } from "./shrink.ts";
import { dropsUnboundReasoning, openLoop } from "./signed-reasoning.ts";

/** Where thinking can't be switched off, a round under way is shortened to this share of the budget. */
const LOOP_SHARE = 0.85;

/**
 * The last way out where thinking can't be switched off: nothing before the signed reasoning of the open round changes,
 * and what stands behind it (the newest results) is shortened. Undefined if that isn't asked for or isn't enough.
 */
export function shortenBehindReasoning<M>(operation: Operation<M>, limit: number): Climb | undefined {
  const { engine, input, survey } = operation;
  const { conversation } = survey;
  // What is quoted stands before that reasoning, too.
  const current = withQuoted(survey.current, survey.quoted, engine.dialect.rules);
  const loop = openLoop(conversation);
  if (!loop || !conversation.leads || input.thinking !== "must-stay") return undefined;
  if (dropsUnboundReasoning(input.request)) return undefined;
  // What isn't bound can be compacted up to a thought that the loop can begin with.
  if (!engine.dialect.rules.boundReasoning && loop.signed > loop.from) return undefined;
  const indexes = Array.from({ length: loop.to - loop.signed - 1 }, (_, at) => loop.signed + 1 + at);
  const shrink = (parts: readonly number[], to: number) =>
    shrinkParts({
      conversation,
      draft: current,
      indexes: parts,
      limit: Math.floor(to),
      why: "hard-cut",
      rules: engine.dialect.rules,
    });
  // The loop goes on: a view that is full to the brim would leave nothing for its next result. What the model has answered
  // goes first.
  const answered = indexes.filter((index) => index < conversation.structure.unanswered);
  const draft =
    shrink(answered, limit * LOOP_SHARE) ??
    shrink(answered, limit) ??
    shrink(indexes, limit * LOOP_SHARE) ??
    shrink(indexes, limit);
  if (!draft) return undefined;
  const tokens = draftTokens(conversation, draft);
  if (breaches(operation, draft, tokens, limit).length > 0) return undefined;
  return {
    draft,
    rung: "hard-cut",
    tokens,
    rungs: [{ rung: "hard-cut", result: "used", tokens, note: "behind signed reasoning" }],
  };
}
