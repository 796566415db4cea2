import { strings } from "../strings.ts";
import type { RequestFilters } from "./router.ts";

const words = strings.gateway;
const HOUR_MS = 3_600_000;

/** How long each stretch of a range of hours is in a chart (milliseconds). Sums of the store are of four hours. */
export const STRETCHES = {
  "1": HOUR_MS / 12,
  "24": HOUR_MS,
  "168": 4 * HOUR_MS,
  "720": 24 * HOUR_MS,
  "2160": 24 * HOUR_MS,
} as const;
type Hours = keyof typeof STRETCHES;

/** Where a range begins that ends now: with a whole stretch, so that list, totals and charts are of the same requests. */
export function startOf(hours: Hours, now = Date.now()): number {
  const every = STRETCHES[hours];
  return Math.floor((now - Number(hours) * HOUR_MS) / every + 1) * every;
}

export const OUTCOMES = ["failed", "compacted", "view", "pass", "observed", "off", "untouched"] as const;

/** What narrows the list; "" doesn't, and neither does what no choice offers. */
export function filtersOf(given: RequestFilters) {
  const {
    from = "",
    search = "",
    model = "",
    client = "",
    outcome = "",
    hours = "",
    show = "",
    by = "",
  } = given;
  const one = <T extends string>(of: Readonly<Record<T, unknown>>, value: string, otherwise: T): T =>
    Object.hasOwn(of, value) ? (value as T) : otherwise;
  return {
    search,
    model,
    client,
    outcome: OUTCOMES.find((one) => one === outcome) ?? "",
    from: one(words.sides, from, "client"),
    hours: one<Hours>(STRETCHES, hours, "24"),
    show: one(words.shows, show, "requests"),
    by: one(words.bys, by, "model"),
  };
}

export type Filters = ReturnType<typeof filtersOf>;
