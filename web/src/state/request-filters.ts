import { strings } from "../strings.ts";
import type { RequestFilters } from "./router.ts";

const words = strings.gateway;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long a bar of a chart may stand for (milliseconds), and how many of them a chart has room for. Sums of the store are of four hours. */
const STRETCHES = [5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 4 * HOUR_MS, DAY_MS, 7 * DAY_MS, 28 * DAY_MS];
const MOST_BARS = 90;

/** How long each bar is in a chart of so many milliseconds. */
export const stretchOf = (ms: number): number =>
  STRETCHES.find((every) => ms / every <= MOST_BARS) ?? STRETCHES.at(-1)!;

/**
 * The time that filters choose, in milliseconds. A range that ends now begins with a whole bar, so that list, totals and charts are of
 * the same requests.
 */
export function rangeOf(
  { hours, since, until }: Pick<Filters, "hours" | "since" | "until">,
  now = Date.now(),
): { readonly since?: number; readonly until?: number } {
  if (hours === "all") return {};
  if (hours === "custom")
    return { ...(since && { since: Number(since) }), ...(until && { until: Number(until) }) };
  const every = stretchOf(Number(hours) * HOUR_MS);
  return { since: Math.floor((now - Number(hours) * HOUR_MS) / every + 1) * every };
}

export const OUTCOMES = [
  "failed",
  "compacted",
  "view",
  "pass",
  "observed",
  "off",
  "untouched",
  "refused",
] as const;

/** What narrows the list; "" doesn't, and neither does what no choice offers. */
export function filtersOf(given: RequestFilters) {
  const { search = "", model = "", client = "", outcome = "" } = given;
  const one = <T extends string>(
    of: Readonly<Record<T, unknown>>,
    value: string | undefined,
    otherwise: NoInfer<T>,
  ): T => (value !== undefined && Object.hasOwn(of, value) ? (value as T) : otherwise);
  const time = (value = "") => (/^\d{1,15}$/.test(value) ? value : "");
  return {
    search,
    model,
    client,
    outcome: OUTCOMES.find((one) => one === outcome) ?? "",
    from: one(words.sides, given.from, "client"),
    hours: one(words.ranges, given.hours, "24"),
    since: time(given.since),
    until: time(given.until),
    show: one(words.shows, given.show, "requests"),
    by: one(words.bys, given.by, "all"),
    sort: one(words.sorts, given.sort, "time"),
    order: one({ desc: "", asc: "" }, given.order, "desc"),
  };
}

export type Filters = ReturnType<typeof filtersOf>;
