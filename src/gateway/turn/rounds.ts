import { type CutEvent, eventJson, eventText, splitEvents } from "../../apis/shared/events.ts";
import { isJson, type Json } from "../../apis/shared/fields.ts";
import type { HostedResult } from "../../apis/shared/hosting.ts";
import type { Rejected } from "../../core/budget.ts";
import { stringifyDeep } from "../../core/json.ts";
import type { ToolCallPart } from "../../core/types.ts";
import { Answer } from "../upstream/answer.ts";
import { UpstreamFault } from "../upstream/upstream-fault.ts";
import { hostedName, withoutTools } from "../wires/gateway-tools.ts";
import type { WireAnswer } from "../wires/index.ts";
import { inOwnWords, NO_ANSWER, streamedAnswer, upstreamWords } from "./commit.ts";
import { answerCall, withTranscript } from "./offer-tools.ts";
import { type Attempt, isStream, readPieces, runTurn } from "./send.ts";
import { type HostedTurn, type Outgoing, spokenWire, type Turn, type TurnParts } from "./turn.ts";

type Send<T extends Turn> = (turn: T) => Promise<Attempt>;

/**
 * The way of a turn from its request to its answer, whoever asks: it is fitted and sent, in smaller views where the upstream refuses it
 * as too long. Calls of precis's own tools are answered, and the answers of all rounds are one; those of a stream are carried out while
 * it is read.
 */
export async function takeTurn<T extends Turn>(
  parts: TurnParts,
  turn: T,
  /** Makes the request of a round; a smaller one where the last was refused as too long. */
  view: (round: T, rejected?: Rejected) => Promise<Outgoing>,
): Promise<Attempt> {
  const { hosted } = turn;
  const send = async (round: T): Promise<Attempt> => {
    const attempt = await runTurn(parts, round, (rejected) => view(round, rejected));
    if (hosted) hosted.sent = { turn: round, outgoing: attempt.outgoing };
    return attempt;
  };
  const first = await send(turn);
  if (!hosted || first.isUnread) return first;
  return first.failed || !isStream(first.answer, turn)
    ? joinRounds(parts, turn, hosted, send, first)
    : { ...first, answer: spliceRounds(parts, turn, hosted, send, first), read: undefined };
}

async function joinRounds<T extends Turn>(
  parts: TurnParts,
  turn: T,
  hosted: HostedTurn,
  send: Send<T>,
  first: Attempt,
): Promise<Attempt> {
  const spoken = spokenWire(turn);
  const answers: Json[] = [];
  let round = first;
  for (;;) {
    // What went wrong in a later round is told as if it were the first: whoever asked asks again.
    if (round.failed || !isJson(round.data)) return round;
    answers.push(round.data);
    const next = await nextRound(parts, turn, hosted, inOwnWords(turn, spoken.readAnswer(round.data)));
    if (!next) break;
    round = await send(next);
  }
  const data = spoken.hosting!.join(answers, hosted);
  const { "content-encoding": _, ...headers } = round.answer.headers;
  const answer = new Answer(round.answer.statusCode, headers, NO_SOURCE, 0);
  return { ...round, answer, data, read: Buffer.from(stringifyDeep(data)) };
}

/** The source of an answer that was read already. */
const NO_SOURCE = { pause() {}, resume() {}, abort() {} };

/** How long an answer waits for a client that takes nothing (milliseconds); its upstream waits as long as it is told to. */
const PATIENCE_MS = 600_000;
/** What ends a stream of Chat Completions; some servers leave out the space. */
const DONE = /^data: ?\[DONE\]/m;

/** The streamed answers of all rounds as one: words pass as they are written, and what isn't for the client stays back. */
function spliceRounds<T extends Turn>(
  parts: TurnParts,
  turn: T,
  hosted: HostedTurn,
  send: Send<T>,
  first: Attempt,
): Answer {
  const { upstream, signal } = turn;
  const { answerBytes } = parts.config.limits;
  const spoken = spokenWire(turn);
  const hosting = spoken.hosting!;
  const splice = hosting.splice(hosted);
  let source: Answer = first.answer;
  const { "content-length": _, ...headers } = first.answer.headers;
  const spliced = new Answer(
    first.answer.statusCode,
    headers,
    { pause: () => source.pause(), resume: () => source.resume(), abort: () => source.drop() },
    upstream.config.timeoutMs ?? PATIENCE_MS,
  );
  let split = splitEvents(answerBytes);
  const pass = (texts: readonly string[]): void => {
    if (texts.length > 0) spliced.push(Buffer.from(split.withLineEnds(texts.join(""))));
  };

  let isDone = false;
  const shownOf = ({ text, isPart }: CutEvent): readonly string[] => {
    if (isPart) return [text];
    const data = eventJson(text);
    if (data) return splice.event(data).map(eventText);
    isDone ||= DONE.test(text);
    return DONE.test(text) || text.trim() === "" ? [] : [`${text}\n\n`];
  };

  /** Passes one round on, and resolves with all of its text; undefined: it was too long to be kept. */
  const passRound = async (round: Attempt): Promise<string | undefined> => {
    split = splitEvents(answerBytes);
    let events: string[] = [];
    let size = 0;
    const keep = (text: string): void => {
      size += text.length;
      if (size <= answerBytes) events.push(text);
      else {
        events = [];
        splice.forget();
      }
    };
    const take = (piece: Buffer, isLast = false): void => {
      const fresh = split(piece, isLast);
      for (const { text } of fresh) keep(text);
      pass(fresh.flatMap(shownOf));
    };
    const cause = await readPieces(round, (piece) => take(piece));
    if (cause !== undefined) throw cause;
    take(Buffer.alloc(0), true);
    return size <= answerBytes ? events.join("\n\n") : undefined;
  };

  const passAll = async (): Promise<void> => {
    let round = first;
    for (;;) {
      source = round.answer;
      const text = await passRound(round);
      const answered = text === undefined ? NO_ANSWER : streamedAnswer(spoken, text).answer;
      const next = await nextRound(parts, turn, hosted, inOwnWords(turn, answered));
      if (!next) {
        pass([...splice.end().map(eventText), ...(isDone ? [hosting.streamEnd] : [])]);
        return;
      }
      signal.throwIfAborted();
      splice.nextRound();
      isDone = false;
      round = await send(next);
      if (round.isUnread) round.answer.drop();
      if (round.isUnread || round.failed || !isStream(round.answer, turn))
        throw refused(upstream.name, round);
    }
  };
  passAll().then(
    () => spliced.finish(),
    (cause: unknown) => spliced.fail(cause),
  );
  return spliced;
}

