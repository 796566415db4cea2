import { setImmediate as breathe } from "node:timers/promises";
import { defined } from "../../core/collections.ts";
import { BudgetImpossibleError } from "../../core/errors.ts";
import { stringifyDeep } from "../../core/json.ts";
import type {
  Compactor,
  Dialect,
  FitInput,
  Measure,
  Message,
  Reason,
  Report,
  RungName,
  Usage,
  Warning,
} from "../../core/types.ts";
import { CACHE_MS } from "../../tokens/billing.ts";
import type { AnsweredRequest } from "../../tokens/index.ts";
import { type FateRun, fatesByRun } from "./message-fates.ts";
import { type Survival, survivalOf } from "./survival.ts";

/** One compaction of a replay. */
export interface ReplayCompaction {
  /** Ordinal of the request that it happened before, from 0. */
  readonly request: number;
  /** Number of messages in the transcript at that moment. */
  readonly at: number;
  readonly reason: Reason | undefined;
  readonly rung: RungName | undefined;
  readonly tokens: { readonly before: number; readonly after: number };
  readonly pressure: { readonly before: number; readonly after: number };
  readonly counts: Report["counts"];
  readonly fates: readonly FateRun[];
  /** The messages that precis wrote. */
  readonly written: readonly string[];
  readonly warnings: readonly Warning[];
}

/** One request of a replay: the view that would have been sent before one answer of the model. */
export interface ReplayRequest {
  /** Number of messages in the transcript at that moment. */
  readonly at: number;
  /** Tokens of the view, tools not included. */
  readonly tokens: number;
  /** Tokens of the whole transcript: what would have been sent without precis. */
  readonly full: number;
  readonly tools: number;
  readonly budget: number;
  /** Pressure before this request's compaction, if there was one, and of what was sent. */
  readonly pressure: { readonly before: number; readonly after: number };
  /** Tokens at the front of the view that are the same as in the request before. */
  readonly unchanged: number;
  /** It came after a pause in which the provider's cache had expired. */
  readonly isCold: boolean;
  /** As a provider would count it that reads from its cache what is unchanged, tools included, and writes the rest. */
  readonly usage: Required<Usage>;
  /** Epoch milliseconds, when they are known. */
  readonly time: number | undefined;
  /** Index into `compactions`. */
  readonly compaction: number | undefined;
}

export interface Replay {
  readonly requests: readonly ReplayRequest[];
  /** The same requests as receipts need them. */
  readonly answered: readonly AnsweredRequest[];
  readonly compactions: readonly ReplayCompaction[];
  /** Requests that no view fits: their head and last user message alone are too large. They are left out. */
  readonly impossible: readonly { readonly at: number; readonly error: BudgetImpossibleError }[];
  /** Only every so many requests of a very long transcript were replayed; 1 if all were. */
  readonly every: number;
  /** What of the conversation its last view still says; undefined where no view was made. */
  readonly survival?: Survival;
  /** The newest report's budget: window, reserve, tools, safety. */
  readonly budget: Report["budget"] | undefined;
}

