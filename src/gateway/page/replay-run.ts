import { setImmediate as breathe } from "node:timers/promises";
import { stringifyDeep } from "../../core/deep-json.ts";
import { BudgetImpossibleError } from "../../core/errors.ts";
import type { Compactor, Dialect, FitInput, Measure, Prices, Role, State } from "../../core/types.ts";
import type { ReplayPoint, ReplayRun } from "../api.ts";

const MILLION = 1_000_000;
/** Replaying may keep other requests waiting this long (milliseconds). */
const SLICE_MS = 25;
/** Messages that all requests of a replay may have together; of a longer one only every so many are replayed. */
const MAX_WORK = 250_000;

export interface ReplayOptions {
  readonly compactor: Pick<Compactor<unknown>, "fit">;
  readonly dialect: Dialect<unknown>;
  readonly measure: Measure;
  readonly messages: readonly unknown[];
  readonly input: FitInput<unknown>;
  readonly prices: Prices | undefined;
  readonly signal: AbortSignal;
  /** Before each request: how many messages it has. */
  onRequest?(length: number): void;
  /** A compaction has changed what later requests stand on. */
  onState?(length: number, state: State): void;
}

/** One `fit` before every answer of the model, as it happened. */
export async function replayRun(options: ReplayOptions): Promise<Omit<ReplayRun, "policy">> {
  const { compactor, dialect, messages, input, prices, signal } = options;
  const roles = messages.map((message) => dialect.read(message).role);
  // Leading system messages aren't counted, as nowhere in the API.
  const lead = Math.max(
    0,
    roles.findIndex((role) => role !== "system"),
  );
  const { requests, every } = requestsOf(roles);
  const cachedPart = createCachedPart(dialect, options.measure);
  const points: ReplayPoint[] = [];
  let whole = 0;
  let wholeCost = 0;
  let state: State | undefined;
  let checkpoint: string | undefined;
  let impossible = 0;
  let started = performance.now();
  for (const length of requests) {
    if (performance.now() - started >= SLICE_MS) {
      await breathe();
      started = performance.now();
    }
    signal.throwIfAborted();
    options.onRequest?.(length);
    try {
      const fitted = await compactor.fit(messages.slice(0, length), { ...input, state });
      const { report } = fitted;
      state = fitted.state;
      const compacted = report.checkpoint !== undefined && report.checkpoint !== checkpoint;
      checkpoint = report.checkpoint;
      if (compacted) options.onState?.(length, state);
      const transcript = report.tokens.transcript + report.budget.tools;
      const view = report.tokens.after + report.budget.tools;
      const share = cachedPart(fitted);
      const cached = points.length === 0 ? 0 : Math.round(share * report.tokens.after) + report.budget.tools;
      wholeCost += priced(prices, transcript, whole);
      whole = transcript;
      points.push({
        messages: length - lead,
        transcript,
        view,
        budget: report.budget.budget,
        compacted,
        cached,
        ...(prices && { cost: priced(prices, view, cached) }),
      });
    } catch (error) {
      if (!(error instanceof BudgetImpossibleError)) throw error;
      impossible++;
    }
  }
  const sum = (of: (point: ReplayPoint) => number) =>
    points.reduce((total, point) => total + of(point), 0) * every;
  const most = (of: (point: ReplayPoint) => number) =>
    points.reduce((largest, point) => Math.max(largest, of(point)), 0);
  return {
    requests: (points.length + impossible) * every,
    compactions: points.filter(({ compacted }) => compacted).length,
    impossible: impossible * every,
    ...(every > 1 && { every }),
    tokens: { transcript: sum((point) => point.transcript), view: sum((point) => point.view) },
    peak: { transcript: most((point) => point.transcript), view: most((point) => point.view) },
    cost: prices && { transcript: wholeCost * every, view: sum((point) => point.cost ?? 0) },
    points,
  };
}

/** Lengths of the transcript at the requests that are replayed: all of them, or every so many and the last. */
function requestsOf(roles: readonly Role[]): { readonly requests: number[]; readonly every: number } {
  const all = [...roles.keys()].filter(
    (index) => index > 0 && roles[index] === "assistant" && roles[index - 1] !== "assistant",
  );
  const work = all.reduce((sum, length) => sum + length, 0);
  const every = Math.max(1, Math.ceil(work / MAX_WORK));
  return { every, requests: all.filter((_, nth) => (all.length - 1 - nth) % every === 0) };
}

/** US dollars of one request: what the provider's cache holds is read from it, the rest is written to it. */
function priced(prices: Prices | undefined, tokens: number, cached: number): number {
  if (!prices) return 0;
  const read = Math.min(cached, tokens);
  return (read * prices.cacheRead + (tokens - read) * prices.cacheWrite) / MILLION;
}

interface Sent {
  readonly system: unknown;
  readonly messages: readonly unknown[];
}

/**
 * Tells of each request which share of it, from its front, the request before had too: that is what a provider reads from
 * its prompt cache.
 */
export function createCachedPart(dialect: Dialect<unknown>, measure: Measure): (now: Sent) => number {
  const known = new WeakMap<object, number>();
  const tokensOf = (message: unknown): number => {
    const key = typeof message === "object" && message !== null ? message : undefined;
    const found = key && known.get(key);
    if (found !== undefined) return found;
    const tokens = measure.message(dialect.read(message));
    if (key) known.set(key, tokens);
    return tokens;
  };
  let before: Sent | undefined;
  return (now) => {
    const last = before;
    before = now;
    const system = now.system == null ? 0 : tokensOf({ role: "system", content: now.system });
    const total = now.messages.reduce<number>((sum, message) => sum + tokensOf(message), system);
    if (!last || total === 0 || !isSame(last.system, now.system)) return 0;
    let common = system;
    for (const [index, message] of now.messages.entries()) {
      if (index >= last.messages.length || !isSame(last.messages[index], message)) break;
      common += tokensOf(message);
    }
    return common / total;
  };
}

const isSame = (a: unknown, b: unknown): boolean => a === b || stringifyDeep(a) === stringifyDeep(b);
