import { SUMMARY_INSTRUCTIONS } from "../../core/budget.ts";
import { FIRST_LINK, nextLink } from "../../core/chain.ts";
import { forgetOldest, keepNewest } from "../../core/collections.ts";
import { charsOf } from "../../core/message-text.ts";
import { shifted } from "../../core/rounds.ts";
import type { Message, Run, Warning } from "../../core/types.ts";
import type { Summarizer } from "../background/ask-summary.ts";
import { tokensIn } from "../read/conversation.ts";
import type { Operation } from "../read/survey.ts";

/** Requests still to come are guessed from those that were: conversations that have lasted will last. */
export const LEAST_REQUESTS = 4;

/** After a failure the model isn't asked again before the conversation's pressure has grown by this much. */
const GROWTH = 0.05;
/** This many failures in a row open the circuit: nobody asks. */
const FAILURES = 3;
/** The circuit closes by itself after this time (milliseconds). */
const OPEN_MS = 5 * 60_000;

/** Of an error's words a warning shows so many characters. */
const ERROR_WORDS = 300;

const errorWords = ({ message }: Error): string => message.slice(0, ERROR_WORDS).toWellFormed();

export const failedWarning = (error: Error): Warning => ({
  code: "summarizer-failed",
  message: `The summariser failed (${errorWords(error)}). Lines chosen by code are used instead of its summary.`,
});

/** Decides whether a failing summariser is asked again. */
export interface Circuit {
  allows(conversation: string, pressure: number, now: number): boolean;
  /** The model is asked. What follows is told with `succeeded`, `failed` or `ended`. */
  begun(conversation: string): void;
  succeeded(conversation: string): void;
  failed(conversation: string, pressure: number, now: number, error?: unknown): void;
  /** What the model failed with for this conversation, in the error's own words. */
  errorOf(conversation: string): string | undefined;
  /** It came to nothing, and that says nothing about the model. */
  ended(conversation: string): void;
  /** A compaction was applied, maybe while the model was still busy: pressure starts over. */
  applied(conversation: string): void;
}

export function createCircuit(): Circuit {
  const failedAt = new Map<string, { readonly pressure: number; readonly error: unknown }>();
  /** Conversations that the model is busy with; true once a compaction was applied meanwhile. */
  const busy = new Map<string, boolean>();
  let failures = 0;
  let openUntil = Number.NEGATIVE_INFINITY;
  return {
    allows(conversation, pressure, now) {
      if (now < openUntil) return false;
      const before = failedAt.get(conversation);
      return before === undefined || pressure >= Math.min(1, before.pressure + GROWTH);
    },
    begun: (conversation) => void busy.set(conversation, false),
    ended: (conversation) => void busy.delete(conversation),
    succeeded(conversation) {
      busy.delete(conversation);
      failures = 0;
      openUntil = Number.NEGATIVE_INFINITY;
      failedAt.delete(conversation);
    },
    errorOf(conversation) {
      const error = failedAt.get(conversation)?.error;
      return error instanceof Error ? errorWords(error) : undefined;
    },
    failed(conversation, pressure, now, error) {
      failures++;
      // The pressure that it failed at is gone with the compaction that didn't wait for it.
      if (busy.get(conversation) !== true) failedAt.set(conversation, { pressure, error });
      busy.delete(conversation);
      forgetOldest(failedAt);
      if (failures >= FAILURES) {
        openUntil = now + OPEN_MS;
        // One attempt after the pause decides whether it opens again.
        failures = FAILURES - 1;
      }
    },
    applied(conversation) {
      failedAt.delete(conversation);
      if (busy.has(conversation)) busy.set(conversation, true);
    },
  };
}

/** A summary that no later request could use counts so many times: another one is asked for once the chat has grown by much. */
const UNUSED_TIMES = 5;
/** Answers by which a conversation is recognised when its first message has changed, the newest ones. */
const MARKS = 8;
/** An answer with what follows it says less than this (characters): other conversations may have the same. */
const LEAST_MARK = 100;
/** So many of them make it the same one: sessions that read the same file have an answer or two in common. */
const LEAST_SAME = 3;
/** Messages that are compared to say which one changed. */
const COMPARED = 64;
/** So many conversations get their first summary whatever became of others' (after a restart no chat has gone on yet). */
const FREE_FIRSTS = 4;

