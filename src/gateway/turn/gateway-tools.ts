import { type CutEvent, eventJson, eventText, splitEvents } from "../../apis/shared/events.ts";
import { isJson, type Json, listOf } from "../../apis/shared/fields.ts";
import type { HostedResult, ToolHosting } from "../../apis/shared/hosting.ts";
import type { HostedToolName } from "../../config/gateway-schema.ts";
import { stringifyDeep } from "../../core/deep-json.ts";
import type { Compactor, TokenCounter, ToolCallPart } from "../../core/types.ts";
import {
  type CompactWish,
  compactByWish,
  compactedText,
  compactWish,
  isBound,
  JUST_COMPACTED,
} from "../../recall/compact-tool.ts";
import { type RecallTool, recallTool } from "../../recall/recall-tool.ts";
import { measureOf } from "../compaction/measure.ts";
import { withClientKeys } from "../compaction/summarizer.ts";
import { hiddenAnswersIn, type ShownAnswer } from "../conversation/hidden-answers.ts";
import { loggable } from "../telemetry/log.ts";
import { Answer } from "../upstream/answer.ts";
import { UpstreamFault } from "../upstream/upstream-fault.ts";
import { loadedTools } from "../wires/client-words.ts";
import { hideRounds, hostedName, hostedTool, withHiddenRounds } from "../wires/gateway-tools.ts";
import type { Wire, WireAnswer } from "../wires/index.ts";
import { inOwnWords, NO_ANSWER, streamedAnswer } from "./commit.ts";
import { noteFit } from "./fit.ts";
import { type Attempt, isStream } from "./send.ts";
import {
  type Exchange,
  HostedTurn,
  spokenWire,
  type ToolsOff,
  type Translation,
  type Turn,
  type TurnParts,
} from "./turn.ts";

/**
 * The request with tools of precis's own, and with what the model did with them before. They are offered from the first request on:
 * tools stand at the front of the prompt cache.
 */
export function withGatewayTools(
  parts: TurnParts,
  exchange: Exchange,
  tools: readonly HostedToolName[],
): Exchange | Promise<Exchange> {
  const off = refusalOf(exchange, tools);
  if (off !== undefined) {
    if (off !== "not-seen") parts.log.warn({ reason: off, tools }, "precis's own tools aren't offered");
    return { ...exchange, toolsOff: off };
  }
  return offer(parts, { ...exchange, hosted: new HostedTurn(tools) }, tools);
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
  parts: Pick<TurnParts, "config" | "recorder">,
  counted: Pick<Exchange, "wire" | "body" | "asked" | "path" | "options" | "upstream">,
): Json {
  const tools = counted.options.tools ?? parts.config.tools ?? [];
  if (tools.length === 0 || !parts.recorder || refusalBy(counted, tools) !== undefined) return counted.body;
  return counted.wire.hosting!.offer(counted.body, tools.map(hostedTool));
}

async function offer(
  parts: TurnParts,
  exchange: Exchange,
  tools: readonly HostedToolName[],
): Promise<Exchange> {
  const transcript = withCopies(exchange.asked.transcript, await answersBefore(parts, exchange));
  return offerTools(parts, exchange, tools, transcript);
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
  tools: readonly HostedToolName[],
  /** With copies in place of answers of which whoever asks was shown only a part. */
  transcript: readonly unknown[],
): Promise<T> {
  const { wire, body, translation } = turn;
  const hosting = wire.hosting!;
  const ready: T = {
    ...withTranscript(turn, hosting.offer(body, tools.map(hostedTool)), transcript),
    ...(translation
      ? { translation: offering(wire, translation, tools) }
      : { withHidden: hiding(wire, hosting) }),
  };
  await compactAsPromised(parts, ready);
  return ready;
}

function withTranscript<T extends Turn>(turn: T, body: Json, transcript: readonly unknown[]): T {
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
      wire.hosting!.offer(
        write({ messages: withHiddenRounds(dialect, hosting!, messages), system }),
        tools.map(hostedTool),
      ),
  };
}

/** Stands for whatever went wrong; the log says more. */
const FAILED = "That isn't possible right now. Go on without it.";

/** One for each compactor, because it holds the index of its conversations. */
const recallTools = new WeakMap<Compactor<unknown>, RecallTool<unknown>>();

