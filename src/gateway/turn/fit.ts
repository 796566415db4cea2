import { isJson, type Json } from "../../apis/shared/fields.ts";
import { fittingCap, type Rejected } from "../../core/budget.ts";
import { BudgetImpossibleError, ConfigError, InvariantError, TranscriptError } from "../../core/errors.ts";
import { stringifyDeep } from "../../core/json.ts";
import type { FitInput, FitResult, Reason, Report } from "../../core/types.ts";
import type { TimelineFact } from "../api.ts";
import { onBehalfOf } from "../compaction/on-behalf.ts";
import { announceBegun, followSummary, noteSummaries } from "../conversation/announcer.ts";
import { loggable } from "../telemetry/log.ts";
import {
  clientMessages,
  hiddenInstructions,
  type LaterInstruction,
  laterInstructions,
  loadedTools,
  withInstructions,
} from "../wires/index.ts";
import { type Exchange, type Outgoing, spokenWire, type Turn, type TurnParts } from "./turn.ts";

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
  if (!rejected && surelyFits(exchange)) return unchanged(exchange);
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
function surelyFits(exchange: Exchange): boolean {
  const { plain, asked, body, compactors, choice, hasSettings, hosted } = exchange;
  // What was set for one conversation is for the engine to judge, and so is what its model may have asked for.
  if (hasSettings || hosted?.tools.includes("compact")) return false;
  if (plain.length > compactors.surelyFits(choice)) return false;
  return isTextAlone(asked, body) || !UNCOUNTABLE.some((sign) => plain.includes(sign));
}

/** Most requests are: nothing but texts. To see that is faster than to search their bytes. */
function isTextAlone({ transcript, tools }: Exchange["asked"], body: Exchange["body"]): boolean {
  if (tools !== undefined || REFERENCE_FIELDS.some((name) => name in body)) return false;
  return transcript.every((message) => isJson(message) && typeof message["content"] === "string");
}

/** What a client says to the model in the user's name or beside it. It is pinned as long as there is room for it. */
interface ClientWords {
  /** Messages before the first answer that carry the client's own blocks. */
  readonly pins: readonly number[];
  /** System messages among the others. */
  readonly instructions: readonly LaterInstruction[];
}

const NO_WORDS: ClientWords = { pins: [], instructions: [] };

interface Fitting {
  /** The upstream refused the last try as too long. */
  readonly rejected?: Rejected | undefined;
  readonly words?: ClientWords;
}

/** Makes the view of a turn and the request that carries it. */
export async function fitTurn(
  parts: TurnParts,
  turn: Turn,
  { rejected, words = NO_WORDS }: Fitting,
): Promise<Outgoing> {
  const { recording, compactors, choice } = turn;
  const hasOwnWish = compactors.hasOwnWish(choice);
  const started = performance.now();
  const made = await watchedFit(parts, turn, () =>
    fitWithWords(turn, inputOf(parts, turn, hasOwnWish, rejected), words),
  );
  const { report } = made.fitted;
  noteFit(turn, report, performance.now() - started);
  if (turn.isObserved) return { ...unchanged(turn), action: "observed", report };
  if (recording && !hasOwnWish) parts.memory.keepRequest(recording.known, undefined);
  if (isTranscript(report) && !turn.translation)
    return { ...withLowerCap(unchanged(turn), turn, report, rejected), report };
  const view = writeView(turn, made, rejected);
  const bytes = Buffer.from(stringifyDeep(view));
  if (recording && !hasOwnWish && !turn.translation)
    parts.memory.keepRequest(recording.known, { request: view, bytes: bytes.length });
  return { action: actionOf(report), body: bytes, isOurs: true, report, json: view };
}

/** Whoever hears of requests is told what `fit` did. */
export function noteFit({ record, recording, isObserved }: Turn, report: Report, ms: number): void {
  // What a client repeats that saw no compaction has other reasons.
  if (report.outcome === "compacted" && recording && !isObserved) recording.known.rounds = new Map();
  record.happened({ type: "fitted", report, ms, isObserved });
  // A smaller view of the same request, and a request that comes again, say it once more.
  const { repeated } = report;
  if (
    repeated &&
    !isObserved &&
    !recording?.isAskedAgain &&
    !record.happenings.some(({ type }) => type === "repeated")
  )
    record.happened({ type: "repeated", ...repeated });
}

