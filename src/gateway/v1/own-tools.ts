import { type Json, listOf } from "../../apis/shared/fields.ts";
import type { HostedToolName } from "../../config/gateway-schema.ts";
import type { ShownAnswer } from "../conversation/hidden-answers.ts";
import { hiddenAnswersIn } from "../conversation/hidden-answers.ts";
import { loggable } from "../telemetry/log.ts";
import { HostedTurn, type ToolsOff } from "../turn/hosted-turn.ts";
import { offerTools } from "../turn/offer-tools.ts";
import { hostedTool } from "../wires/hosted-tools.ts";
import { hideRounds } from "../wires/shared/hidden-rounds.ts";
import type { Exchange } from "./exchange.ts";
import type { V1Parts } from "./v1-parts.ts";

/**
 * The request with the tools of precis's own that its conversation has, and with what the model did with them before. They are
 * offered from the first request on: tools stand at the front of the prompt cache. Most requests have none, which is known at once.
 */
export function withOwnTools(parts: V1Parts, exchange: Exchange): Exchange | Promise<Exchange> {
  const tools = toolsOf(parts, exchange);
  if (tools.length === 0) return exchange;
  const off = refusalOf(exchange, tools);
  if (off !== undefined) {
    if (off !== "not-seen") parts.log.warn({ reason: off, tools }, "precis's own tools aren't offered");
    return { ...exchange, toolsOff: off };
  }
  return offer(parts, { ...exchange, hosted: new HostedTurn(tools) }, tools);
}

function toolsOf(
  { config }: Pick<V1Parts, "config">,
  { options }: Pick<Exchange, "options">,
): readonly HostedToolName[] {
  return options.tools ?? config.tools ?? [];
}

function refusalOf(exchange: Exchange, tools: readonly HostedToolName[]): ToolsOff | undefined {
  const { isUntouched, isObserved, options, opening } = exchange;
  if (isUntouched || isObserved || options.off) return "not-seen";
  // What the model did with them is kept beside the transcript.
  return opening ? refusalBy(exchange, tools) : "no-store";
}

/** Why a request can't have the tools, whatever becomes of it. */
function refusalBy(
  { wire, body, asked, path }: Pick<Exchange, "wire" | "body" | "asked" | "path">,
  tools: readonly HostedToolName[],
): ToolsOff | undefined {
  if (!wire.hosting) return "unsupported-api";
  if (wire.hosting.forcesAny(body) && listOf(asked.tools).length === 0) return "no-other-tool";
  return wire.hosting.refusal(body, new HostedTurn(tools).isHosted, path);
}

/** A request that is only counted, with its tools. It belongs to no conversation, so what a person set for one isn't known. */
export function countedWithTools(
  parts: Pick<V1Parts, "config" | "recorder">,
  counted: Pick<Exchange, "wire" | "body" | "asked" | "path" | "options" | "upstream">,
): Json {
  const tools = toolsOf(parts, counted);
  if (tools.length === 0 || !parts.recorder || refusalBy(counted, tools) !== undefined) return counted.body;
  return counted.wire.hosting!.offer(counted.body, tools.map(hostedTool));
}

async function offer(
  parts: V1Parts,
  exchange: Exchange,
  tools: readonly HostedToolName[],
): Promise<Exchange> {
  const transcript = withCopies(exchange.asked.transcript, await answersBefore(parts, exchange));
  return offerTools(parts, exchange, tools, transcript);
}

async function answersBefore(
  { store, memory, spill, log }: Pick<V1Parts, "store" | "memory" | "spill" | "log">,
  { recording, opening, client }: Exchange,
): Promise<readonly ShownAnswer[]> {
  if (recording?.isFirst || !opening) return [];
  const onFailure = (error: unknown) =>
    log.warn(loggable(error), "what the model recalled before can't be read; this node's memory has to do");
  try {
    const hasUnstored = spill !== undefined && spill.waiting > 0;
    const parts = { store: store.conversations, memory, hasUnstored, onFailure };
    return await hiddenAnswersIn(parts, { tenant: client.tenant, recording, opening });
  } catch (error) {
    log.warn(loggable(error), "what the model recalled before can't be read; it is left out");
    return [];
  }
}

/** Copies by the client's own message, which comes again as the same object: what is known of them is known again. */
const copies = new WeakMap<
  object,
  { readonly real: readonly unknown[]; readonly copies: readonly object[] }
>();

/** Messages that the provider's own compaction would have changed by now aren't what the model was shown. */
function withCopies(transcript: readonly unknown[], answers: readonly ShownAnswer[]): readonly unknown[] {
  if (answers.length === 0) return transcript;
  const messages = [...transcript];
  for (const { shown, real } of answers) {
    const [first] = shown;
    const from = transcript.indexOf(first);
    if (!first || from < 0 || shown.some((one, at) => transcript[from + at] !== one)) continue;
    const known = copies.get(first);
    const isSame = known?.real === real && known.copies.length === shown.length;
    const made = isSame ? known.copies : hideRounds(shown, real);
    copies.set(first, { real, copies: made });
    messages.splice(from, made.length, ...made);
  }
  return messages;
}