function recallOf(compactor: Compactor<unknown>, counter: TokenCounter): RecallTool<unknown> {
  const known = recallTools.get(compactor);
  const tool = known ?? recallTool(compactor, { name: hostedName("recall"), counter });
  if (!known) recallTools.set(compactor, tool);
  return tool;
}

type AnswerCall = (parts: TurnParts, turn: Turn, hosted: HostedTurn, call: ToolCallPart) => Promise<string>;

const answers: Readonly<Record<HostedToolName, AnswerCall>> = {
  recall: async (parts, { compactors, choice, asked, pins, startedAt }, _hosted, { args }) => {
    const { counter } = await measureOf(parts, choice);
    return recallOf(compactors.of(choice), counter).execute(args, {
      transcript: asked.transcript,
      system: asked.system,
      tools: loadedTools(asked),
      pins,
      now: startedAt,
    });
  },
  compact: (parts, turn, { real }, { args }) => compactForModel(parts, turn, real, args),
};

/** Answers a call of one of precis's own tools. Never throws: the conversation is worth more than the tool. */
async function answerCall(
  parts: TurnParts,
  turn: Turn,
  options: { readonly tool: HostedToolName; readonly hosted: HostedTurn; readonly call: ToolCallPart },
): Promise<string> {
  const { tool, hosted, call } = options;
  const { log } = parts;
  turn.record.happened({ type: "tool-call", tool });
  try {
    return await answers[tool](parts, turn, hosted, call);
  } catch (error) {
    log.warn({ ...loggable(error), tool }, "a call of precis's own tool failed");
    return FAILED;
  }
}

/** The model that asked waits for its summary, and so does whoever asked the model (milliseconds). */
const WAIT_MS = 20_000;
const LATER =
  "Noted: it will be compacted when this turn is over, because the reasoning of this turn is bound to everything before it.";

type WishParts = Pick<TurnParts, "log" | "now">;

/** Carries out a compaction that the model asks for; where signed reasoning of its turn would change, at the next turn. */
async function compactForModel(
  parts: WishParts,
  turn: Turn,
  /** What the model said in this turn. */
  said: readonly unknown[],
  args: string,
): Promise<string> {
  const { asked, recording, compactors, choice } = turn;
  const wish = compactWish(args, asked.transcript.length);
  if (typeof wish === "string") return wish;
  const { dialect } = compactors.of(choice);
  if (!isBound(dialect, [...asked.transcript, ...said])) return carryOut(parts, turn, wish, WAIT_MS);
  if (recording) recording.known.compactWish = wish;
  return LATER;
}

/** Carries out what had to wait, if it hasn't to any more. A turn never waits for a summary: without one, code writes. */
async function compactAsPromised(parts: WishParts, turn: Turn): Promise<void> {
  const { asked, recording, compactors, choice } = turn;
  const wish = recording && !recording.isFirst ? recording.known.compactWish : undefined;
  if (!recording || !wish || isBound(compactors.of(choice).dialect, asked.transcript)) return;
  recording.known.compactWish = undefined;
  try {
    await carryOut(parts, turn, wish, 0);
  } catch (error) {
    turn.signal.throwIfAborted();
    // The turn itself is fitted as always.
    parts.log.warn(loggable(error), "a compaction that the model asked for failed");
  }
}

async function carryOut(parts: WishParts, turn: Turn, wish: CompactWish, waitMs: number): Promise<string> {
  const { client, headers, upstream, compactors, choice, asked, pins, signal } = turn;
  const started = performance.now();
  const given = {
    system: asked.system,
    tools: loadedTools(asked),
    pins,
    now: parts.now(),
    signal,
  };
  const compacted = await withClientKeys({ headers, keyIsOurs: client.keyIsOurs, upstream }, () =>
    compactByWish(compactors.of(choice), { transcript: asked.transcript, given, wish, waitMs }),
  );
  if (!compacted) return JUST_COMPACTED;
  noteFit(turn, compacted.report, performance.now() - started);
  return compactedText(compacted.report);
}

/** A turn whose model may call tools of precis's own. */
interface Rounds<T extends Turn> {
  readonly turn: T;
  readonly hosted: HostedTurn;
  /** Fits and sends one round. */
  send(turn: T): Promise<Attempt>;
}

/**
 * Answers the calls of precis's own tools, beginning with those in the first answer, and resolves with the answers of all rounds as one.
 * The rounds of a stream are carried out while it is read.
 */
