import type { Profile, TokenCounter } from "../../core/types.ts";
import { openaiChat } from "../../dialects/openai-chat/index.ts";
import { createCompactor } from "../../engine/create-compactor.ts";
import { viewText } from "../message-text.ts";
import type { Contestant } from "../types.ts";

/** How precis is set up for a measurement. */
export interface PrecisOptions {
  readonly counter: TokenCounter;
  readonly profile?: Profile;
  readonly id?: string;
  readonly label?: string;
}

/** The clock of every measurement, so that the same run gives the same views. */
const NOW = 0;

/** precis without a model: one forced compaction that fills the budget. */
export function precis({
  counter,
  profile,
  id = "precis",
  label = "precis, no model",
}: PrecisOptions): Contestant {
  return {
    id,
    label,
    async view({ messages, from, to, budget }) {
      const compactor = createCompactor({
        dialect: openaiChat,
        budget,
        counter,
        ...(profile && { profile }),
      });
      const result = await compactor.compact(messages.slice(from, to), { budget, now: NOW });
      await compactor.close();
      return viewText(result.messages);
    },
  };
}
