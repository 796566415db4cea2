import type { Api } from "../../apis/shared/api.ts";
import { isJson, type Json } from "../../apis/shared/fields.ts";
import { isTooLarge, isWorthCounting } from "../../core/budget.ts";
import type { Compactor, FitResult } from "../../core/types.ts";
import { CountedTooLong, learn } from "../shared/send-fitted.ts";
import type { FetchLike } from "./fetch.ts";

/**
 * Has the provider itself count a view that comes near the budget, and learns from its number. Throws `CountedTooLong` if the view is larger than
 * precis believed and doesn't fit. Where the provider doesn't count, the view is sent as it is.
 */
export async function countFirst(
  options: { readonly fetch: FetchLike; readonly url: URL; readonly init: RequestInit | undefined },
  { counts }: Api,
  body: Json,
  { view, compactor }: { readonly view: FitResult<unknown>; readonly compactor: Compactor<unknown> },
): Promise<void> {
  const { fetch, url, init } = options;
  const { report } = view;
  if (!counts || !isWorthCounting(report)) return;
  const asked = new URL(url);
  asked.pathname = counts.path(url.pathname);
  const counted = JSON.stringify(counts.body(body, url.pathname));
  const response = await fetch(asked, { ...init, body: counted }).catch(() => undefined);
  const told: unknown = response?.ok ? await response.json().catch(() => undefined) : undefined;
  const tokens = isJson(told) ? counts.read(told) : undefined;
  if (tokens === undefined) return;
  await learn(compactor, view, { usage: { input: tokens } });
  if (isTooLarge(tokens, report)) throw new CountedTooLong(tokens);
}
