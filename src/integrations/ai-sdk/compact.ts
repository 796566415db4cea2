import { type AiSdkMessage, aiSdk } from "../../apis/ai-sdk/index.ts";
import type { CompactInput, FitResult } from "../../core/types.ts";
import { createCompactors, type IntegrationOptions } from "../shared/options.ts";
import { type Receipt, receiptFaults, receiptOf } from "../shared/receipt.ts";
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
