import { stringifyDeep } from "../../core/deep-json.ts";
import { keepHidden, tellHidden } from "../conversation/hidden-answers.ts";
import type { AnswerNames } from "../conversation/recording.ts";
import { loggable } from "../telemetry/log.ts";
import type { WireAnswer } from "../wires/wire.ts";
import type { Exchange } from "./exchange.ts";
import type { V1Parts } from "./v1-parts.ts";

type RecordParts = Pick<V1Parts, "memory" | "metrics" | "log" | "spill" | "shareHidden" | "recorder">;
type Recorded = Pick<
  Exchange,
  "recording" | "opening" | "client" | "wire" | "body" | "goesOnFrom" | "hosted" | "plain"
> & {
  /** Undefined for an answer that came when its request was over. */
  readonly told?: Exchange["told"];
};

/** Stores an answer and remembers where it stands. Never fails: what the store doesn't take waits in the spill. */
export async function recordAnswer(
  parts: RecordParts,
  exchange: Recorded,
  answer: WireAnswer,
): Promise<void> {
  const { recording, opening, client, wire, body, goesOnFrom, hosted, told: request } = exchange;
  if (!opening) return;
  // Rebuilt without its answer, the next request would be another one; who names it is left to the upstream, which has it.
  const messages = answer.isUnfinished ? [] : answer.messages;
  const names =
    wire.naming && !answer.isUnfinished ? namesOf(wire.naming.keeps(body), goesOnFrom, answer) : undefined;
  if (answer.isUnfinished && answer.id !== undefined && wire.naming)
    parts.memory.keepPolled(client.tenant, answer.id, polledFor(parts, exchange, opening));
  const given = messages.length > 0 && hosted?.hasHidden ? hosted.real : undefined;
  try {
    if (given)
      keepHidden(parts, { tenant: client.tenant, recording, opening }, { shown: messages, real: given });
    if (!recording) throw new Error("its conversation couldn't be looked up");
    await (messages.length === 0 && names === undefined
      ? recording.abandon(request)
      : recording.finish(messages, { names, given, request }));
  } catch (error) {
    parts.metrics.storeFailures.inc();
    parts.log.error(loggable(error), "a transcript could not be stored yet");
    const bytes = exchange.plain.length + stringifyDeep(messages).length;
    try {
      if (given && parts.shareHidden)
        tellHidden(
          parts.shareHidden,
          { tenant: client.tenant, recording, opening },
          { shown: messages, real: given },
        );
      parts.spill?.add({
        opening,
        answer: messages,
        names,
        given,
        bytes,
        onStored({ known }) {
          // What the store has by now is more than was known of it.
          if (given) known.hidden = undefined;
        },
      });
    } catch {
      // A transcript that can't be read was never meant to be stored.
    }
  }
}

/** Stores the answer of a request when it is there. Of the request, it holds only what that takes. */
function polledFor(
  parts: RecordParts,
  { client, wire, body, goesOnFrom, plain }: Recorded,
  opening: NonNullable<Recorded["opening"]>,
) {
  return {
    bytes: plain.length,
    async store(answer: WireAnswer): Promise<void> {
      const open = async () => parts.recorder?.open(opening);
      const recording = await open().catch(() => undefined);
      await recordAnswer(parts, { recording, opening, client, wire, body, goesOnFrom, plain }, answer);
      recording?.end();
    },
  };
}

/** Stores a request that got no answer: the client will ask again, or not. */
export function recordUnanswered(parts: RecordParts, exchange: Exchange): Promise<void> {
  return recordAnswer(parts, exchange, { messages: [], usage: undefined, id: undefined });
}

/**
 * Names by which a client may go on from an answer. None where the answer stands on something that isn't in our store:
 * what is rebuilt must be whole. A provider that keeps a conversation of its own names it in the answer.
 */
function namesOf(
  isKept: boolean,
  goesOnFrom: Exchange["goesOnFrom"],
  { id, conversation }: WireAnswer,
): AnswerNames | undefined {
  const named = goesOnFrom?.conversation;
  const isIgnored =
    named !== undefined &&
    !goesOnFrom?.isKept &&
    goesOnFrom?.response === undefined &&
    conversation === undefined;
  if (goesOnFrom && !goesOnFrom.isRebuilt && !isIgnored) return undefined;
  return { conversation: named, id: isKept ? id : undefined };
}
