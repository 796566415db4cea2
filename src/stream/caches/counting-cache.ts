import type { TokenCounter } from "../../core/types.ts";
import { createLedger, frameTokens, TURN_TOKENS } from "../ledger.ts";
import type { CacheEntry, CacheItem, GenerateRequest, KvCache, TurnItem } from "../types.ts";

/** What `countingCache` takes. */
export interface CountingCacheOptions {
  readonly counter: TokenCounter;
  /** What the model would say to what is in the cache; undefined is silence. Default: always silent. */
  readonly answer?: (
    contents: readonly CacheEntry[],
    request: GenerateRequest,
  ) => string | undefined | Promise<string | undefined>;
}

/** A cache without a model: it counts exactly what a real one would hold. For tests, and for replaying a recording. */
export function countingCache({ counter, answer = () => undefined }: CountingCacheOptions): KvCache {
  const ledger = createLedger();
  const count = (item: CacheItem): number =>
    item.type === "frames" ? frameTokens(item) : TURN_TOKENS + counter.count(item.text);
  return {
    id: `counting/${counter.id}`,
    get length() {
      return ledger.length;
    },
    count,
    async feed(items) {
      for (const item of items) ledger.add(item, count(item));
    },
    async generate(request) {
      const text = await answer(ledger.entries(), request);
      if (text === undefined && request.silence !== undefined) return { silent: true };
      const whole: TurnItem = { type: "turn", role: "assistant", text: text ?? "", at: request.at };
      const isCut = count(whole) > request.cap;
      const item = isCut ? { ...whole, text: cut(whole.text, request.cap - TURN_TOKENS, counter) } : whole;
      ledger.add(item, count(item));
      return { silent: false, item, stop: isCut ? "length" : "end" };
    },
    snapshot: async () => ({ length: ledger.length, data: [...ledger.entries()] }),
    restore: async ({ data }) => ledger.set(data as readonly CacheEntry[]),
    async keep(ranges) {
      ledger.keep(ranges);
      return ranges;
    },
    reset: async () => ledger.clear(),
  };
}

/** The longest beginning of words that fits. */
function cut(text: string, tokens: number, counter: TokenCounter): string {
  const words = text.split(/(?<=\s)/);
  while (words.length > 0 && counter.count(words.join("")) > tokens) words.pop();
  return words.join("");
}
