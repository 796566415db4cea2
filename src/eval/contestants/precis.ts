import { openaiChat } from "../../apis/chat/index.ts";
import type { Profile, TokenCounter } from "../../core/types.ts";
import { createCompactor } from "../../engine/create-compactor.ts";
import { viewText } from "../message-text.ts";
import type { Contestant } from "../types.ts";

/** The clock of every measurement, so that the same run gives the same views. */
const NOW = 0;

/** precis without a model: one forced compaction that fills the budget. */
export function precis(options: { readonly counter: TokenCounter; readonly profile?: Profile }): Contestant {
  return {
    id: "precis",
    label: "precis, no model",
    async view({ messages, from, to, budget }) {
      const compactor = createCompactor({ dialect: openaiChat, budget, ...options });
      const result = await compactor.compact(messages.slice(from, to), { budget, now: NOW });
      await compactor.close();
      return viewText(result.messages);
    },
  };
}
