import { ConfigError } from "../core/errors.ts";
import { CHARS_PER_TOKEN } from "../core/message-text.ts";
import type { TokenCounter } from "../core/types.ts";

/**
 * Counts characters instead of tokens: no vocabulary to load, and rough.
 *
 * @example
 * charsCounter().count("Hello, world!"); // 4
 */
export function charsCounter(options: { readonly charsPerToken?: number } = {}): TokenCounter {
  const charsPerToken = options.charsPerToken ?? CHARS_PER_TOKEN;
  if (!Number.isFinite(charsPerToken) || charsPerToken <= 0)
    throw new ConfigError({
      option: "charsPerToken",
      message: `${charsPerToken} is not a positive number.`,
      fix: "Use the average number of characters in a token, e.g. 4 for English.",
    });
  return { id: `chars/${charsPerToken}`, count: (text) => Math.ceil(text.length / charsPerToken) };
}