/** What a conversation's summaries have cost, and whether a later request could use them. */
interface Account {
  /** Input tokens of all requests for summaries. */
  spent: number;
  /** Of these, what was of no use since a request last used one: the transcript no longer began with what they speak for. */
  unused: number;
  /** The newest summary that was asked for: what the transcript began with, and what was spent before it. */
  asked?: {
    readonly to: number;
    readonly hash: string;
    readonly chain: readonly string[];
    readonly from: number;
  };
  /** Its first summary is there, and none of these requests has gone on from it. */
  waiting?: Requests;
}

/** Tokens of all requests that a compactor made to fit. */
export interface Requests {
  tokens: number;
}

/** Accounts by what names a conversation: its first message, and its newest answers, because clients change the first one. */
export type SummaryAccounts = Map<string, Account>;

/** Notes what a request takes, and that its conversation's summary can be used. */
export function noteRequest<M>({ engine, survey }: Operation<M>, tokens: number): void {
  engine.requests.tokens += tokens + survey.budget.tools;
  const account = engine.accounts.get(survey.chat);
  if (account?.waiting && isUsable(account, survey.conversation)) delete account.waiting;
}

type Transcript = Pick<Operation<unknown>["survey"]["conversation"], "chain">;

/** Does a transcript begin with what the newest summary speaks for? */
function isUsable({ asked }: Account, { chain }: Transcript): boolean {
  return asked === undefined || chain[asked.to] === asked.hash;
}

/** Tokens that were of no use, with those of the newest summary where the transcript no longer begins with what it speaks for. */
function unusedOf(account: Account, transcript: Transcript): number {
  return account.unused + (isUsable(account, transcript) ? 0 : account.spent - account.asked!.from);
}

/** Says why a run isn't summarised although it could be; undefined where it may be. */
export function refusal<M>(operation: Operation<M>, run: Run, isRequest: boolean): Warning | undefined {
  const { engine, survey } = operation;
  const { conversation } = survey;
  const { costShare } = engine.settings.summary;
  const account = accountOf(operation);
  // Only another request shows that it can be used: the answer to the one that it was asked for with tells nothing.
  if (isRequest && isUsable(account, conversation)) account.unused = 0;
  const planned = plannedTokens(operation, run);
  const firsts = new Set([...engine.accounts.values()].filter(({ waiting }) => waiting === engine.requests));
  const lost = [...firsts].reduce((sum, { spent }) => sum + spent, 0);
  // Where every message changes in every request, each of them looks like the first one of another conversation.
  if (
    account.spent === 0 &&
    firsts.size >= FREE_FIRSTS &&
    lost + planned > engine.requests.tokens * costShare
  )
    return {
      code: "summaries-unused",
      message: `No model is asked for a summary: no later request could use the last ${firsts.size} first summaries, and another would exceed their share (${costShare}) of the cost of all requests. Lines chosen by code are used instead. If these requests belong to one conversation, keep its earlier messages unchanged, and put changing content (a clock, how long ago something was said) at the end of the newest message or into \`extras\`.`,
    };
  const left = allowance(operation, account);
  if (planned <= left) return undefined;
  if (unusedOf(account, conversation) > 0) {
    const at = account.asked?.chain.findIndex((hash, index) => hash !== conversation.chain[index]) ?? -1;
    const index = conversation.structure.start + at - 1;
    const what = at < 0 ? "a message" : `message #${index + 1} (${conversation.messages[index]?.role})`;
    return {
      code: "summaries-unused",
      message: `No model is asked for a summary: the last one couldn't be used, because ${what} it covers has changed. Lines chosen by code are used until the chat has grown. Keep that message unchanged, and put changing content (a clock, a file map) at the end of the newest message or into \`extras\`.`,
    };
  }
  return {
    code: "summaries-too-dear",
    message: `No model is asked for a summary: it would read about ${planned} tokens, but only ${Math.max(0, left)} are left of the allowed share (${costShare}) of the chat's own cost. Lines chosen by code are used for now. Raise \`summary.costShare\` to allow more.`,
  };
}

