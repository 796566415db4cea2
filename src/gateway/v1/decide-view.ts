import { isJson } from "../../apis/shared/fields.ts";
import { BudgetImpossibleError, ConfigError, InvariantError, TranscriptError } from "../../core/errors.ts";
import type { Rejected } from "../../core/fitting-cap.ts";
import { loggable } from "../telemetry/log.ts";
import { type ClientWords, fitTurn, unchanged } from "../turn/fit-turn.ts";
import type { Outgoing, TurnParts } from "../turn/turn.ts";
import { clientMessages, laterInstructions } from "../wires/shared/client-words.ts";
import type { Exchange } from "./exchange.ts";

/** Fields that stand for something that isn't in the request. */
const REFERENCE_FIELDS = [
  "previous_response_id",
  "conversation",
  "container",
  "cachedContent",
  "cached_content",
];
/** Parts whose cost has nothing to do with their bytes, or that stand for something that isn't in the request. */
const UNCOUNTABLE = [
  '"image',
  '"input_',
  '"document"',
  '"file',
  '"inline',
  '"item_reference"',
  ...REFERENCE_FIELDS.map((name) => JSON.stringify(name)),
];

/** The client's own bytes, where that is known without a look at the transcript. */
export function decideAtOnce(exchange: Exchange): Outgoing | undefined {
  const left = leftAlone(exchange);
  // What was set for one conversation is for the engine to judge, and so is what its model may have asked for.
  if (left || exchange.hasSettings || exchange.hosted?.tools.includes("compact")) return left;
  return surelyFits(exchange, exchange.compactors.surelyFits(exchange.choice))
    ? unchanged(exchange)
    : undefined;
}

/** What nobody may change, whatever the upstream says of it. */
function leftAlone(exchange: Exchange): Outgoing | undefined {
  if (exchange.isUntouched) return { ...unchanged(exchange), action: "untouched" };
  return exchange.options.off ? { ...unchanged(exchange), action: "off" } : undefined;
}

/** The bytes to send: the client's own wherever possible, a view where the transcript doesn't fit. */
export async function decideView(
  parts: TurnParts,
  exchange: Exchange,
  rejected?: Rejected,
): Promise<Outgoing> {
  const left = leftAlone(exchange);
  if (left) return left;
  const { asked, wire, isObserved } = exchange;
  try {
    return await fitTurn(parts, exchange, { rejected, words: wordsOf(parts, exchange) });
  } catch (error) {
    // What we don't understand passes through untouched: the upstream knows best what is wrong with it.
    if (error instanceof TranscriptError || error instanceof InvariantError || error instanceof ConfigError) {
      parts.log.warn({ ...loggable(error), api: wire.api, model: asked.model }, "a request passes untouched");
      return { ...unchanged(exchange), action: "untouched" };
    }
    if (isObserved && error instanceof BudgetImpossibleError) {
      parts.log.warn({ model: asked.model, reason: error.message }, "would have refused");
      return { ...unchanged(exchange), action: "observed" };
    }
    throw error;
  }
}

/** What the client itself says to the model, as far as there is room for it. */
function wordsOf(
  { windows }: Pick<TurnParts, "windows">,
  { upstream, asked, client, wire, choice }: Exchange,
): ClientWords {
  const window = choice.window ?? windows.of(upstream, asked.model, client.tenant).window;
  return {
    pins: clientMessages(asked, window),
    instructions: wire.movesLaterSystem ? laterInstructions(asked, window) : [],
  };
}

/** A token is at least one byte, so a small body needs no counting. */
function surelyFits({ plain, asked, body }: Exchange, limit: number): boolean {
  if (plain.length > limit) return false;
  return isTextAlone(asked, body) || !UNCOUNTABLE.some((sign) => plain.includes(sign));
}

/** Most requests are: nothing but texts. To see that is faster than to search their bytes. */
function isTextAlone({ transcript, tools }: Exchange["asked"], body: Exchange["body"]): boolean {
  if (tools !== undefined || REFERENCE_FIELDS.some((name) => name in body)) return false;
  return transcript.every((message) => isJson(message) && typeof message["content"] === "string");
}
