import { encode } from "../../apis/index.ts";
import { readEvents } from "../../apis/shared/events.ts";
import { isJson, parseJson, textOf } from "../../apis/shared/fields.ts";
import { firstCharacters } from "../../core/first-characters.ts";
import { contentHash } from "../../core/hash.ts";
import { stringifyDeep } from "../../core/json.ts";
import type { Message } from "../../core/types.ts";
import { redact } from "../../models/shared/redact.ts";
import { keepHidden } from "../conversation/hidden-answers.ts";
import type { AnswerNames } from "../conversation/recording.ts";
import { loggable } from "../telemetry/log.ts";
import type { Wire, WireAnswer } from "../wires/index.ts";
import type { Exchange, Outgoing, Turn, TurnParts } from "./turn.ts";

/** Learns from an answer and stores it. Whoever waits gets the end of the answer when this is done. */
export function finishTurn(
  turn: Turn,
  outgoing: Outgoing,
  answer: WireAnswer,
  /** Undefined where nothing is stored. */
  store: ((answer: WireAnswer) => Promise<void>) | undefined,
): Promise<void> | undefined {
  const sent = turn.hosted?.sent ?? { turn, outgoing };
  const own = inOwnWords(turn, answer);
  turn.record.usage = answer.usage;
  learn(sent.turn, sent.outgoing, own);
  guardLoops(sent.turn, own.messages);
  return store?.(own);
}

/** The counts of a model and the length of its answers, from what the provider reports. */
function learn(
  { compactors, choice }: Turn,
  { report, action }: Outgoing,
  { usage, stop }: WireAnswer,
): void {
  if (!usage || !report) return;
  // What was only observed went there whole.
  const sent = action === "observed" ? report.tokens.transcript : report.tokens.after;
  void compactors.of(choice).observe({
    usage,
    report,
    tokens: sent + report.budget.tools,
    ...(stop && { stop }),
  });
}

/** The same tool round this often since a compaction is a circle. */
const CIRCLE = 3;
/** Rounds that are remembered for one conversation. */
const MAX_ROUNDS = 500;

/** Notices a conversation that comes to the same tool round again and again after a compaction, and says so. */
function guardLoops({ recording, wire, record }: Turn, answer: readonly unknown[]): void {
  const known = recording?.known;
  if (!known?.rounds) return;
  for (const message of answer) {
    const calls = wire.dialect.read(message).parts.filter((part) => part.type === "tool-call");
    if (calls.length === 0) continue;
    const round = contentHash(calls.map(({ name, args }) => `${name} ${args}`).join("\n"));
    const count = (known.rounds.get(round) ?? 0) + 1;
    if (known.rounds.size < MAX_ROUNDS) known.rounds.set(round, count);
    if (count !== CIRCLE) continue;
    record.happened({ type: "loop", tool: calls[0]!.name, rounds: count });
  }
}

type RecordParts = Pick<TurnParts, "memory" | "metrics" | "log" | "spill" | "recorder">;
type Recorded = Pick<
  Exchange,
  "recording" | "opening" | "client" | "wire" | "body" | "goesOnFrom" | "hosted" | "plain"
> & {
  /** Undefined for an answer that came when its request was over. */
  readonly record?: Exchange["record"];
};

/** Stores an answer and remembers where it stands. Never fails: what the store doesn't take waits in the spill. */
export async function recordAnswer(
  parts: RecordParts,
  exchange: Recorded,
  answer: WireAnswer,
): Promise<void> {
  const { recording, opening, client, wire, body, goesOnFrom, hosted, record: request } = exchange;
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
    if (recording) return await recording.finish(messages, { names, given, request });
    // Why it couldn't be looked up was logged then.
  } catch (error) {
    parts.log.error(loggable(error), "a transcript could not be stored yet");
  }
  parts.metrics.storeFailures.inc();
  const bytes = exchange.plain.length + stringifyDeep(messages).length;
  try {
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

/** An answer that held nothing. */
export const NO_ANSWER: WireAnswer = { messages: [], usage: undefined, id: undefined };

/** An error that an upstream says within an answer, although its status is that of a good one. */
export interface SaidError {
  readonly status: number;
  readonly message: string;
}

/** What a stream held. One that ended in an error held no answer: the client will ask again, without what came of it. */
export function streamedAnswer(
  wire: Wire,
  text: string,
  /** Nobody needs its messages. To read all of them took a seventh of the processor time of a short stream. */
  isUsageAlone = false,
): { readonly answer: WireAnswer; readonly error?: SaidError } {
  const last = readEvents(text.slice(lastEvent(text))).at(-1);
  const error = errorIn(last);
  if (error) return { answer: NO_ANSWER, error };
  if (isUsageAlone && !text.includes(USAGE)) return { answer: NO_ANSWER };
  const lines = isUsageAlone ? text.split("\n").filter((line) => line.includes(USAGE)) : [];
  const reported = lines.length > 0 ? wire.readStream(lines.join("\n")) : undefined;
  return { answer: reported?.usage ? reported : wire.readStream(text) };
}

/** How the name of a usage object begins (`usage`, `usageMetadata`). */
const USAGE = '"usage';

/** The error that an event, or a whole answer, is; undefined for any other. */
export function errorIn(data: unknown): SaidError | undefined {
  if (!isJson(data)) return undefined;
  const response = data["response"];
  const error =
    data["error"] ?? (data["type"] === "response.failed" && isJson(response) && response["error"]);
  if (!error && data["type"] !== "response.failed") return undefined;
  const { code, message } = isJson(error) ? error : { code: undefined, message: error };
  return {
    // What isn't a status is a word for one; nobody knows which.
    status: typeof code === "number" && code >= 400 && code < 600 ? code : 502,
    message: redact(textOf(message) ?? "The upstream ended its answer with an error.", []),
  };
}

/** What an upstream says in the body of an error; its beginning, where that has no words of its own. */
export function upstreamWords(text: string): string {
  const body = parseJson(text);
  const error = isJson(body) ? (body["error"] ?? body) : undefined;
  const words = isJson(error) ? textOf(error["message"]) : textOf(error);
  return redact(words ?? firstCharacters(text, MOST_WORDS), []);
}

/** An error page may be long (characters). */
const MOST_WORDS = 300;

/** Where the last event begins that isn't the mark of the end. */
function lastEvent(text: string): number {
  const at = text.lastIndexOf("data:");
  const isMark =
    text.startsWith("[DONE]", at + "data:".length) || text.startsWith(" [DONE]", at + "data:".length);
  return Math.max(0, isMark ? text.lastIndexOf("data:", at - 1) : at);
}

/** A user message in front of an answer that is translated alone. */
const QUESTION: Message = { role: "user", parts: [{ type: "text", text: "?" }] };

/** An answer in the words of the conversation's API, whatever the upstream was asked in. */
export function inOwnWords({ wire, translation }: Turn, answer: WireAnswer): WireAnswer {
  if (!translation) return answer;
  const { dialect } = translation.wire;
  const said = answer.messages.map((message) => dialect.read(message));
  // An answer alone would be no conversation: some APIs begin with the user, and a message of nobody's would be put before it.
  const { messages } = encode(wire.dialect.id, [QUESTION, ...said]);
  return { ...answer, messages: messages.slice(1) };
}
