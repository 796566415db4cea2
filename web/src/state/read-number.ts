import { SETTINGS } from "../../../src/gateway/api.ts";
import { strings } from "../strings.ts";
import type { Trouble } from "./api-client.ts";
import { count, parseTokens } from "./format.ts";

/**
 * What a box of numbers is for: a share in percent, a share or tokens (a bare number is a share), tokens or a share (a bare
 * number is tokens), tokens, how many, or any number.
 */
export type NumberKind = "percent" | "threshold" | "room" | "tokens" | "count" | "number";

/** What a person typed: a number for the server, or why it is none. */
export type ReadNumber = { readonly value: number } | { readonly wrong: Trouble };

/** Bare numbers from 101 to here are a slip in percent rather than tokens: no conversation is compacted at so few. */
const LEAST_BARE_TOKENS = 1_000;

/** Numbers without a unit that can't be are handed on: the server says what is wrong with them. */
export function readNumber(kind: NumberKind, typed: string, window?: number): ReadNumber {
  const words = strings.settings;
  const text = typed.trim();
  const hasSign = /%$/.test(text);
  const bare = text.replace(/\s*%$/, "");
  const plain = bare === "" ? Number.NaN : Number(bare.replace(",", "."));
  const takesShare = kind === "percent" || kind === "threshold" || kind === "room";
  const noNumber = { wrong: { message: words.noNumber(text), fix: words.noNumberFix[kind] } };
  const refused = (message: string): ReadNumber => ({ wrong: { message, fix: words.noNumberFix[kind] } });
  if (hasSign && !takesShare) return noNumber;
  if (takesShare && !hasSign && plain > 0 && plain < 1) return refused(words.meantShare(bare, plain));
  const tokens = hasSign || kind === "percent" ? undefined : parseTokens(text);
  if (kind === "threshold" && tokens !== undefined && tokens > 100) {
    if (plain < LEAST_BARE_TOKENS) return refused(words.aboveAll(bare));
    if (window !== undefined && tokens > window)
      return refused(words.aboveWindow(count(tokens), count(window)));
    return { value: tokens };
  }
  if ((kind === "tokens" || kind === "room") && tokens !== undefined) return { value: tokens };
  if (!Number.isFinite(plain)) return noNumber;
  if (!hasSign && (kind === "room" || !takesShare)) return { value: plain };
  if (plain > 100) return refused(words.aboveAll(bare));
  if (plain <= 0) return refused(words.belowAll(bare));
  return { value: plain / 100 };
}

/** A share as it stands in a box of percent: 0.8 is 80, and 0.125 is 12.5. */
export const inPercent = (share: number): string => String(Number((share * 100).toFixed(2)));

/** What the server says of shares (0.5), in the words of a box of percent (50 %). */
export function sayInPercent({ message, fix, ...rest }: Trouble): Trouble {
  const { startAt, landAt } = SETTINGS.compaction;
  const say = (text: string): string =>
    text
      .replace(/(?<![\w.])0\.\d+/g, (share) => `${inPercent(Number(share))} %`)
      .replace(/\bstartAt\b/g, `“${startAt.label}”`)
      .replace(/\blandAt\b/g, `“${landAt.label}”`);
  return { ...rest, message: say(message), ...(fix !== undefined && { fix: say(fix) }) };
}
