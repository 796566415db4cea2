import { ConfigError } from "../../core/errors.ts";
import type { StreamStrategyName } from "../types.ts";
import { dropAll } from "./drop-all.ts";
import { dropMiddle } from "./drop-middle.ts";
import { state } from "./state.ts";
import type { StreamStrategy } from "./strategy.ts";
import { summarizeAndDrop } from "./summarize-and-drop.ts";
import { summarizeAndKeep } from "./summarize-and-keep.ts";

const STRATEGIES: Readonly<Record<StreamStrategyName, StreamStrategy>> = {
  "drop-all": dropAll,
  "drop-middle": dropMiddle,
  "summarize-and-drop": summarizeAndDrop,
  "summarize-and-keep": summarizeAndKeep,
  state,
};

/** The names of all strategies of a stream. */
export const streamStrategies = Object.keys(STRATEGIES) as readonly StreamStrategyName[];

export function strategyByName(name: string): StreamStrategy {
  if (Object.hasOwn(STRATEGIES, name)) return STRATEGIES[name as StreamStrategyName];
  throw new ConfigError({
    option: "strategy",
    message: `there is no strategy ${JSON.stringify(name)} for streams.`,
    fix: `Use one of ${streamStrategies.join(", ")}.`,
  });
}
