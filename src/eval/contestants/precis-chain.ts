import { openaiChat } from "../../apis/chat/index.ts";
import type { ChatMessage as WireMessage } from "../../apis/chat/wire.ts";
import type { Compactor, CompactorOptions, FitResult, Profile, Sized } from "../../core/types.ts";
import { createCompactor } from "../../engine/create-compactor.ts";
import { messageText, viewText } from "../message-text.ts";
import type { ChainContestant, ChainEnd, ChainInput } from "../run-chain.ts";

/**
 * precis without a model on a conversation that grows. Between two calls only the state survives, as JSON: each call
 * has a compactor of its own, as after a restart.
 */

/** Between two calls on the measurement's clock: too short for a pause or a cold cache to matter. Milliseconds. */
const STEP_MS = 1_000;

/** In a chain of equal sizes: the size, as a share of the whole conversation. */
const SIZE_SHARE = 0.1;

/** In a chain under a window: `fit` is called at least this often, as a share of the window. */
const STEP_SHARE = 0.1;
/** Shares of the window where a compaction starts and lands when no model is at hand and the window is small. */
const STARTS_AT = 0.95;
const LANDS_AT = 0.3;

/** The budget that a conversation of `tokens` meets about `k` times. */
export function budgetForChain(tokens: number, k: number): number {
  return Math.floor(tokens / (STARTS_AT + (k - 0.5) * (STARTS_AT - LANDS_AT)));
}

/** k forced compactions, evenly spread, each to the same size: what repeating costs, and nothing else. */
export function sameSizeChain(profile?: Profile): ChainContestant {
  return {
    id: "chained to one size",
    label: "precis, k times",
    async run(input) {
      const { messages, from, tokens, counter } = input;
      const size = Math.floor(tokens * SIZE_SHARE);
      const options = { counter, budget: 2 * tokens, auto: false, ...(profile && { profile }) };
      const end = await grow(evenlySpread(input, size), options, (compactor, to, moment) =>
        compactor.compact(messages.slice(from, to), { ...moment, budget: size, adopt: true }),
      );
      return { ...end, size };
    },
  };
}

/** `fit` before each request under a window that is met about k times: what a host really sends in the end. */
export function windowChain(profile?: Profile): ChainContestant {
  return {
    id: "chained under a window",
    label: "precis, fit while it grows",
    run(input) {
      const { messages, from, to, tokens, k, counter } = input;
      const budget = budgetForChain(tokens, k);
      const moments = requestMoments(input, budget * STEP_SHARE).map((moment) => moment.index);
      const options = { counter, budget, ...(profile && { profile }) };
      return grow([...moments, to], options, (compactor, end, moment) =>
        compactor.fit(messages.slice(from, end), { ...moment, lastRequestAt: moment.now - STEP_MS }),
      );
    },
  };
}

type ChatCompactor = Compactor<WireMessage>;

/** Has a view made at each end of a conversation that grows; the last one counts. */
async function grow(
  ends: readonly number[],
  options: Omit<CompactorOptions<WireMessage>, "dialect"> & Sized,
  viewAt: (
    compactor: ChatCompactor,
    end: number,
    moment: { readonly state: unknown; readonly now: number },
  ) => Promise<FitResult<WireMessage>>,
): Promise<ChainEnd> {
  let saved = "null";
  let compactions = 0;
  let now = 0;
  let text = "";
  let size = 0;
  for (const end of ends) {
    now += STEP_MS;
    const compactor = createCompactor({ dialect: openaiChat, ...options });
    const result = await viewAt(compactor, end, { state: JSON.parse(saved) as unknown, now });
    await compactor.close();
    saved = JSON.stringify(result.state);
    if (result.report.outcome === "compacted") compactions++;
    text = viewText(result.messages);
    size = result.report.tokens.after;
  }
  return { text, compactions, size };
}

/** k ends, the last one the conversation's own, the first one beyond `start` tokens. */
function evenlySpread(input: ChainInput, start: number): number[] {
  const { to, tokens, k } = input;
  const step = (tokens - start) / k;
  const moments = requestMoments(input, 0);
  const ends = Array.from({ length: k - 1 }, (_, i) => start + (i + 1) * step).map(
    (wanted) => moments.find((moment) => moment.tokens >= wanted)?.index ?? to,
  );
  return [...new Set([...ends, to])];
}

/** Where the model is asked (an assistant message follows), at least `step` tokens apart. */
function requestMoments(
  { messages, from, to, counter }: ChainInput,
  step: number,
): { readonly index: number; readonly tokens: number }[] {
  const moments: { index: number; tokens: number }[] = [];
  let tokens = 0;
  for (let index = from; index < to; index++) {
    const message = messages[index]!;
    const grown = tokens - (moments.at(-1)?.tokens ?? 0);
    if (index > from && message.role === "assistant" && grown >= step) moments.push({ index, tokens });
    tokens += counter.count(messageText(message));
  }
  return moments;
}