/** The head of the client's answer has left: an upstream that refuses a later round breaks the answer off. */
function refused(upstream: string, { status, failed }: Attempt): UpstreamFault {
  const words = failed ? upstreamWords(failed.text) : "";
  const code = `it answered ${status}${words === "" ? "" : `: ${words}`}`;
  const cause = Object.assign(new Error("a later round was refused"), { code });
  return new UpstreamFault("broken", upstream, cause);
}

/** So often the model may call precis's own tools within one turn. */
const MOST_ROUNDS = 8;
/** So many of its calls are answered then: a model that repeats itself may send thousands at once, and each may search all that was said. */
const MOST_CALLS = 64;
const LAST_CALL = "That was the last call that is answered in this turn. Go on with what you have.";
const LIMIT_REACHED = "Calls aren't answered any more in this turn.";
const CUT_OFF = "The answer was cut off within this call.";

/**
 * Answers the calls of precis's own tools in an answer. Resolves with the turn that goes on from there; undefined where whoever
 * asked is next: nothing was called, something else was called too, or the limit is reached.
 */
async function nextRound<T extends Turn>(
  parts: TurnParts,
  turn: T,
  hosted: HostedTurn,
  /** In the words of the conversation's API. */
  answer: WireAnswer,
): Promise<T | undefined> {
  const { wire, body } = turn;
  const hosting = wire.hosting!;
  hosted.rounds++;
  hosted.real.push(...hosting.echo(answer.messages, body));
  const calls = callsIn(turn, answer);
  const ours = calls.filter(({ name }) => hosted.isHosted(name));
  if (ours.length === 0) return undefined;
  hosted.hasHidden = true;
  const { rounds } = hosted;
  const results: HostedResult[] = [];
  for (const call of ours) {
    const { id, name } = call;
    const tool = hosted.tools.find((one) => hostedName(one) === name)!;
    const isOver = rounds > MOST_ROUNDS || ++hosted.calls > MOST_CALLS;
    const refusal = answer.stop === "length" ? CUT_OFF : isOver ? LIMIT_REACHED : undefined;
    const text = refusal ?? (await answerCall(parts, turn, { tool, hosted, call }));
    hosted.onAnswered(call, text);
    results.push({ id, name, text: rounds === MOST_ROUNDS ? `${text}\n\n${LAST_CALL}` : text });
  }
  hosted.real.push(...hosting.results(results));
  if (ours.length < calls.length || answer.stop === "length" || rounds > MOST_ROUNDS) return undefined;
  const isLoading = ours.every(({ name }) => name === hostedName("defer"));
  turn.record.happened({ type: "hidden-round", usage: answer.usage, isLoading });
  return roundAfter(turn, hosted);
}

/** What the model called that nobody has answered yet. */
function callsIn({ wire }: Turn, { messages }: WireAnswer): readonly ToolCallPart[] {
  return messages
    .flatMap((message) => wire.dialect.read(message).parts)
    .filter((part): part is ToolCallPart => part.type === "tool-call" && !part.locked);
}

function roundAfter<T extends Turn>(turn: T, hosted: HostedTurn): T {
  const { wire, body, asked, record } = turn;
  const hosting = wire.hosting!;
  const { deferral } = hosted;
  // A model that must call something has called ours; now it is the turn of the client's tools.
  const base = hosting.choice(body) === "any" ? withoutTools(hosting, body, hosted.isHosted) : body;
  if (deferral) record.deferred = deferral.spared;
  // The same key for another request would bring the first one's answer again.
  const { "idempotency-key": _, ...headers } = turn.headers;
  const all = deferral?.declared(base) ?? base;
  // A model that went on calling ours would leave the client without an answer. Where thoughts are bound to declarations, none is deferred.
  const left = deferral && hosted.rounds === MOST_ROUNDS ? withoutTools(hosting, all, hosted.isHosted) : all;
  const next = hosting.tools(left).length > 0 ? left : all;
  return { ...withTranscript(turn, next, [...asked.transcript, ...hosted.real]), headers };
}
