import { parseTokens } from "./format.ts";

/** What a box of numbers is for: a share in percent, a share or tokens, tokens, how many, or any number. */
export type NumberKind = "percent" | "threshold" | "tokens" | "count" | "number";

/** The number that a person typed, however impossible: the server says what is wrong with it. Undefined if it is none. */
export function readNumber(kind: NumberKind, typed: string): number | undefined {
  const text = typed.trim();
  if (kind === "tokens" || (kind === "threshold" && !text.includes("%"))) {
    const tokens = parseTokens(text);
    // 100 is all of the budget; what is more can only be tokens.
    if (tokens !== undefined && (kind === "tokens" || tokens > 100)) return tokens;
  }
  const value = text === "" ? Number.NaN : Number(text.replace("%", "").replace(",", ".").trim());
  if (!Number.isFinite(value)) return undefined;
  return kind === "percent" || kind === "threshold" ? value / 100 : value;
}
