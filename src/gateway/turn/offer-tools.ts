import { type Json, listOf } from "../../apis/shared/fields.ts";
import type { ToolHosting } from "../../apis/shared/hosting.ts";
import type { GatewayConfig, HostedToolName } from "../../config/gateway-schema.ts";
import { stringifyDeep } from "../../core/json.ts";
import { hiddenAnswersIn, type ShownAnswer } from "../conversation/hidden-answers.ts";
import { loggable } from "../telemetry/log.ts";
import { hideRounds, hostedTools, withHiddenRounds, withTools } from "../wires/gateway-tools.ts";
import type { Wire } from "../wires/index.ts";
import { compactAsPromised, type WishParts } from "./answer-call.ts";
import { deferralOf } from "./defer-tools.ts";
import {
  type Exchange,
  HostedTurn,
  type ToolsOff,
  type Translation,
  type Turn,
  type TurnParts,
} from "./turn.ts";

/** What a request asks for goes before what was set for its upstream, and that before the config. */
export const wantedTools = (
  config: Pick<GatewayConfig, "tools">,
  { options, upstream }: Pick<Exchange, "options" | "upstream">,
): readonly HostedToolName[] => options.tools ?? upstream.config.tools ?? config.tools ?? NO_TOOLS;

const NO_TOOLS: readonly HostedToolName[] = [];

/**
 * The request with tools of precis's own, and with what the model did with them before. They are offered from the first request on:
 * tools stand at the front of the prompt cache.
 */
export async function withGatewayTools(
  parts: TurnParts,
  exchange: Exchange,
  wanted: readonly HostedToolName[],
): Promise<Exchange> {
  const off = refusalOf(exchange, wanted);
  if (off !== undefined) {
    if (off !== "not-seen")
      parts.log.warn({ reason: off, tools: wanted }, "precis's own tools aren't offered");
    return { ...exchange, toolsOff: off };
  }
  const deferral = wanted.includes("defer") ? await deferralOf(parts, exchange) : undefined;
  const isKept = typeof deferral === "string";
  const tools = isKept ? wanted.filter((tool) => tool !== "defer") : wanted;
  if (isKept && tools.length === 0) return { ...exchange, toolsOff: deferral };
  const hosted = new HostedTurn(tools);
  if (!isKept) hosted.deferral = deferral;
  const transcript = withCopies(exchange.asked.transcript, await answersBefore(parts, exchange));
  return offerTools(parts, { ...exchange, hosted }, hosted, transcript);
}

function refusalOf(exchange: Exchange, tools: readonly HostedToolName[]): ToolsOff | undefined {
  const { isUntouched, isObserved, options, opening } = exchange;
  if (isUntouched || isObserved || options.off) return "not-seen";
  // What the model did with them is kept beside the transcript.
  return opening ? refusalBy(exchange, tools) : "no-store";
}

/** Why a request can't have the tools, whatever becomes of it. */
function refusalBy(
  { wire: { hosting }, body, path }: Pick<Exchange, "wire" | "body" | "path">,
  tools: readonly HostedToolName[],
): ToolsOff | undefined {
  if (!hosting) return "unsupported-api";
  const declared = hosting.tools(body);
  if (hosting.choice(body) === "any" && declared.length === 0) return "no-other-tool";
  const { isHosted } = new HostedTurn(tools);
  return declared.some((tool) => isHosted(hosting.nameOf(tool))) ? "name-taken" : hosting.refusal(body, path);
}

/** A request that is only counted, with its tools. It belongs to no conversation, so what a person set for one isn't known. */
export async function countedWithTools(
  parts: Pick<TurnParts, "config" | "recorder" | "windows" | "compactors">,
  counted: Pick<
    Exchange,
    "wire" | "body" | "asked" | "path" | "options" | "upstream" | "choice" | "goesOnFrom"
  >,
): Promise<Json> {
  const { wire, body, asked } = counted;
  const tools = wantedTools(parts.config, counted);
  if (tools.length === 0 || !parts.recorder || refusalBy(counted, tools) !== undefined) return body;
  const deferral = tools.includes("defer") ? await deferralOf(parts, counted) : "few-tools";
  const own = tools.filter((tool) => tool !== "defer");
  if (typeof deferral === "string")
    return own.length > 0 ? withTools(wire.hosting!, body, hostedTools(own)) : body;
  deferral.see(wire.dialect, asked.transcript);
  return deferral.declared(body, hostedTools(own));
}

async function answersBefore(
  { store, memory, spill, log }: Pick<TurnParts, "store" | "memory" | "spill" | "log">,
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

/** The turn with tools of precis's own, and with what the model did with them before. Its API and its upstream's can carry them. */
export async function offerTools<T extends Turn>(
  parts: WishParts,
  turn: T,
  { tools, deferral }: Pick<HostedTurn, "tools" | "deferral">,
  /** With copies in place of answers of which whoever asks was shown only a part. */
  transcript: readonly unknown[],
): Promise<T> {
  const { wire, body, translation, record } = turn;
  const hosting = wire.hosting!;
  const own = hostedTools(tools);
  deferral?.see(wire.dialect, withHiddenRounds(wire.dialect, hosting, transcript));
  if (deferral) record.deferred = deferral.spared;
  const ready: T = {
    ...withTranscript(turn, deferral?.declared(body, own) ?? withTools(hosting, body, own), transcript),
    ...(translation
      ? { translation: offering(wire, translation, tools) }
      : { withHidden: hiding(wire, hosting) }),
  };
  await compactAsPromised(parts, ready);
  return ready;
}

/** The turn with another transcript, as bytes with the rounds that its client wasn't shown. */
export function withTranscript<T extends Turn>(turn: T, body: Json, transcript: readonly unknown[]): T {
  const { wire, asked } = turn;
  const hosting = wire.hosting!;
  const whole = { ...body, [wire.fields.messages]: transcript };
  const hidden = hiding(wire, hosting)(whole);
  const bytes = Buffer.from(stringifyDeep(wire.withLoopThinking?.(hidden) ?? hidden));
  return {
    ...turn,
    body: whole,
    asked: { ...asked, transcript, tools: whole["tools"] },
    bytes,
    plain: bytes,
    isRewritten: true,
  };
}

function hiding(wire: Pick<Wire, "dialect" | "fields">, hosting: ToolHosting): (body: Json) => Json {
  return (body) => ({
    ...body,
    [wire.fields.messages]: withHiddenRounds(wire.dialect, hosting, listOf(body[wire.fields.messages])),
  });
}

/** A translation of views that may hold hidden rounds, with the tools behind it. */
function offering(
  { dialect, hosting }: Wire,
  { wire, write }: Translation,
  tools: readonly HostedToolName[],
): Translation {
  return {
    wire,
    write: ({ messages, system }) =>
      withTools(
        wire.hosting!,
        write({ messages: withHiddenRounds(dialect, hosting!, messages), system }),
        hostedTools(tools),
      ),
  };
}
