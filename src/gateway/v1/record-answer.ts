import type { Gateway } from "../gateway.ts";
import { loggable } from "../ops/log.ts";
import type { AnswerNames } from "../record/recording.ts";
import type { WireAnswer } from "../wires/wire.ts";
import type { Exchange } from "./exchange.ts";

/** Stores an answer and remembers where it stands, for clients that go on by naming it. */
export function recordAnswer(
  gateway: Gateway,
  { recording, client, wire, body, standsOn }: Exchange,
  answer: WireAnswer,
): Promise<void> | undefined {
  if (!recording) return undefined;
  // Rebuilt without its answer, the next request would be another one; who names it is left to the upstream, which has it.
  if (answer.isUnfinished) return recording.abandon();
  const names = wire.api === "responses" ? namesOf(body["store"] !== false, standsOn, answer) : undefined;
  const finished = recording.finish(answer.messages, names);
  if (names === undefined) return finished;
  return finished.then(() => {
    const { known, length } = recording;
    if (known.id === undefined) return;
    for (const name of [names.conversation, names.id])
      if (name !== undefined)
        gateway.responses.remember(client.tenant, name, { conversation: known.id, length });
  });
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

/** The conversation goes on: the client sends the messages again with its next request, and they are stored then. */
export function storeFailed(gateway: Gateway, error: unknown): void {
  gateway.metrics.storeFailures.inc();
  gateway.log.error(loggable(error), "a transcript could not be stored");
}