/** The request as it came. */
function unchanged({ bytes, isRewritten }: Turn): Outgoing {
  return { action: "pass", body: bytes, isOurs: isRewritten === true, report: undefined };
}

function inputOf(
  parts: Pick<TurnParts, "memory" | "windows">,
  turn: Turn,
  hasOwnWish: boolean,
  rejected: Rejected | undefined,
): FitInput<unknown> {
  const { asked, recording, record } = turn;
  const { cacheMs: cacheTtlMs } = record;
  return {
    tools: loadedTools(asked),
    // A client may ask for anything; what can't be a number of tokens says nothing.
    ...(asked.cap !== undefined && asked.cap >= 1 && { maxAnswer: asked.cap }),
    request: lastRequest(parts, turn, hasOwnWish),
    now: turn.startedAt,
    ...(recording && recording.known.lastRequestAt > 0 && { lastRequestAt: recording.known.lastRequestAt }),
    ...(cacheTtlMs !== undefined && { cacheTtlMs }),
    ...(rejected && { rejected }),
    signal: turn.signal,
  };
}

/** What `fit` made, with the system prompt that it was given. */
interface WrittenFit {
  /** Its state is made when somebody asks for it, and nobody does here: the store has it. */
  readonly fitted: FitResult<unknown>;
  readonly given: unknown;
  readonly instructions: readonly LaterInstruction[];
}

/** `fit` with the client's words pinned, or without where there is no room for them. */
async function fitWithWords(
  { asked, pins, compactors, choice }: Turn,
  input: FitInput<unknown>,
  words: ClientWords,
): Promise<WrittenFit> {
  const { transcript, system } = asked;
  const compactor = compactors.of(choice);
  const given = withInstructions(system, words.instructions);
  try {
    const fitted = await compactor.fit(transcript, {
      ...input,
      system: given,
      pins: [...words.pins, ...pins],
    });
    return { fitted, given, instructions: words.instructions };
  } catch (error) {
    const hasWords = words.pins.length > 0 || words.instructions.length > 0;
    if (!(error instanceof BudgetImpossibleError) || !hasWords) throw error;
    const fitted = await compactor.fit(transcript, { ...input, system, pins });
    return { fitted, given: system, instructions: [] };
  }
}

/** The request with its view, a cap that leaves room for it, and without thinking where the view can't bear it. */
function writeView(
  turn: Turn,
  { fitted, given, instructions }: WrittenFit,
  rejected: Rejected | undefined,
): Json {
  const { asked, body, translation } = turn;
  const { messages, report } = fitted;
  const wire = spokenWire(turn);
  // All instructions were counted; those that still stand in their places needn't be said twice.
  const system =
    fitted.system === given
      ? withInstructions(asked.system, hiddenInstructions(instructions, report.entries))
      : fitted.system;
  const shown = translation
    ? translation.write({ messages, system })
    : wire.write(body, { messages, system });
  const whole = turn.withHidden?.(shown) ?? shown;
  const mustNotThink = report.warnings.some(({ code }) => code === "thinking-off");
  const sendable = mustNotThink ? wire.withoutThinking(whole) : (wire.withLoopThinking?.(whole) ?? whole);
  return withRoom(turn, sendable, report, rejected);
}

/** Is the view the transcript itself? Where nothing more is to be gained, it may still be a view made before. */
function isTranscript({ outcome, counts }: Report): boolean {
  if (outcome !== "nothing-to-gain") return outcome === "pass";
  return counts.edited + counts.covered + counts.dropped + counts.inserted === 0;
}

function actionOf(report: Report): Outgoing["action"] {
  if (report.outcome === "compacted") return "compacted";
  return isTranscript(report) ? "pass" : "view";
}

/** A long answer must not cost the request. */
function withRoom(turn: Turn, body: Json, report: Report, rejected: Rejected | undefined): Json {
  const { asked } = turn;
  if (asked.cap === undefined) return body;
  const cap = fittingCap(asked.cap, report, rejected);
  return cap === asked.cap ? body : spokenWire(turn).withCap(body, cap);
}

