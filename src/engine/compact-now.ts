import type { CompactInput, FitResult } from "../core/types.ts";
import { summaryByHand } from "./background.ts";
import { checkRange } from "./check-input.ts";
import { askedRange } from "./choose-range.ts";
import { climbTo, nothingDue } from "./climb-to.ts";
import { compactRange } from "./compact-range.ts";
import { fixedTokens, unansweredTokens } from "./conversation.ts";
import { deliver } from "./deliver.ts";
import type { Engine } from "./engine.ts";
import { beginOperation, type Operation } from "./operation.ts";
import { readyCut } from "./wanted-run.ts";
import { noRoomWarning } from "./worth-asking.ts";

/** A forced compaction of fewer messages than this has nothing to work with. */
const LEAST_MESSAGES = 4;
/** Compacts because somebody asks for it, whatever the pressure is. `fresh`: from the originals, without any summary that there is. */
export async function compactNow<M>(
  engine: Engine<M>,
  transcript: readonly M[],
  input: CompactInput<M>,
  fresh = false,
): Promise<FitResult<M>> {
  const range = askedRange(input);
  const waitMs = input.waitMs ?? engine.settings.compactWaitMs;
  if (range) {
    checkRange(input, transcript.length);
    return compactRange(engine, transcript, input, { asked: range, waitMs });
  }
  const filling = input.budget !== undefined;
  const more = { budget: input.budget, fresh: fresh || filling };
  const begun = await beginOperation(engine, transcript, input, more);
  const asked = filling ? { ...begun, filling: begun.survey.budget.budget } : begun;
  let operation = fresh ? forgetful(asked) : asked;
  const { conversation, budget, tokens } = operation.survey;
  // What the model hasn't answered yet stays whole: half of what stands beside it is to go.
  const whole = unansweredTokens(conversation);
  const fixed = fixedTokens(conversation) + whole;
  const present = fresh ? conversation.total : tokens;
  const goal = filling
    ? budget.budget
    : Math.min(operation.survey.goal, Math.max(fixed, Math.floor((present + whole) / 2)));
  const tooLittle = conversation.messages.length - conversation.structure.start < LEAST_MESSAGES;
  if (tokens <= budget.budget && (filling || tooLittle)) {
    return deliver(operation, {
      reason: "forced",
      result: nothingDue(operation.survey),
      adopt: false,
      filling,
    });
  }
  const asking = await summaryByHand(operation, goal, waitMs, input.signal);
  input.signal?.throwIfAborted();
  if (asking) operation = await beginOperation(engine, transcript, input, more);
  const cut = engine.summarizer && readyCut(operation, goal);
  const spokenFor = !filling && tokens <= budget.budget;
  const target = { limit: budget.budget, goal, anyGain: true, spokenFor };
  const withModel = await climbTo(operation, target, cut);
  // Summaries of a part, because the model failed at the rest, may cover too little: lines by code speak for that.
  const result =
    withModel.draft || cut === undefined ? withModel : await climbTo(operation, target, undefined);
  const noRoom = noRoomWarning(operation);
  const adopt = input.adopt ?? !filling;
  return deliver(operation, {
    reason: "forced",
    result,
    adopt,
    filling,
    background: asking?.background,
    warnings: [...(asking?.many ? [asking.many] : []), ...(noRoom ? [noRoom] : [])],
  });
}

/** The operation without any summary, so that all of them are asked for anew. */
function forgetful<M>(operation: Operation<M>): Operation<M> {
  return {
    ...operation,
    anew: true,
    survey: { ...operation.survey, state: { ...operation.survey.state, summaries: [] } },
  };
}
