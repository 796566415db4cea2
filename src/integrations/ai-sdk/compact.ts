import { type AiSdkMessage, aiSdk } from "../../apis/ai-sdk/index.ts";
import type { CompactInput, FitResult, State } from "../../core/types.ts";
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

/** What `compact` returns. `report.entries` says what became of each message. */
export type Compacted<M> = Pick<FitResult<M>, "messages" | "state" | "report">;

/** Tokens of a window that is larger than any; used where only the size of the result matters. */
const ANY_WINDOW = 100_000_000;

/**
 * Compacts messages now. The report's entries account for every message, before anything old is thrown away.
 *
 * @example
 * const messages = Array.from({ length: 40 }, (_, i) => ({
 *   role: i % 2 ? "assistant" : "user",
 *   content: `Message ${i} is about part ${i} of the plan, and says some words about it.`,
 * }));
 * const compacted = await compact({ messages, window: 8_000, budget: 400 });
 * compacted.report.outcome; // "compacted"
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
  return { messages: view.messages, state: view.state, report: view.report };
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
