import { countingBody } from "../../apis/shared/counting.ts";
import { isRecord } from "../../core/is-record.ts";
import { isTooLarge, isWorthCounting } from "../../core/provider-count.ts";
import type { Compactor, FitResult } from "../../core/types.ts";
import { CountedTooLong, learn } from "../shared/send-fitted.ts";
import type { FetchLike } from "./fetch.ts";
import { type ClientWire, type Json, numberOf } from "./wire.ts";

/**
 * Has the provider itself count a view that comes near the budget, and learns from its number. Throws `CountedTooLong` if the view is larger than
 * precis believed and doesn't fit. Where the provider doesn't count, the view is sent as it is.
 */
export async function countFirst(
  options: { readonly fetch: FetchLike; readonly url: URL; readonly init: RequestInit | undefined },
  { count }: ClientWire,
  body: Json,
  { view, compactor }: { readonly view: FitResult<unknown>; readonly compactor: Compactor<unknown> },
): Promise<void> {
  const { fetch, url, init } = options;
  const { report } = view;
  if (!count || !isWorthCounting(report)) return;
  const asked = new URL(url);
  asked.pathname = `${asked.pathname.replace(/\/$/, "")}${count.path}`;
  const response = await fetch(asked, { ...init, body: JSON.stringify(countingBody(count, body)) }).catch(
    () => undefined,
  );
  const told: unknown = response?.ok ? await response.json().catch(() => undefined) : undefined;
  const tokens = isRecord(told) ? numberOf(told["input_tokens"]) : undefined;
  if (tokens === undefined) return;
  await learn(compactor, view, { usage: { input: tokens } });
  if (isTooLarge(tokens, report)) throw new CountedTooLong(tokens);
}
