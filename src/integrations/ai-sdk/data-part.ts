import type { FitResult, State } from "../../core/types.ts";

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
