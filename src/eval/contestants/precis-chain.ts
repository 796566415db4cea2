import type { State } from "../../core/types.ts";
import { openaiChat } from "../../dialects/openai-chat/index.ts";
import { createCompactor } from "../../engine/create-compactor.ts";
import { messageText, viewText } from "../message-text.ts";
import type { ChainContestant } from "../run-chain.ts";
import type { ChatMessage } from "../types.ts";
import type { PrecisOptions } from "./precis.ts";

/** `fit` is called at least this often while the conversation grows, as a share of the budget. */
const STEP = 0.1;
/** Between two calls on the measurement's clock: too short for a pause or a cold cache to matter. Milliseconds. */
const STEP_MS = 1_000;

/**
 * precis without a model, as a host uses it: `fit` before each request, the state saved as JSON and handed back to a
 * compactor that has no other memory.
 */
export function precisChain({
  profile,
  id = "chain",
  label = "precis, chained",
}: Omit<PrecisOptions, "counter">): ChainContestant {
  return {
    id,
    label,
    async run({ messages, from, to, budget, counter }) {
      let saved: string | undefined;
      let compactions = 0;
      let now = 0;
      const ask = async (end: number) => {
        now += STEP_MS;
        const compactor = createCompactor({
          dialect: openaiChat,
          budget,
          counter,
          ...(profile && { profile }),
        });
        const state = saved === undefined ? {} : { state: JSON.parse(saved) as State };
        const result = await compactor.fit(messages.slice(from, end), {
          ...state,
          now,
          lastRequestAt: now - STEP_MS,
        });
        await compactor.close();
        saved = JSON.stringify(result.state);
        if (result.report.outcome === "compacted") compactions++;
        return result;
      };
      for (const end of requestMoments(messages, from, to, budget * STEP, counter.count)) await ask(end);
      const last = await ask(to);
      return { text: viewText(last.messages), compactions, size: last.report.tokens.after };
    },
  };
}

/** Indexes at which the model is asked (an assistant message follows), at least `step` tokens apart. */
function* requestMoments(
  messages: readonly ChatMessage[],
  from: number,
  to: number,
  step: number,
  count: (text: string) => number,
): Iterable<number> {
  let grown = 0;
  for (let index = from; index < to; index++) {
    const message = messages[index]!;
    if (index > from && message.role === "assistant" && grown >= step) {
      yield index;
      grown = 0;
    }
    grown += count(messageText(message));
  }
}
