import { listOf, obj, str } from "../../apis/shared/fields.ts";
import { isRecord } from "../../core/json.ts";

const MS_PER_SECOND = 1_000;
const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: MS_PER_SECOND, ms: 1 };
/** Numbers from here on are points in time: seconds since 1970, or milliseconds from the second one on. */
const EPOCH_SECONDS_FROM = 1_000_000_000;
const EPOCH_MS_FROM = 1_000_000_000_000;

/** Providers' names for "how much is left" and "when it is full again". */
const LIMITS: readonly { readonly remaining: string; readonly reset: string }[] = [
  { remaining: "x-ratelimit-remaining-requests", reset: "x-ratelimit-reset-requests" },
  { remaining: "x-ratelimit-remaining-tokens", reset: "x-ratelimit-reset-tokens" },
  { remaining: "anthropic-ratelimit-requests-remaining", reset: "anthropic-ratelimit-requests-reset" },
  { remaining: "anthropic-ratelimit-tokens-remaining", reset: "anthropic-ratelimit-tokens-reset" },
  {
    remaining: "anthropic-ratelimit-input-tokens-remaining",
    reset: "anthropic-ratelimit-input-tokens-reset",
  },
  {
    remaining: "anthropic-ratelimit-output-tokens-remaining",
    reset: "anthropic-ratelimit-output-tokens-reset",
  },
  { remaining: "x-ratelimit-remaining", reset: "x-ratelimit-reset" },
  { remaining: "ratelimit-remaining", reset: "ratelimit-reset" },
];

/** What can be asked for a header by its lower-case name. */
export interface HeaderReader {
  get(name: string): string | null;
}

/**
 * How long a provider asked to wait, in milliseconds: `retry-after-ms`, `retry-after`, the answer's own words, then the
 * reset of a limit that is used up. Undefined when it didn't say.
 */
export function retryAfterOf(headers: HeaderReader, body: unknown, now: number): number | undefined {
  const ms = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const after = headers.get("retry-after");
  const wait = after === null ? undefined : waitOf(after, now);
  if (wait !== undefined) return wait;
  return fromBody(body) ?? fromLimits(headers, now);
}

/** `20`, `1.5s`, `6m0s`, an HTTP or ISO date, or a point in time. */
function waitOf(text: string, now: number): number | undefined {
  const value = text.trim();
  const number = Number(value);
  if (value !== "" && Number.isFinite(number)) {
    if (number >= EPOCH_MS_FROM) return Math.max(0, number - now);
    if (number >= EPOCH_SECONDS_FROM) return Math.max(0, number * MS_PER_SECOND - now);
    return number < 0 ? undefined : number * MS_PER_SECOND;
  }
  const duration = durationOf(value);
  if (duration !== undefined) return duration;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function durationOf(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|h|m|s))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g))
    total += Number(amount) * (UNIT_MS[unit ?? ""] ?? 0);
  return total;
}

/** Google's `retryDelay`, and OpenAI's "Please try again in 1m26.4s". */
function fromBody(body: unknown): number | undefined {
  const error = obj(obj(Array.isArray(body) ? body[0] : body)["error"]);
  for (const detail of listOf(error["details"])) {
    const delay = isRecord(detail) ? durationOf(str(detail["retryDelay"])) : undefined;
    if (delay !== undefined) return delay;
  }
  const said = /try again in ((?:\d+(?:\.\d+)?(?:ms|h|m|s))+)/i.exec(str(error["message"]));
  return said?.[1] === undefined ? undefined : durationOf(said[1]);
}

/** The longest reset among the limits that are used up. A limit with something left isn't what stopped us. */
function fromLimits(headers: HeaderReader, now: number): number | undefined {
  const waits = LIMITS.flatMap(({ remaining, reset }) => {
    if (headers.get(remaining)?.trim() !== "0") return [];
    const at = headers.get(reset);
    return at === null ? [] : (waitOf(at, now) ?? []);
  });
  return waits.length === 0 ? undefined : Math.max(...waits);
}
