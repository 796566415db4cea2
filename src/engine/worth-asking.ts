import type { Run, Warning } from "../core/types.ts";
import { floorTokens } from "./conversation.ts";
import { LEAST_RECORD } from "./narrative-share.ts";
import type { Operation } from "./operation.ts";
import { summarizesRounds } from "./round-runs.ts";
import type { Settings } from "./settings.ts";
import { usesSummaries } from "./strategies.ts";
import { shareOf } from "./writing/writing-task.ts";

/** A request for a summary brings a thousand tokens of its own: it should read several times as much (tokens). */
const LEAST_SOURCE = 6_000;
/** The same where messages are counted, whatever the pressure is (tokens). */
const LEAST_COUNTED = 2_000;
/** In rooms so small that this never comes together before much of it is hidden, it is this share of the room … */
const SMALL_ROOM_SHARE = 0.75;
/** … and in large ones a small rest of what a summary didn't reach waits for the next compaction, too. */
const LARGE_ROOM_SHARE = 0.25;
/** The first record of a conversation is worth more than the next line of it: this share of all that is enough. */
const FIRST_SHARE = 0.5;

/**
 * Is a run large enough to be summarised by itself? What isn't stands unsealed for a while: lines chosen by code speak
 * for it, and the model reads it together with what comes next (docs/decisions/0013).
 */
export function isWorthAsking<M>(operation: Operation<M>, { from, to }: Run): boolean {
  const { settings } = operation.engine;
  if (summarizesRounds(settings) || keepsNoTail(settings)) return true;
  return hasTokens(operation, { from, to }, leastSource(operation, from));
}

/**
 * A compaction by count comes long before the budget is full, and often: a request for each turn that leaves would cost more
 * than all the turns. What isn't worth one yet is spoken for by code.
 */
export function isWorthAskingByCount<M>(operation: Operation<M>, run: Run): boolean {
  const { settings } = operation.engine;
  if (summarizesRounds(settings) || keepsNoTail(settings)) return true;
  return hasTokens(operation, run, run.from === 0 ? LEAST_RECORD : LEAST_COUNTED);
}

/** A person who asks for a compaction gets a summary of less, too; but a few words are no longer than their summary. */
export function isWorthAskingByHand<M>(operation: Operation<M>, run: Run): boolean {
  return summarizesRounds(operation.engine.settings) || hasTokens(operation, run, LEAST_RECORD);
}

function hasTokens<M>({ survey }: Operation<M>, { from, to }: Run, least: number): boolean {
  const { tokens, structure } = survey.conversation;
  let source = 0;
  for (let index = structure.start + from; index < structure.start + to; index++) {
    source += tokens[index]!;
    if (source >= least) return true;
  }
  return false;
}

/** Tokens that a run from this message on must have. */
function leastSource<M>({ survey }: Operation<M>, from: number): number {
  const { room } = survey.budget;
  const usual = Math.max(room * LARGE_ROOM_SHARE, Math.min(LEAST_SOURCE, room * SMALL_ROOM_SHARE));
  return from === 0 ? usual * FIRST_SHARE : usual;
}

/** Is there room for what the model would write? If not, nobody would ever read it. */
export function canBeShown<M>(operation: Operation<M>): boolean {
  const { settings } = operation.engine;
  if (summarizesRounds(settings)) return true;
  return shareOf(operation) >= Math.min(LEAST_RECORD, settings.summary.cap);
}

/** Then the summary has the tail's share too, and every run needs one: nothing else is left of it. */
function keepsNoTail({ strategy }: Settings): boolean {
  return strategy === "summarize-and-drop";
}

/** Tells a host that has a summariser why it isn't asked. */
export function noRoomWarning<M>(operation: Operation<M>): Warning | undefined {
  const { summarizer, settings } = operation.engine;
  if (!summarizer || !usesSummaries(settings.strategy) || canBeShown(operation)) return undefined;
  const { conversation, budget } = operation.survey;
  const left = Math.max(0, budget.budget - floorTokens(conversation));
  return {
    code: "no-room-for-summaries",
    message: `Beside what every view shows (the system prompt, pins, the last user message) ${left} of ${budget.budget} tokens are left: too few to show a summary by a model, so none is asked for, and lines chosen by code take its place.`,
  };
}