function withLowerCap(
  outgoing: Outgoing,
  turn: Turn,
  report: Report,
  rejected: Rejected | undefined,
): Outgoing {
  // Hidden rounds stand behind the very messages that the client sent back: what takes thoughts out of those comes later.
  const whole = turn.withHidden?.(turn.body) ?? turn.body;
  const body = withRoom(turn, whole, report, rejected);
  if (body === whole) return outgoing;
  const sendable = turn.wire.withLoopThinking?.(body) ?? body;
  return { ...outgoing, body: Buffer.from(stringifyDeep(sendable)), isOurs: true, json: sendable };
}

/** What a summary by continuation adds to a request: its prompt and its answer (tokens). */
const CONTINUATION_ROOM = 4_000;
/** Bytes of a request for each of its tokens, at the least that is usual. */
const BYTES_PER_TOKEN = 3;

/**
 * The conversation's last request, which the provider has in its cache: the last view, or the transcript itself while it
 * is its own view. Where this node can't know, where the request has a wish of its own, or where a summary's
 * prompt wouldn't fit behind it, the messages are left out, and no summary is asked for by continuation.
 */
function lastRequest(
  { memory, windows }: Pick<TurnParts, "memory" | "windows">,
  { body, wire, asked, recording, upstream, client, plain, translation, withHidden }: Turn,
  hasOwnWish: boolean,
): Json {
  const isKnown = !hasOwnWish && !translation && recording?.followsOurs;
  const last = isKnown
    ? (memory.lastRequest(recording.known) ?? { request: withHidden?.(body) ?? body, bytes: plain.length })
    : undefined;
  const { window } = windows.of(upstream, asked.model, client.tenant);
  return last && last.bytes / BYTES_PER_TOKEN + CONTINUATION_ROOM <= window
    ? last.request
    : wire.write(body, { messages: [], system: asked.system });
}

/** Whose key pays for the summaries of a turn. */
export function sentKeys({ headers, client, upstream }: Pick<Turn, "client" | "headers" | "upstream">) {
  return { headers, keyIsOurs: client.keyIsOurs, upstream };
}

/** `fit` of a turn: pages see the summary that it may begin in the background, and can stop it. */
export async function watchedFit<R extends { readonly fitted: FitResult<unknown> }>(
  parts: Pick<TurnParts, "live" | "busy" | "announcer" | "isDraining">,
  turn: Pick<Turn, "client" | "headers" | "upstream" | "recording" | "record">,
  fit: () => Promise<R>,
): Promise<R> {
  const { recording, record, client } = turn;
  const { tenant } = client;
  const controller = new AbortController();
  const isWatched = recording?.isWatched === true;
  let reason: Reason | undefined;
  const behalf = {
    sent: sentKeys(turn),
    client: record.clientName,
    conversation: () => recording?.known.id,
    signal: controller.signal,
    cause: () => ({ reason, request: record.id }),
    noted: (fact: TimelineFact) => record.happened({ type: "noted", fact }),
    onStarted(why: Reason) {
      reason = why;
      const conversation = isWatched ? recording.known.id : undefined;
      if (conversation !== undefined) announceBegun(parts, tenant, conversation, why);
    },
  };
  const made = await onBehalfOf(behalf, fit);
  // States are made for whoever asks for one: here the store has all of it.
  if (reason === undefined || recording === undefined) return made;
  const result = made.fitted;
  const began = reason;
  let isOver = result.report.outcome === "compacted" && isWatched;
  const over = (): void => {
    isOver = true;
  };
  result.background.then(over, over);
  void recording.stored().then((conversation) => {
    // What was compacted within `fit` is over; so is a summary that came before there was a conversation to tell about.
    if (isOver || conversation === undefined) return;
    if (!isWatched) announceBegun(parts, tenant, conversation, began);
    const ended = noteSummaries(behalf, result);
    void followSummary(parts, { tenant, conversation, controller, ended, isAwaited: isWatched });
  });
  return made;
}
