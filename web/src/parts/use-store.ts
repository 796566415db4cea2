import { createContext, use, useSyncExternalStore } from "react";
import { inForce } from "../../../src/gateway/api.ts";
import type { App } from "../state/app.ts";
import type { Chat } from "../state/chat.ts";
import type { Store } from "../state/store.ts";
import { strings } from "../strings.ts";

export function useStore<T extends object>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}

/** One piece of a store; draws anew only when that piece changes. It must be the same object as long as it is equal. */
export function usePiece<T extends object, P>(store: Store<T>, piece: (value: T) => P): P {
  return useSyncExternalStore(store.subscribe, () => piece(store.get()));
}

/** What is added to an index to get the number that people and summaries use. */
export const NumberContext = createContext(1);

/** Names messages as summaries do: `#12`, `#12–18` (the last one included). */
export function useNumbers() {
  const first = use(NumberContext);
  return {
    lead: first - 1,
    one: (index: number): string => `#${index + first}`,
    run: ({ from, to }: { readonly from: number; readonly to: number }): string =>
      to - from <= 1 ? `#${from + first}` : `#${from + first}–${to - 1 + first}`,
  };
}

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = use(AppContext);
  if (app === undefined) throw new Error("useApp is used outside of AppContext");
  return app;
}

/** A summary has at most so many tokens, and so much of what it is about (a share). */
const SUMMARY = { most: 6_000, share: 0.1 };

/**
 * What a summary of a chat asks of which model, and at most for how much; undefined until that is known. Given `tokens`, it is
 * about what has so many.
 */
export function useSummaryPrice(chat: Chat, tokens?: number): string | undefined {
  const { settings, models, status } = useStore(useApp().store);
  const { conversation, pressure } = useStore(chat.store);
  if (!settings || !conversation || !pressure || !status?.hasUpstream) return undefined;
  const levels = { answer: settings, chat: conversation.settings };
  const { value } = inForce("summarizer", levels);
  const strategy = inForce("strategy", levels).value;
  // The other strategies only leave messages out.
  if (value === "extractive" || (strategy !== undefined && !strategy.includes("summar")))
    return strings.compaction.free;
  const name = value === undefined || value === "same" ? conversation.model : value;
  const { prices } = models?.models.find(({ id }) => id === name) ?? {};
  if (name === undefined || models === undefined) return undefined;
  const cost = (read: number, written: number) =>
    prices && (read * prices.input + written * prices.output) / 1e6;
  if (tokens !== undefined)
    return strings.compaction.about(
      name,
      tokens,
      cost(tokens, Math.min(SUMMARY.most, tokens * SUMMARY.share)),
    );
  const { summary } = pressure;
  if (summary === undefined) return strings.compaction.free;
  const { input, output, thinking } = summary;
  return strings.compaction.price(
    name,
    input / 2,
    cost(input / 2, output / 2),
    cost(input, output + thinking),
  );
}

/** Is a chat compacted by itself when it is due? */
export function useAuto(chat: Chat): boolean {
  const settings = usePiece(useApp().store, (state) => state.settings);
  const own = usePiece(chat.store, ({ conversation }) => conversation?.settings);
  return settings === undefined || inForce("auto", { answer: settings, chat: own }).value === true;
}
