import { contentHash } from "../../core/hash.ts";
import { stringifyDeep } from "../../core/json.ts";
import { renderView } from "../../core/render.ts";
import type { Dialect, Entry, FitResult, Report } from "../../core/types.ts";

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
export function receiptOf<M>(before: readonly M[], { messages, report }: FitResult<M>): Receipt {
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
export function receiptFaults<M>(
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
