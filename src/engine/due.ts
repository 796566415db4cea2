import { type BreakEvenInput, breakEvenRequests } from "../core/break-even.ts";
import type { Draft } from "../core/draft.ts";
import type { Checkpoint, DialectRules, Message, Reason, Undo } from "../core/types.ts";
import { type Conversation, shownMessages, shownTurns } from "./conversation.ts";
import type { Settings } from "./settings.ts";
import { openLoop } from "./signed-reasoning.ts";

/** A cold prompt cache makes compaction cheap: from this pressure on one is due. */
const COLD_FROM = 0.4;
/** A user turn after a pause of this length is a good time for it, too, from this pressure on. */
const PAUSE_MS = 60_000;
const PAUSE_FROM = 0.5;
/** From this pressure on a count that is due isn't held up. */
const COUNT_PRESSES = 0.5;
/** A record takes about this share of its ceiling. */
const USUAL_LENGTH = 0.5;
/** After an undo, automatic compaction waits until pressure has grown by this much. */
const UNDO_GROWTH = 0.1;
/** Requests still to come are guessed from those that were: conversations that have lasted will last. */
export const LEAST_REQUESTS = 4;
const MOST_REQUESTS = 50;

/** What is looked at to tell whether a compaction is due. */
export interface DueInput {
  readonly conversation: Conversation;
  readonly settings: Settings;
  readonly rules: DialectRules;
  readonly current: Draft;
  readonly checkpoint: Checkpoint | undefined;
  readonly undos: readonly Undo[];
  readonly tokens: number;
  readonly pressure: number;
  readonly startsAt: number;
  /** Tokens of the view after a compaction. */
  readonly goal: number;
  readonly now: number;
  readonly lastRequestAt: number | undefined;
  readonly rejected: boolean;
  /** There is a model that would be asked for a summary. */
  readonly asksModel: boolean;
}

/** Is a compaction due now, and why? */
export function dueReason(input: DueInput): Reason | undefined {
  const { pressure, startsAt } = input;
  if (input.rejected) return "rejected";
  if (pressure > 1) return "budget";
  if (isHeld(input)) return undefined;
  if (pressure >= startsAt && !hasJustCompacted(input)) return "pressure";
  return countReason(input) ?? cheapReason(input);
}

/** Nothing may be applied below a full budget: switched off, undone, or bound by the reasoning of an open round. */
export function isHeld(input: Omit<DueInput, "rejected">): boolean {
  const { settings, conversation, rules } = input;
  if (!settings.auto || isSuspended(input)) return true;
  return rules.boundReasoning === true && openLoop(conversation) !== undefined;
}

/**
 * The last request of a tool loop was compacted already: where rounds are large, another compaction now would make it one on
 * every turn. As long as the budget holds, it waits for the next request.
 */
function hasJustCompacted({ conversation, checkpoint }: DueInput): boolean {
  const { messages, structure } = conversation;
  if (!checkpoint || structure.unanswered === messages.length) return false;
  let answers = 0;
  for (let at = structure.units.length - 1; at >= 0; at--) {
    const { from } = structure.units[at]!;
    if (from < checkpoint.seen.messages) break;
    if (messages[from]!.role === "assistant") answers++;
  }
  return answers <= 1;
}

/** An undo holds until pressure has grown; a compaction that came after it ends it. */
function isSuspended({ undos, checkpoint, pressure }: Omit<DueInput, "rejected">): boolean {
  return undos.some(
    (undo) => pressure < undo.pressure + UNDO_GROWTH && !(checkpoint && checkpoint.at > undo.at),
  );
}

/**
 * Counts what came since the last checkpoint plus what it kept. It fires again only when the last compaction has paid for
 * itself: each one writes the provider's cache anew, and below a full budget nothing presses.
 */
function countReason(input: DueInput): Reason | undefined {
  const { conversation, settings, current, checkpoint } = input;
  const { messages, turns } = settings.triggers;
  if (checkpoint && !hasPaid(input, checkpoint)) return undefined;
  // Hosts count their list, with the system prompt in it. After a compaction what it kept counts, without it: every turn would fire.
  const prompt = checkpoint ? 0 : conversation.structure.start || Math.sign(conversation.outside.system);
  if (messages !== undefined && shownMessages(conversation, current) + prompt > messages) return "messages";
  if (turns !== undefined && shownTurns(conversation, current) > turns) return "turns";
  return undefined;
}

/** Have as many requests come since a checkpoint as another one like it would take to pay off? */
function hasPaid(input: DueInput, checkpoint: Checkpoint): boolean {
  const { conversation, settings, pressure } = input;
  const { structure, messages } = conversation;
  const { seen, tokens } = checkpoint;
  if (structure.turns.length <= seen.turns) return false;
  if (pressure >= COUNT_PRESSES) return true;
  const summary = input.asksModel ? settings.summary.cap * USUAL_LENGTH : 0;
  const needed = requestsToPayOff(input, { landing: tokens.after, cold: false, summary });
  return needed <= requestsIn(messages.slice(seen.messages));
}

/** Is a user's message the newest one? */
export function isUserTurn({ structure, messages }: Conversation): boolean {
  return structure.lastUser === messages.length - 1;
}

/** A cold cache or a pause: compacting now costs little and disturbs nobody, if the break-even agrees. */
function cheapReason(input: DueInput): Reason | undefined {
  const { conversation, settings, pressure, now, lastRequestAt } = input;
  if (lastRequestAt === undefined) return undefined;
  const idle = now - lastRequestAt;
  const cold = idle > settings.cache.ttlMs;
  const reason: Reason | undefined =
    cold && pressure >= COLD_FROM
      ? "cold-cache"
      : isUserTurn(conversation) && idle >= PAUSE_MS && pressure >= PAUSE_FROM
        ? "pause"
        : undefined;
  if (!reason) return undefined;
  const expected = Math.min(MOST_REQUESTS, Math.max(LEAST_REQUESTS, requestsIn(conversation.messages)));
  const needed = requestsToPayOff(input, { landing: input.goal, cold, summary: 0 });
  return needed <= expected ? reason : undefined;
}

/** Requests that must still come for a compaction to so many tokens to pay off. */
function requestsToPayOff(
  { conversation: { head }, settings, tokens }: DueInput,
  { landing, ...more }: Pick<BreakEvenInput, "landing" | "cold" | "summary">,
): number {
  return breakEvenRequests({
    view: tokens - head,
    landing: landing - head,
    head,
    ...settings.cache,
    ...more,
  });
}

function requestsIn(messages: readonly Message[]): number {
  return messages.filter(({ role }) => role === "assistant").length;
}
