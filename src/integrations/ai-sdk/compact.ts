import { type AiSdkMessage, aiSdk } from "../../apis/ai-sdk/index.ts";
import { renderView } from "../../core/draft.ts";
import { contentHash } from "../../core/hash.ts";
import { stringifyDeep } from "../../core/json.ts";
import type { CompactInput, Dialect, Entry, FitResult, Report, State } from "../../core/types.ts";
import { createCompactors, type IntegrationOptions } from "../shared/options.ts";
import { toolSchemas } from "../shared/tool-schemas.ts";

/** What `compact` takes. */
export interface CompactOptions<M extends AiSdkMessage>
  extends Omit<IntegrationOptions<AiSdkMessage>, "budget" | "onView">,
    Pick<CompactInput<M>, "focus" | "pins" | "knowledge" | "waitMs" | "signal"> {
  readonly messages: readonly M[];
  /** `system` or `instructions` of the calls to come: counted, never changed. */
  readonly system?: unknown;
  /** The `tools` of the calls to come: counted. */
  readonly tools?: unknown;
  /** Tokens that the messages may have afterwards. Default: where a compaction lands, or half of what is there. */
  readonly budget?: number;
}

/** What `compact` returns. */
export interface Compacted<M> extends Pick<FitResult<M>, "messages" | "state" | "report"> {
  /** What became of each message. Check it with `checkReceipt` before the old ones are thrown away. */
  readonly receipt: Receipt;
}

/** Tokens of a window that is larger than any; used where only the size of the result matters. */
const ANY_WINDOW = 100_000_000;

/**
 * Compacts messages now, with a receipt that can be checked before anything is thrown away.
 *
 * @example
 * const messages = Array.from({ length: 40 }, (_, i) => ({
 *   role: i % 2 ? "assistant" : "user",
 *   content: `Message ${i} is about part ${i} of the plan, and says some words about it.`,
 * }));
 * const compacted = await compact({ messages, window: 8_000, budget: 400 });
 * checkReceipt(compacted.receipt, { before: messages, after: compacted.messages }); // []
 */
export async function compact<M extends AiSdkMessage>(options: CompactOptions<M>): Promise<Compacted<M>> {
  const { messages, system, tools, budget, focus, pins, knowledge, waitMs, signal, state, ...rest } = options;
  const known = rest.window !== undefined || rest.compactor !== undefined;
  const compactor = createCompactors(aiSdk, known ? rest : { ...rest, window: ANY_WINDOW }).of(undefined);
  const view = await compactor.compact<M>(messages, {
    state,
    system,
    tools: await toolSchemas(tools),
    ...(budget !== undefined && { budget, adopt: true }),
    ...(focus !== undefined && { focus }),
    ...(pins && { pins }),
    ...(knowledge && { knowledge }),
    ...(waitMs !== undefined && { waitMs }),
    ...(signal && { signal }),
  });
  return {
    messages: view.messages,
    state: view.state,
    report: view.report,
    receipt: receiptOf(messages, view),
  };
}

/**
 * Checks a receipt against the messages before and after. Names what is wrong; an empty list means that every message is
 * accounted for exactly once, and that receipt and old messages lead to the new ones.
 */
export function checkReceipt<M extends AiSdkMessage>(
  receipt: Receipt,
  messages: { readonly before: readonly M[]; readonly after: readonly M[] },
): string[] {
  return receiptFaults<AiSdkMessage>(aiSdk, receipt, messages);
}

/** What a chat's interface is told of a compaction. */
export interface CompactionData {
  readonly outcome: "compacted";
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly budget: number;
  /** Messages that a summary now speaks for. */
  readonly covered: number;
  /** Goes back to the server with the chat, so that the next request goes on from this compaction. */
  readonly state?: State;
}

/** A data part of a chat's stream: `writer.write(part)`. */
export interface CompactionPart {
  readonly type: "data-compaction";
  readonly id: string;
  readonly data: CompactionData;
}

/** What `compactionPart` takes beside the view. */
export interface CompactionPartOptions {
  /** False: the state stays on the server. Default true. */
  readonly state?: boolean;
}

const TYPE = "data-compaction";

/**
 * The data part that tells a chat's interface of a compaction, or undefined where the view stayed as it was. It is stored with the
 * chat like every part, and `stateOfChat` finds the state in it again.
 */
