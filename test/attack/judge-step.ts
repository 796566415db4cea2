import type { FitResult, PrefixReason } from "../../src/core/types.ts";
import { mostTokens, tokensOf } from "./judge-view.ts";
import { type Look, look, roundAt } from "./look.ts";
import type { Session } from "./session.ts";

export interface Step {
  readonly session: Session;
  readonly result: FitResult<object>;
  /** The view isn't the conversation's own: it fills a budget for somebody else. */
  readonly beside: boolean;
  /** Markers of texts that the conversation no longer has. */
  readonly taken: readonly string[];
  /** For what reasons it may differ from the view before it. */
  readonly may: ReadonlySet<PrefixReason>;
  /** Ids of the calls that were there when a compaction was applied. */
  readonly compactedAt: ReadonlySet<string>;
  /** The newest compaction was made for much less room than the view may take. */
  readonly forLess: boolean;
  /** The view may take all of the session's budget. */
  readonly ownBudget: boolean;
}

/** What a host would find wrong with a view after an operation. */
export function judgeStep(step: Step): string[] {
  const { result, session, taken, beside } = step;
  const sent = JSON.stringify([result.system ?? "", result.messages]);
  return [
    ...taken.filter((marker) => sent.includes(marker)).map((marker) => `stale text ${marker}`),
    ...(beside ? [] : prefixFaults(step)),
    ...pinFaults(session, result),
    ...hostStateFaults(session, result, sent),
    ...(step.ownBudget ? newestRoundFaults(step) : []),
  ];
}

function prefixFaults({ session, result, may }: Step): string[] {
  const { prefixReason, prefixChanged } = result.report;
  if (prefixChanged !== (prefixReason !== undefined)) return ["prefixChanged and prefixReason disagree"];
  if (prefixReason !== undefined)
    return may.has(prefixReason) ? [] : [`the view changed, and the reason given is "${prefixReason}"`];
  const { view } = session.memory;
  if (view === undefined) return [];
  const before = lasting(view);
  const after = result.messages.map((message) => JSON.stringify(message));
  const at = before.findIndex((message, index) => message !== after[index]);
  if (at >= 0)
    return [`message ${at} of the view before changed, and no reason is given (${result.report.outcome})`];
  return JSON.stringify(view.system) === JSON.stringify(result.system)
    ? []
    : ["the system prompt changed, and no reason is given"];
}

/** What the next view has to begin with: all but the host's note, which is written anew for each request. */
function lasting({ messages, report }: FitResult<object>): string[] {
  const last = report.entries.at(-1);
  const note = last?.type === "insert" && last.message.text.startsWith("<host-state>");
  return messages.slice(0, note ? -1 : undefined).map((message) => JSON.stringify(message));
}

function pinFaults({ pin, messages }: Session, { messages: shown }: FitResult<object>): string[] {
  if (pin === undefined) return [];
  const all = shown.map((message) => JSON.stringify(message));
  return messages()
    .map((message) => JSON.stringify(message))
    .filter((message) => message.includes(pin) && !all.includes(message))
    .map((message) => `a pinned message isn't shown: ${message.slice(0, 60)}`);
}

/** A note takes an eighth of what is free beside head and last user message; with this much there is room for it (tokens). */
const ROOM_FOR_NOTE = 1_000;

/** Where a view hides something and the model has the next word, it says how the work stands now. */
function hostStateFaults(session: Session, { report }: FitResult<object>, sent: string): string[] {
  const { hostState, dialect } = session;
  const { covered, dropped } = report.counts;
  if (hostState === undefined || covered + dropped === 0) return [];
  const looks = session.messages().map((message) => look(dialect, message));
  const asked = looks.findLast(({ role, texts }) => role === "user" && texts.length > 0)!;
  const { budget, head } = report.budget;
  if (looks.at(-1)?.role === "assistant" || budget - head - mostTokens(asked) < ROOM_FOR_NOTE) return [];
  return sent.includes(hostState) ? [] : ["the host's state isn't shown"];
}

/** The frame of the host's note (tokens). */
const NOTE_TOKENS = 60;

/** A round that the model hasn't answered is whole wherever it fits beside system prompt, last user message and pins. */
function newestRoundFaults({ session, result, compactedAt, forLess }: Step): string[] {
  const { conversation, dialect, budget, pin, hostState } = session;
  const turn = conversation.turns.at(-1)!;
  if (turn.answer !== undefined || turn.rounds.length === 0) return [];
  // A compaction that cut it for a little less room stands until the next one.
  const id = turn.rounds.at(-1)!.calls[0]!.id;
  if (result.report.outcome !== "compacted" && compactedAt.has(id) && !forLess) return [];
  const looks = session.messages().map((message) => look(dialect, message));
  const newest = new Set(roundAt(looks, looks.length - 1));
  const asked = looks.findLastIndex(({ role, texts }) => role === "user" && texts.length > 0);
  const must = looks.filter(
    (each, index) =>
      newest.has(index) ||
      index === asked ||
      each.role === "system" ||
      (pin !== undefined && each.texts.join().includes(pin)),
  );
  const note = hostState === undefined ? 0 : tokensOf(hostState) + NOTE_TOKENS;
  const needed = must.reduce(
    (sum, each) => sum + mostTokens(each),
    tokensOf(conversation.system ?? "") + note,
  );
  if (needed * (forLess ? WITH_EASE : 1) > budget) return [];
  const said = (of: Look): string => JSON.stringify([of.texts, of.calls, of.results]);
  const shown = new Set(result.messages.map((message) => said(look(dialect, message))));
  // Reasoning may leave by itself.
  const cut = [...newest].some((index) => said(looks[index]!) !== NOTHING && !shown.has(said(looks[index]!)));
  return cut ? [`the newest round was cut, although ${needed} of ${budget} tokens would do`] : [];
}

/** A round that was cut comes back where it fits with ease. */
const WITH_EASE = 1.25;
const NOTHING = JSON.stringify([[], [], []]);
