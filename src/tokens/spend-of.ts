import type { Prices, Usage } from "../core/types.ts";

/** Prices are for so many tokens. */
const PER_TOKENS = 1_000_000;

/** US dollars for one request, by what the provider counted. */
export function spendOf({ input, output = 0, cacheRead = 0, cacheWrite = 0 }: Usage, prices: Prices): number {
  const plain = Math.max(0, input - cacheRead - cacheWrite);
  return (
    (plain * prices.input +
      cacheRead * prices.cacheRead +
      cacheWrite * prices.cacheWrite +
      output * prices.output) /
    PER_TOKENS
  );
}