/**
 * Notes that a run is summarised now, and what its requests cost: false where one would cost too much. `most`: a person asked for it,
 * and was told that it takes so many input tokens at most.
 */
export function openAccount<M>(
  operation: Operation<M>,
  run: Run,
  most?: number,
): {
  readonly spend: Summarizer["spend"];
  /** It is there, for whoever goes on from it. */
  written(): void;
  /** It came to nothing, so nobody could have used it. */
  failed(): void;
} {
  const { engine, survey } = operation;
  const account = accountOf(operation);
  const isFirst = most === undefined && account.spent === 0;
  const limit = account.spent + (most ?? allowance(operation, account));
  account.unused = unusedOf(account, survey.conversation);
  const { chain } = survey.conversation;
  const compared = chain.slice(0, Math.min(run.to + 1, COMPARED));
  const own = { to: run.to, hash: chain[run.to]!, chain: compared, from: account.spent };
  account.asked = own;
  return {
    spend(tokens, isSpent) {
      if (!isSpent && account.spent + tokens > limit) return false;
      account.spent += tokens;
      return true;
    },
    written() {
      if (isFirst) account.waiting = engine.requests;
    },
    failed() {
      if (account.asked === own) delete account.asked;
    },
  };
}

/** Input tokens that may still be spent on summaries of a conversation. */
function allowance<M>(operation: Operation<M>, account: Account): number {
  const { engine, survey } = operation;
  const share = Math.floor(chatTokens(operation) * engine.settings.summary.costShare);
  return share - account.spent - (UNUSED_TIMES - 1) * unusedOf(account, survey.conversation);
}

/**
 * Input tokens of all requests of a chat, at least: each answer came behind all before it, or behind a view that had just been compacted.
 * The requests that a summary is written for count, too: a chat of a few long documents would never get its first one otherwise.
 */
function chatTokens<M>({ survey }: Operation<M>): number {
  const { conversation, budget, startsAt, usualGoal } = survey;
  const { messages, tokens, outside } = conversation;
  const largest = startsAt * budget.budget;
  let before = outside.system;
  let sum = (1 + LEAST_REQUESTS) * (survey.tokens + budget.tools);
  for (const [index, { role }] of messages.entries()) {
    if (role === "assistant" && messages[index - 1]?.role !== "assistant")
      sum += (before <= largest ? before : Math.min(before, usualGoal)) + budget.tools;
    before += tokens[index]!;
  }
  return sum;
}

/** Tokens that the summary of a run reads where it is right at once. */
export const plannedTokens = <M>({ survey: { conversation } }: Operation<M>, run: Run): number =>
  SUMMARY_INSTRUCTIONS + tokensIn(conversation, shifted(run, conversation.structure.start));

/** The account of a conversation, also where its first message isn't the one that it was. */
function accountOf<M>({ engine, survey }: Operation<M>): Account {
  const { accounts } = engine;
  const { messages } = survey.conversation;
  const marks: string[] = [];
  for (let index = messages.length - 2; index >= 0 && marks.length < MARKS; index--)
    marks.push(...markAt(messages, index));
  const known = marks.flatMap((mark) => accounts.get(mark) ?? []);
  const isSame = (one: Account) => known.filter((other) => other === one).length >= LEAST_SAME;
  const account = known.find(isSame) ?? accounts.get(survey.chat) ?? { spent: 0, unused: 0 };
  for (const mark of [...marks, survey.chat]) keepNewest(accounts, mark, account);
  return account;
}

/** Names an answer together with what follows it. */
function markAt(messages: readonly Message[], index: number): string[] {
  const [answer, next] = [messages[index]!, messages[index + 1]!];
  if (answer.role !== "assistant" || charsOf(answer) + charsOf(next) < LEAST_MARK) return [];
  return [nextLink(nextLink(FIRST_LINK, answer), next).hash];
}