export async function runRounds<T extends Turn>(
  parts: TurnParts,
  rounds: Rounds<T>,
  first: Attempt,
): Promise<Attempt> {
  if (first.isUnread) return first;
  const isStreamed = !first.failed && isStream(first.answer, rounds.turn);
  return isStreamed
    ? { ...first, answer: spliceRounds(parts, rounds, first), read: undefined }
    : joinRounds(parts, rounds, first);
}

async function joinRounds<T extends Turn>(
  parts: TurnParts,
  { turn, hosted, send }: Rounds<T>,
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
  const data = spoken.hosting!.join(answers, hosted.isHosted);
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
  { turn, hosted, send }: Rounds<T>,
  first: Attempt,
): Answer {
  const { upstream, signal } = turn;
  const { answerBytes } = parts.config.limits;
  const spoken = spokenWire(turn);
  const hosting = spoken.hosting!;
  const splice = hosting.splice(hosted.isHosted);
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
  const passRound = ({ answer, read }: Attempt): Promise<string | undefined> =>
    new Promise((resolve, reject) => {
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
      const take = (piece: Buffer, isLast: boolean): void => {
        const fresh = split(piece, isLast);
        for (const { text } of fresh) keep(text);
        pass(fresh.flatMap(shownOf));
      };
      if (read) take(read, false);
      answer.read({
        piece: (bytes) => take(bytes, false),
        end() {
          take(Buffer.alloc(0), true);
          resolve(size <= answerBytes ? events.join("\n\n") : undefined);
        },
        broken: reject,
      });
    });

  const passAll = async (): Promise<void> => {
    let round = first;
    for (;;) {
      source = round.answer;
      const text = await passRound(round);
      const told = text === undefined ? NO_ANSWER : streamedAnswer(spoken, text).answer;
      const next = await nextRound(parts, turn, hosted, inOwnWords(turn, told));
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
function refused(upstream: string, { status }: Attempt): UpstreamFault {
  const cause = Object.assign(new Error("a later round was refused"), { code: `it answered ${status}` });
  return new UpstreamFault("broken", upstream, cause);
}

/** So often the model may call precis's own tools within one turn. */
const MOST_ROUNDS = 8;
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
  hosted.addRound(answer.usage);
  hosted.real.push(...hosting.echo(answer.messages, body));
  const calls = callsIn(turn, answer);
  const ours = calls.filter(({ name }) => hosted.isHosted(name));
  if (ours.length === 0) return undefined;
  hosted.hasHidden = true;
  const { rounds } = hosted.used;
  const results: HostedResult[] = [];
  for (const call of ours) {
    const { id, name } = call;
    const tool = hosted.tools.find((one) => hostedName(one) === name)!;
    const refusal = answer.stop === "length" ? CUT_OFF : rounds > MOST_ROUNDS ? LIMIT_REACHED : undefined;
    const text = refusal ?? (await answerCall(parts, turn, { tool, hosted, call }));
    hosted.onAnswered(call, text);
    results.push({ id, name, text: rounds === MOST_ROUNDS ? `${text}\n\n${LAST_CALL}` : text });
  }
  hosted.real.push(...hosting.results(results));
  if (ours.length < calls.length || answer.stop === "length" || rounds > MOST_ROUNDS) return undefined;
  turn.record.happened({ type: "hidden-round", usage: answer.usage });
  return roundAfter(turn, hosted);
}

/** What the model called that nobody has answered yet. */
function callsIn({ wire }: Turn, { messages }: WireAnswer): readonly ToolCallPart[] {
  return messages
    .flatMap((message) => wire.dialect.read(message).parts)
    .filter((part): part is ToolCallPart => part.type === "tool-call" && !part.locked);
}

function roundAfter<T extends Turn>(turn: T, hosted: HostedTurn): T {
  const { wire, body, asked } = turn;
  const hosting = wire.hosting!;
  // A model that must call something has called ours; now it is the turn of the client's tools.
  const base = hosting.forcesAny(body) ? hosting.withdraw(body, hosted.isHosted) : body;
  // The same key for another request would bring the first one's answer again.
  const { "idempotency-key": _, ...headers } = turn.headers;
  return { ...withTranscript(turn, base, [...asked.transcript, ...hosted.real]), headers };
}