export interface SimulateOptions {
  readonly compactor: Pick<Compactor<unknown>, "fit">;
  readonly dialect: Dialect<unknown>;
  readonly measure: Measure;
  readonly messages: readonly unknown[];
  /** Epoch milliseconds of each message, as far as they are known. */
  readonly times?: readonly (number | undefined)[];
  /** What every `fit` is given beside the messages. */
  readonly input?: FitInput<unknown>;
  /** Messages that all requests may have together; of a longer transcript only every so many requests are replayed. */
  readonly maxWork?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Walks a transcript as it happened: one `fit` before every answer of the model. */
export async function simulate(options: SimulateOptions): Promise<Replay> {
  const { compactor, dialect, measure, messages, times, signal } = options;
  const pause = createPause(signal);
  const { read, tokens } = await readAll(options, pause);
  const all = answerStarts(read, { joined: dialect.id === "openai-responses" });
  const { starts, every } = sampleOf(all, options.maxWork ?? Number.POSITIVE_INFINITY);
  const answers = new Set(all);
  const cachedShare = createCachedShare(dialect, measure);
  const requests: ReplayRequest[] = [];
  const answered: AnsweredRequest[] = [];
  const compactions: ReplayCompaction[] = [];
  const impossible: { readonly at: number; readonly error: BudgetImpossibleError }[] = [];
  let state: unknown;
  let checkpoint: string | undefined;
  let budget: Report["budget"] | undefined;
  let last: { readonly start: number; readonly view: readonly unknown[] } | undefined;
  for (const [ordinal, start] of starts.entries()) {
    await pause();
    options.onProgress?.(ordinal, starts.length);
    const time = times?.[start];
    const previous = requests.at(-1);
    const result = await orImpossible(() =>
      compactor.fit(messages.slice(0, start), {
        ...options.input,
        ...defined({ state, now: time, lastRequestAt: previous?.time, signal }),
      }),
    );
    if (result instanceof BudgetImpossibleError) {
      impossible.push({ at: start, error: result });
      continue;
    }
    const { report } = result;
    state = result.state;
    budget = report.budget;
    last = { start, view: result.messages };
    // A compaction of the past isn't made anew: the view stands on its record, which wasn't there before.
    const isFound = report.checkpoint !== undefined && report.checkpoint !== checkpoint;
    const compacted = report.outcome === "compacted" || isFound;
    checkpoint = report.checkpoint;
    if (compacted) {
      const fates = fatesByRun({ entries: report.entries, messages: read.slice(0, start), tokens, measure });
      compactions.push({ request: requests.length, at: start, fates, ...compactionOf(report) });
    }
    const { tools } = report.budget;
    const input = report.tokens.after + tools;
    const unchanged = Math.round(cachedShare(result) * report.tokens.after);
    const isCold = time !== undefined && previous?.time !== undefined && time - previous.time > CACHE_MS;
    const cacheRead = previous === undefined || isCold ? 0 : unchanged + tools;
    const usage = {
      input,
      cacheRead,
      cacheWrite: input - cacheRead,
      output: answerTokens(read, start, tokens, answers),
    };
    answered.push({ report: receiptReport(report), usage, ...defined({ at: time }) });
    requests.push({
      at: start,
      tokens: report.tokens.after,
      full: report.tokens.transcript,
      tools,
      budget: report.budget.budget,
      pressure: { before: report.pressure.before, after: report.pressure.after },
      unchanged,
      isCold,
      usage,
      time,
      compaction: compacted ? compactions.length - 1 : undefined,
    });
  }
  const view = last?.view.map((wire) => dialect.read(wire));
  const survival = view && survivalOf(read.slice(0, last?.start), view, measure.text);
  return { requests, answered, compactions, impossible, every, budget, ...(survival && { survival }) };
}

/** A long session has thousands of reports: what receipts don't need isn't kept. */
const receiptReport = ({ tokens, budget, prefixReason, recalled, checkpoint, cost }: Report) => ({
  tokens,
  budget,
  prefixReason,
  recalled,
  checkpoint,
  cost,
});

async function readAll(
  { dialect, measure, messages }: Pick<SimulateOptions, "dialect" | "measure" | "messages">,
  pause: () => Promise<void>,
): Promise<{ readonly read: readonly Message[]; readonly tokens: readonly number[] }> {
  const read: Message[] = [];
  const tokens: number[] = [];
  for (const wire of messages) {
    const message = dialect.read(wire);
    read.push(message);
    tokens.push(measure.message(message));
    await pause();
  }
  return { read, tokens };
}

function compactionOf(report: Report): Omit<ReplayCompaction, "request" | "at" | "fates"> {
  return {
    reason: report.reason,
    rung: report.rungs.findLast((rung) => rung.result === "used")?.rung,
    tokens: { before: report.tokens.before, after: report.tokens.after },
    pressure: report.pressure,
    counts: report.counts,
    written: report.entries.flatMap((entry) => (entry.type === "insert" ? [entry.message.text] : [])),
    warnings: report.warnings,
  };
}

/** Calculating longer than this without a turn of the event loop makes Ctrl-C feel dead, and keeps other requests waiting. */
const PAUSE_EVERY_MS = 25;

/** Now and then lets the event loop turn. */
function createPause(signal: AbortSignal | undefined): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last >= PAUSE_EVERY_MS) {
      await breathe();
      last = performance.now();
    }
    signal?.throwIfAborted();
  };
}

/** All of the requests, or every so many and the last. */
function sampleOf(
  all: readonly number[],
  maxWork: number,
): { readonly starts: readonly number[]; readonly every: number } {
  const work = all.reduce((sum, length) => sum + length, 0);
  const every = Math.max(1, Math.ceil(work / maxWork));
  return { every, starts: all.filter((_, nth) => (all.length - 1 - nth) % every === 0) };
}

function answerTokens(
  messages: readonly Message[],
  start: number,
  tokens: readonly number[],
  starts: ReadonlySet<number>,
): number {
  let answer = tokens[start] ?? 0;
  for (let index = start + 1; messages[index]?.role === "assistant" && !starts.has(index); index++)
    answer += tokens[index]!;
  return answer;
}

interface Sent {
  readonly system: unknown;
  readonly messages: readonly unknown[];
}

/**
 * Tells of each request which share of it, from its front, the request before had too: that is what a provider reads from
 * its prompt cache. Views share most of their messages, so each object is counted once.
 */
export function createCachedShare(
  dialect: Pick<Dialect<unknown>, "read">,
  measure: Measure,
): (now: Sent) => number {
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
    return (system + commonTokens(last.messages, now.messages, tokensOf)) / total;
  };
}

/** Tokens at the front that both requests have. */
export function commonTokens<M>(
  before: readonly M[],
  now: readonly M[],
  tokensOf: (message: M) => number,
): number {
  let total = 0;
  for (const [index, message] of now.entries()) {
    if (index >= before.length || !isSame(before[index], message)) break;
    total += tokensOf(message);
  }
  return total;
}

const isSame = (a: unknown, b: unknown): boolean => a === b || stringifyDeep(a) === stringifyDeep(b);

/**
 * Index of the first message of every answer: before each, the model was asked. `joined`: one answer may be several messages
 * in a row, as in the Responses format.
 */
export function answerStarts(
  messages: readonly { readonly role: string }[],
  { joined }: { readonly joined: boolean },
): readonly number[] {
  return messages.flatMap((message, index) => {
    if (index === 0 || message.role !== "assistant") return [];
    return joined && messages[index - 1]?.role === "assistant" ? [] : [index];
  });
}

/** The result, or the error that says that nothing can be sent at this point of the session. */
export const orImpossible = async <T>(run: () => Promise<T>): Promise<T | BudgetImpossibleError> =>
  run().catch((error: unknown) => {
    if (error instanceof BudgetImpossibleError) return error;
    throw error;
  });
