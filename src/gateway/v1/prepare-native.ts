import { TranscriptError } from "../../core/errors.ts";
import { RequestFault } from "../http/request-fault.ts";
import { type NativeCompaction, type NativeWish, NO_WISH } from "../wires/native.ts";
import { emulate } from "./emulate.ts";
import type { Exchange } from "./exchange.ts";
import type { V1Parts } from "./v1-parts.ts";

/**
 * The provider's own compaction: forwarded where the upstream has it, carried out here where it hasn't. Most requests ask for none,
 * which is known at once.
 */
export function prepareNative(parts: V1Parts, exchange: Exchange): Exchange | Promise<Exchange | undefined> {
  const { native } = exchange.wire;
  const wish = native?.wish(exchange.body) ?? NO_WISH;
  const { isNative } = exchange.upstream;
  if (exchange.options.off || parts.config.observe) return exchange;
  // What stands on something that only the upstream has can't be looked into.
  const isPartial = exchange.standsOn?.isRebuilt === false;
  if (isPartial || (isNative && wish.isNative)) return { ...exchange, isUntouched: true };
  if (isNative) return exchange;
  // Anthropic's own clients then send all of their messages, as they would without threads.
  if (wish.isThread)
    throw new RequestFault(
      400,
      "thread_unsupported_request",
      `precis: the upstream ${exchange.upstream.name} keeps no message threads. Send all messages, without \`thread\`.`,
    );
  if (!native || (!wish.isNative && wish.edits.length === 0)) return exchange;
  return carryOut(parts, exchange, native, wish);
}

async function carryOut(
  parts: V1Parts,
  exchange: Exchange,
  native: NativeCompaction,
  wish: NativeWish,
): Promise<Exchange | undefined> {
  try {
    return await emulate(parts, exchange, native, wish);
  } catch (error) {
    // What can't be read is the upstream's to refuse.
    if (!(error instanceof TranscriptError) || exchange.response.headersSent) throw error;
    return { ...exchange, isUntouched: true };
  }
}
