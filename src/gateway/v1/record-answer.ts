import { stringifyDeep } from "../../core/deep-json.ts";
import type { Gateway } from "../gateway.ts";
import { loggable } from "../telemetry/log.ts";
import type { AnswerNames, Recording } from "../conversation/recording.ts";
import type { WireAnswer } from "../wires/wire.ts";
import type { Exchange } from "./exchange.ts";

/**
 * Stores an answer and remembers where it stands, for clients that go on by naming it. What the store doesn't take waits
 * in the spill: the client has its answer, and it isn't lost. Never fails.
 */
export async function recordAnswer(gateway: Gateway, exchange: Exchange, answer: WireAnswer): Promise<void> {
  const { recording, opening, client, wire, body, standsOn } = exchange;
  if (!opening) return;
  // Rebuilt without its answer, the next request would be another one; who names it is left to the upstream, which has it.
  const messages = answer.isUnfinished ? [] : answer.messages;
  const isNamed = wire.api === "responses" && !answer.isUnfinished;
  const names = isNamed ? namesOf(body["store"] !== false, standsOn, answer) : undefined;
  const onStored = ({ known, length }: Recording): void => {
    if (known.id === undefined || names === undefined) return;
    for (const name of [names.conversation, names.id])
      if (name !== undefined)
        gateway.responses.remember(client.tenant, name, { conversation: known.id, length });
  };
  try {
    if (!recording) throw new Error("its conversation couldn't be looked up");
    await (messages.length === 0 && names === undefined
      ? recording.abandon()
      : recording.finish(messages, names));
    onStored(recording);
  } catch (error) {
    gateway.metrics.storeFailures.inc();
    gateway.log.error(loggable(error), "a transcript could not be stored yet");
    const bytes = exchange.plain.length + stringifyDeep(messages).length;
    try {
      gateway.spill?.add({ opening, answer: messages, names, bytes, onStored });
    } catch {
      // A transcript that can't be read was never meant to be stored.
    }
  }
}

/** Stores a request that got no answer: the client will ask again, or not. */
export function recordUnanswered(gateway: Gateway, exchange: Exchange): Promise<void> {
  return recordAnswer(gateway, exchange, { messages: [], usage: undefined, id: undefined });
}

/**
 * Names by which a client may go on from an answer. None where the answer stands on something that isn't in our store:
 * what is rebuilt must be whole. A provider that keeps a conversation of its own names it in the answer.
 */
function namesOf(
  isKept: boolean,
  standsOn: Exchange["standsOn"],
  { id, conversation }: WireAnswer,
): AnswerNames | undefined {
  const named = standsOn?.conversation;
  const isIgnored = named !== undefined && standsOn?.response === undefined && conversation === undefined;
  if (standsOn && !standsOn.isRebuilt && !isIgnored) return undefined;
  return { conversation: named, id: isKept ? id : undefined };
}
