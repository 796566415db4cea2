import { setImmediate as breathe } from "node:timers/promises";
import { BudgetImpossibleError } from "../../core/errors.ts";
import type {
  Compactor,
  Dialect,
  Measure,
  Message,
  Reason,
  Report,
  RungName,
  Warning,
} from "../../core/types.ts";
import type { TranscriptLog } from "../../dialects/logs/index.ts";
import { type ReceiptRun, receiptOf } from "./receipt.ts";

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
  readonly receipt: readonly ReceiptRun[];
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
  /** The same for sending everything. */
  readonly fullUnchanged: number;
  /** Tokens of the answer. */
  readonly answer: number;
  /** Epoch milliseconds, when the log tells. */
  readonly time: number | undefined;
  /** Index into `compactions`. */
  readonly compaction: number | undefined;
}

export interface Replay {
  readonly requests: readonly ReplayRequest[];
  readonly compactions: readonly ReplayCompaction[];
  /** Requests that no view fits: their head and last user message alone are too large. They are left out. */
  readonly impossible: readonly { readonly at: number; readonly error: BudgetImpossibleError }[];
  /** The newest report's budget: window, reserve, tools, safety. */
  readonly budget: Report["budget"] | undefined;
}

export interface SimulateOptions {
  readonly compactor: Pick<Compactor<unknown>, "fit">;
  readonly dialect: Dialect<unknown>;
  readonly measure: Measure;
  readonly log: TranscriptLog;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Walks a transcript as it happened: one `fit` before every answer of the model. */
export async function simulate(options: SimulateOptions): Promise<Replay> {
  const { compactor, dialect, measure, log, signal } = options;
  const read: Message[] = [];
  const tokens: number[] = [];
  const pause = createPause(signal);
  for (const wire of log.messages) {
    const message = dialect.read(wire);
    read.push(message);
    tokens.push(measure.message(message));
    await pause();
  }
  const tokensOf = createTokensOf(dialect, measure, log.messages, tokens);
  const starts = answerStarts(read, dialect);
  const requests: ReplayRequest[] = [];
  const compactions: ReplayCompaction[] = [];
  const impossible: { readonly at: number; readonly error: BudgetImpossibleError }[] = [];
  let state: unknown;
  let before: Sent | undefined;
  let budget: Report["budget"] | undefined;
  for (const [ordinal, start] of starts.entries()) {
    await pause();
    options.onProgress?.(ordinal, starts.length);
    const time = log.times?.[start];
    const last = requests.at(-1)?.time;
    const result = await attempt(() =>
      compactor.fit(log.messages.slice(0, start), {
        ...(state === undefined ? {} : { state }),
        ...(log.system === undefined ? {} : { system: log.system }),
        ...(log.tools === undefined ? {} : { tools: log.tools }),
        ...(time === undefined ? {} : { now: time }),
        ...(last === undefined ? {} : { lastRequestAt: last }),
        ...(signal === undefined ? {} : { signal }),
      }),
    );
    if (result instanceof BudgetImpossibleError) {
      impossible.push({ at: start, error: result });
      continue;
    }
    const { report } = result;
    state = result.state;
    budget = report.budget;
    const compacted = report.outcome === "compacted";
    if (compacted)
      compactions.push({
        request: requests.length,
        at: start,
        reason: report.reason,
        rung: report.rungs.findLast((rung) => rung.result === "used")?.rung,
        tokens: { before: report.tokens.before, after: report.tokens.after },
        pressure: report.pressure,
        counts: report.counts,
        receipt: receiptOf({ entries: report.entries, messages: read.slice(0, start), tokens, measure }),
        written: report.entries.flatMap((entry) => (entry.type === "insert" ? [entry.message.text] : [])),
        warnings: report.warnings,
      });
    const sent: Sent = { system: result.system, messages: result.messages };
    const next = starts[ordinal + 1] ?? read.length;
    const previous = requests.at(-1);
    requests.push({
      at: start,
      tokens: report.tokens.after,
      full: report.tokens.transcript,
      tools: report.budget.tools,
      budget: report.budget.budget,
      pressure: { before: report.pressure.before, after: report.pressure.after },
      unchanged: Math.round(commonShare(before, sent, tokensOf) * report.tokens.after),
      fullUnchanged: Math.min(previous?.full ?? 0, report.tokens.transcript),
      answer: answerTokens(read, start, next, tokens),
      time,
      compaction: compacted ? compactions.length - 1 : undefined,
    });
    before = sent;
  }
  const first = impossible[0];
  if (first !== undefined && requests.length === 0) throw first.error;
  return { requests, compactions, impossible, budget };
}

/** The result, or the error that says that nothing can be sent at this point of the session. */
const attempt = async <T>(run: () => Promise<T>): Promise<T | BudgetImpossibleError> =>
  run().catch((error: unknown) => {
    if (error instanceof BudgetImpossibleError) return error;
    throw error;
  });

/** Calculating longer than this without a turn of the event loop makes Ctrl-C feel dead. */
const PAUSE_EVERY_MS = 50;

/** Now and then lets the event loop turn, so that Ctrl-C is heard. */
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

interface Sent {
  readonly system: unknown;
  readonly messages: readonly unknown[];
}

/**
 * Index of the first message of every answer. The Responses format spreads one answer over several items (reasoning,
 * text, calls); in the others every assistant message was an answer of its own.
 */
function answerStarts(messages: readonly Message[], dialect: Dialect<unknown>): readonly number[] {
  const joins = dialect.id === "openai-responses";
  return messages.flatMap((message, index) => {
    if (index === 0 || message.role !== "assistant") return [];
    return joins && messages[index - 1]?.role === "assistant" ? [] : [index];
  });
}

function answerTokens(
  messages: readonly Message[],
  start: number,
  next: number,
  tokens: readonly number[],
): number {
  let answer = 0;
  for (let index = start; index < next && messages[index]?.role === "assistant"; index++)
    answer += tokens[index]!;
  return answer;
}

/** Tokens of a wire message. Views share most of their messages, so each object is counted once. */
function createTokensOf(
  dialect: Dialect<unknown>,
  measure: Measure,
  messages: readonly unknown[],
  counts: readonly number[],
): (message: unknown) => number {
  const known = new WeakMap<object, number>();
  for (const [index, message] of messages.entries())
    if (typeof message === "object" && message !== null) known.set(message, counts[index]!);
  return (message) => {
    const key = typeof message === "object" && message !== null ? message : undefined;
    const found = key === undefined ? undefined : known.get(key);
    if (found !== undefined) return found;
    const tokens = measure.message(dialect.read(message));
    if (key !== undefined) known.set(key, tokens);
    return tokens;
  };
}

/** The share of a view, from its front, that the request before it had too. */
function commonShare(before: Sent | undefined, now: Sent, tokensOf: (message: unknown) => number): number {
  const systemTokens =
    now.system === undefined || now.system === null ? 0 : tokensOf({ role: "system", content: now.system });
  let total = systemTokens;
  for (const message of now.messages) total += tokensOf(message);
  if (before === undefined || total === 0) return 0;
  if (!same(before.system, now.system)) return 0;
  let common = systemTokens;
  for (const [index, message] of now.messages.entries()) {
    if (index >= before.messages.length || !same(before.messages[index], message)) break;
    common += tokensOf(message);
  }
  return common / total;
}

const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
