import { ConfigError } from "../core/errors.ts";
import type { TokenCounter } from "../core/types.ts";

/** Common rule of thumb for English; per message it is off by −39 % to +35 %. */
const DEFAULT_CHARS_PER_TOKEN = 4;

/**
 * Counts characters instead of tokens: no vocabulary to load, and rough.
 *
 * @example
 * charsCounter().count("Hello, world!"); // 4
 */
export function charsCounter(options: { readonly charsPerToken?: number } = {}): TokenCounter {
  const charsPerToken = options.charsPerToken ?? DEFAULT_CHARS_PER_TOKEN;
  if (!Number.isFinite(charsPerToken) || charsPerToken <= 0)
    throw new ConfigError({
      option: "charsPerToken",
      message: `${charsPerToken} is not a positive number.`,
      fix: "Use the average number of characters in a token, e.g. 4 for English.",
    });
  return { id: `chars/${charsPerToken}`, count: (text) => Math.ceil(text.length / charsPerToken) };
}