export function compactionPart(
  { report, state }: Pick<FitResult<unknown>, "report" | "state">,
  options: CompactionPartOptions = {},
): CompactionPart | undefined {
  if (report.outcome !== "compacted") return undefined;
  return {
    type: TYPE,
    id: report.checkpoint ?? report.conversation,
    data: {
      outcome: report.outcome,
      tokensBefore: report.tokens.before,
      tokensAfter: report.tokens.after,
      budget: report.budget.budget,
      covered: report.counts.covered,
      ...(options.state !== false && { state }),
    },
  };
}

/** What writes a chat's stream, as far as it is needed here. */
export interface PartWriter {
  write(part: CompactionPart): void;
}

/**
 * An `onView` that tells a chat's interface of each compaction: `precisMiddleware({ onView: writeCompaction(writer) })`, where the writer is
 * the one of `createUIMessageStream`.
 */
export function writeCompaction(
  writer: PartWriter,
  options: CompactionPartOptions = {},
): (view: Pick<FitResult<unknown>, "report" | "state">) => void {
  return (view) => {
    const part = compactionPart(view, options);
    if (part) writer.write(part);
  };
}

/** The newest state in the messages of a chat (`UIMessage[]`), or undefined. */
export function stateOfChat(
  messages: readonly { readonly parts?: readonly { readonly type: string; readonly data?: unknown }[] }[],
): unknown {
  for (const { parts } of messages.toReversed()) {
    const part = parts?.findLast(({ type }) => type === TYPE);
    const state = (part?.data as Partial<CompactionData> | undefined)?.state;
    if (state !== undefined) return state;
  }
  return undefined;
}

/**
 * What a compaction did to each message, as plain JSON. With the messages that it was made from it is enough to make the
 * view again, so it can be checked before anything old is thrown away.
 */
export interface Receipt {
  readonly version: 1;
  /** The messages that went in: how many, and the hash of their JSON. */
  readonly before: { readonly messages: number; readonly hash: string; readonly tokens: number };
  /** The messages that came out. */
  readonly after: { readonly messages: number; readonly hash: string; readonly tokens: number };
  readonly counts: Report["counts"];
  /** Every message that went in, exactly once: kept, edited, covered by an insert, or dropped with a reason. */
  readonly entries: readonly Entry[];
  readonly outcome: Report["outcome"];
}

/** Writes the receipt of a view. */
function receiptOf<M>(before: readonly M[], { messages, report }: FitResult<M>): Receipt {
  return {
    version: 1,
    before: { messages: before.length, hash: hashOf(before), tokens: report.tokens.transcript },
    after: { messages: messages.length, hash: hashOf(messages), tokens: report.tokens.after },
    counts: report.counts,
    entries: report.entries,
    outcome: report.outcome,
  };
}

/** Names what is wrong with a receipt; an empty list if the view can be made again from receipt and messages. */
function receiptFaults<M>(
  dialect: Dialect<M>,
  receipt: Receipt,
  { before, after }: { readonly before: readonly M[]; readonly after: readonly M[] },
): string[] {
  const faults: string[] = [];
  if (hashOf(before) !== receipt.before.hash) faults.push("the messages that went in are others");
  if (hashOf(after) !== receipt.after.hash) faults.push("the messages that came out are others");
  const seen = timesSeen(receipt.entries, before.length);
  for (const [index, times] of seen.entries()) {
    if (times !== 1) faults.push(`message ${index + 1} is accounted for ${times} times`);
  }
  if (faults.length > 0) return faults;
  const { messages } = renderView({
    dialect,
    transcript: before,
    entries: receipt.entries,
    system: undefined,
  });
  if (hashOf(messages) !== receipt.after.hash) faults.push("the entries don't lead to the messages");
  return faults;
}

/** How often each message is accounted for. */
function timesSeen(entries: readonly Entry[], length: number): number[] {
  const seen = new Array<number>(length).fill(0);
  for (const entry of entries) {
    const runs = entry.type === "insert" ? entry.covers : [{ from: entry.index, to: entry.index + 1 }];
    for (const { from, to } of runs)
      for (let index = from; index < to; index++) seen[index] = (seen[index] ?? 0) + 1;
  }
  return seen;
}

function hashOf(messages: readonly unknown[]): string {
  return contentHash(stringifyDeep(messages) ?? "");
}
