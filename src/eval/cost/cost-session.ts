import type { Usage } from "../../core/types.ts";
import { spendOf } from "../../tokens/model-info.ts";
import { MESSAGE_OVERHEAD, messageText } from "../message-text.ts";
import type { Anchor, ChatMessage, Count } from "../types.ts";

/** A recorded session with the times of its messages, and moments at which it is known what was needed next. */
export interface CostSession {
  readonly id: string;
  readonly messages: readonly ChatMessage[];
  /** Epoch milliseconds, as far as they were recorded. */
  readonly times: readonly (number | undefined)[];
  readonly cuts: readonly Cut[];
}

/** Before message `at`, with the names that the calls after it needed. */
export interface Cut {
  readonly at: number;
  readonly anchors: readonly Anchor[];
}

/** Between two sessions of a chain (milliseconds). */
const CHAIN_PAUSE_MS = 30 * 60_000;

/** What a message costs in a request, in tokens. */
export const messageTokens = (message: ChatMessage, count: Count): number =>
  count(messageText(message)) + MESSAGE_OVERHEAD;

export const sessionTokens = ({ messages }: CostSession, count: Count): number =>
  messages.reduce((sum, message) => sum + messageTokens(message, count), 0);

/** Tokens of the messages `from` ≤ index < `to`. */
export function sumOf(tokens: readonly number[], from: number, to: number): number {
  let total = 0;
  for (let index = from; index < to; index++) total += tokens[index]!;
  return total;
}

/** Sessions in the order of their times, joined until each chain has `tokens`: days of work on many tasks. */
export function chainSessions(sessions: readonly CostSession[], tokens: number, count: Count): CostSession[] {
  const ordered = [...sessions].sort((a, b) => startOf(a) - startOf(b));
  const chains: CostSession[] = [];
  let parts: CostSession[] = [];
  let size = 0;
  for (const session of ordered) {
    parts.push(session);
    size += sessionTokens(session, count);
    if (size < tokens) continue;
    chains.push(joined(parts, `chain ${chains.length + 1}`));
    parts = [];
    size = 0;
  }
  return chains;
}

const startOf = ({ times }: CostSession): number => times.find((time) => time !== undefined) ?? 0;

function joined(sessions: readonly CostSession[], id: string): CostSession {
  const messages: ChatMessage[] = [];
  const times: (number | undefined)[] = [];
  const cuts: Cut[] = [];
  let end = 0;
  for (const session of sessions) {
    const offset = messages.length;
    const start = startOf(session);
    // Calls of different sessions may have the same id.
    messages.push(...session.messages.map((message) => withPrefix(message, `${offset}-`)));
    const shift = offset === 0 ? 0 : end + CHAIN_PAUSE_MS - start;
    times.push(...session.times.map((time) => (time === undefined ? undefined : time + shift)));
    end = times.findLast((time) => time !== undefined) ?? end;
    cuts.push(...session.cuts.map(({ at, anchors }) => ({ at: at + offset, anchors })));
  }
  return { id, messages, times, cuts };
}

function withPrefix(message: ChatMessage, prefix: string): ChatMessage {
  const { tool_calls: calls, tool_call_id: result } = message;
  if (calls === undefined && result === undefined) return message;
  return {
    ...message,
    ...(calls && { tool_calls: calls.map((call) => ({ ...call, id: prefix + call.id })) }),
    ...(result !== undefined && { tool_call_id: prefix + result }),
  };
}

/** Prices in units of the price of an input token, and how long a prompt cache lives. */
export interface CachePrices {
  readonly id: string;
  readonly read: number;
  readonly write: number;
  readonly output: number;
  /** Milliseconds between two requests after which nothing is cached; infinite for a cache that never expires. */
  readonly ttlMs: number;
}

const FIVE_MINUTES_MS = 5 * 60_000;

export const PRICES = {
  anthropic: { id: "anthropic", read: 0.1, write: 1.25, output: 5, ttlMs: FIVE_MINUTES_MS },
  openai: { id: "openai", read: 0.1, write: 1, output: 5, ttlMs: FIVE_MINUTES_MS },
} as const satisfies Record<string, CachePrices>;

/** Tokens of the question that a summary is asked for with, as one more message of the conversation. */
const QUESTION_TOKENS = 500;
/** Tokens of the summary that a model writes. */
const SUMMARY_TOKENS = 2_500;

/** What a request costs of which so many tokens are read from the cache: the rest is written there. */
export const requestCost = (
  { input, cacheRead, output }: Required<Pick<Usage, "input" | "cacheRead" | "output">>,
  prices: CachePrices,
): number =>
  spendOf(
    { input, cacheRead, cacheWrite: input - cacheRead, output },
    { input: 1, cacheRead: prices.read, cacheWrite: prices.write, output: prices.output },
  );

/** What a summary by the conversation's own model costs: the prompt once more, the question, the summary. */
export const summaryCost = (prompt: number, isCold: boolean, prices: CachePrices): number =>
  requestCost(
    { input: prompt + QUESTION_TOKENS, cacheRead: isCold ? 0 : prompt, output: SUMMARY_TOKENS },
    prices,
  );
