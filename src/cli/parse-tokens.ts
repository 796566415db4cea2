import { millisecondsIn, tokensIn } from "../config/sizes.ts";
import { UsageError } from "./parse-flags.ts";

/** Fewer tokens than this are a typo: not even a system prompt fits. */
const MIN_TOKENS = 100;

/** `8000`, `8,000`, `8_000`, `8k`, `1.5m` as a number of tokens. */
export function parseTokens(flag: string, text: string, least = MIN_TOKENS): number {
  const tokens = tokensIn(text);
  if (tokens === undefined)
    throw new UsageError(`--${flag} "${text}" is not a number of tokens. Write it like 8000, 8k or 1.5m.`);
  if (tokens < least) {
    const meant = tokens > 0 && /\d$/.test(text.trim()) ? ` Did you mean ${text.trim()}k?` : "";
    throw new UsageError(`--${flag} ${text}: too few tokens. Give at least ${least}.${meant}`);
  }
  return tokens;
}

/** A number of tokens, or a share of the transcript (`10%`) as a ratio of at most 1. */
export function parseBudget(flag: string, text: string): { tokens: number } | { share: number } {
  const percent = /^(\d+(?:\.\d+)?)\s*%$/.exec(text.trim())?.[1];
  if (percent === undefined) return { tokens: parseTokens(flag, text) };
  const share = Number(percent) / 100;
  if (share <= 0 || share > 1)
    throw new UsageError(`--${flag} ${text}: a share of the transcript is more than 0% and at most 100%.`);
  return { share };
}

export function parseCount(flag: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new UsageError(`--${flag} "${text}" is not a whole number from 1.`);
  return Number(text);
}

export function parsePort(flag: string, text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new UsageError(`--${flag} ${text}: a port is a number from 0 to 65535.`);
}

/** `30d`, `12h`, `90m`, `4w` in milliseconds. */
export function parseAge(flag: string, text: string): number {
  const age = millisecondsIn(text);
  if (age !== undefined) return age;
  throw new UsageError(`--${flag} ${text}: give minutes, hours, days or weeks, such as 90m, 12h, 30d or 4w.`);
}
