import { createHash } from "node:crypto";
import { readEvents } from "../../apis/shared/events.ts";
import { isJson, type Json, listOf, parseJson } from "../../apis/shared/fields.ts";
import { isTooLarge, isWorthCounting, type Rejected } from "../../core/budget.ts";
import { defined } from "../../core/collections.ts";
import { holdsMedia } from "../../core/message-text.ts";
import { type Overflow, overflowOf } from "../../models/index.ts";
import type { RowDetails } from "../conversation/timeline.ts";
import { type Answer, answerText, askReadable, unpackStream } from "../upstream/answer.ts";
import { askJson, type Sending, send } from "../upstream/send.ts";
import { targetPath, upstreamHeaders } from "../upstream/upstream.ts";
import { redirected } from "../upstream/upstream-fault.ts";
import { FITS_ANY_WINDOW, type Outgoing, spokenWire, type Turn, type TurnParts } from "./turn.ts";

/** What an upstream answered, as far as it was read. */
export interface Attempt {
  readonly outgoing: Outgoing;
  readonly answer: Answer;
  readonly status: number;
  /** The whole body, if it is an error. */
  readonly failed: { readonly bytes: Buffer; readonly text: string } | undefined;
  /** All of an answer in one piece, or the first bytes of a stream that had to be looked at. */
  readonly read: Buffer | undefined;
  /** An answer in one piece as JSON, if it is. */
  readonly data?: unknown;
  /** An answer in one piece that is too long to be read: `read` is its beginning, and the rest is still to come. */
  readonly isUnread?: boolean;
}

/** Makes the request of a turn; a smaller one where the last was refused as too long. */
type MakeView = (rejected?: Rejected) => Promise<Outgoing>;

/** Sends the request of a turn, smaller ones where the upstream refuses it as too long, and resolves with the answer. */
export async function runTurn(parts: TurnParts, turn: Turn, view: MakeView): Promise<Attempt> {
  const outgoing = await view();
  turn.recording?.begin();
  // What somebody wants sent as it came is neither counted nor made smaller.
  const isFixed = turn.isObserved || outgoing.action === "off";
  const isCounted = !isFixed && turn.upstream.config.count === "provider";
  const first = await attempt(
    parts,
    turn,
    isCounted ? await countFirst(parts, turn, outgoing, view) : outgoing,
  );
  if (turn.recording) turn.recording.known.lastRequestAt = turn.startedAt;
  return first.failed && !isFixed ? retryTooLong(parts, turn, first, view) : first;
}

async function attempt(
  { config }: Pick<TurnParts, "config">,
  turn: Turn,
  outgoing: Outgoing,
): Promise<Attempt> {
  const { answerBytes } = config.limits;
  const { path, asked, signal } = turn;
  const { body, isOurs } = outgoing;
  turn.record.sends(
    outgoing,
    () => fieldsOf(turn, outgoing),
    () => detailsOf(turn, outgoing),
  );
  const given = await send(sendingOf(turn, { path, body, isOurs, streamed: asked.streamed, signal }));
  turn.record.answers();
  const answer = isStream(given, turn) ? unpackStream(given, turn.upstream.config.timeoutMs) : given;
  const status = answer.statusCode;
  if (isRedirect(status)) {
    answer.drop();
    throw redirected(turn.upstream, answer.headers.location);
  }
  if (status < 400 && isStream(answer, turn)) {
    const peeked = await peek(answer, turn, outgoing);
    if (!peeked?.isTooLong) return { outgoing, answer, status, failed: undefined, read: peeked?.bytes };
    const failed = await readRest(answer, peeked.bytes, answerBytes);
    return { outgoing, answer, status: BAD_REQUEST, failed, read: undefined };
  }
  const { bytes, isWhole } = await answer.whole(answerBytes);
  if (!isWhole) return { outgoing, answer, status, failed: undefined, read: bytes, isUnread: true };
  const unpacked = answerText(answer, bytes, answerBytes);
  const text = typeof unpacked === "string" ? unpacked : await unpacked;
  const data = status < 400 ? parseJson(text) : undefined;
  const isTooLong = status < 400 && saysTooLong(data);
  if (status < 400 && !isTooLong) return { outgoing, answer, status, failed: undefined, read: bytes, data };
  const failed = { bytes, text };
  return { outgoing, answer, status: isTooLong ? BAD_REQUEST : status, failed, read: undefined };
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400;

/** "Too long" from the upstream: compacted harder and tried again until it fits. */
async function retryTooLong(parts: TurnParts, turn: Turn, first: Attempt, view: MakeView): Promise<Attempt> {
  let last = first;
  for (let tries = 0; tries < MOST_RETRIES; tries++) {
    const { failed, status, outgoing } = last;
    const overflow = failed && overflowOf(status, failed.text);
    if (!overflow) break;
    noteRejected(parts, turn, overflow, outgoing.report);
    const smaller = await smallerOf(parts, outgoing, view, overflow);
    if (!smaller) {
      turn.record.happened({ type: "retried", result: "impossible" });
      break;
    }
    last = await attempt(parts, turn, smaller);
    turn.record.happened({ type: "retried", result: last.failed ? "failed" : "fitted" });
  }
  return last;
}

function noteRejected(
  parts: Pick<TurnParts, "windows">,
  { upstream, asked, client, wire, record }: Turn,
  { tokens, limit, bytes }: Overflow,
  refused: Outgoing["report"],
): void {
  // Where no number is named, the window is smaller than what was refused, by our own count: that of texts.
  const isText = !bytes && !asked.transcript.some((message) => holdsMedia(wire.dialect.read(message)));
  const below = refused && isText ? refused.tokens.after + refused.budget.tools : undefined;
  const learned = parts.windows.learn(upstream, asked.model, client.tenant, { limit, below });
  record.happened({ type: "rejected", tokens, limit, learned });
}

/** What is sent to the upstream of a turn, and where. */
interface SentOn extends Pick<Outgoing, "body" | "isOurs"> {
  readonly path: string;
  readonly streamed: boolean;
  readonly signal: AbortSignal;
}

/** What is sent in the name of the turn's client. */
function sendingOf(turn: Turn, { path, body, isOurs, streamed, signal }: SentOn): Sending {
  const { upstream, client } = turn;
  const headers = upstreamHeaders(upstream, turn.headers, path, body.length, client.keyIsOurs);
  if (isOurs) {
    delete headers["content-encoding"];
    // A key stands for one body: a provider answers it with what it answered then, a refusal as well.
    const key = headers["idempotency-key"];
    if (key !== undefined)
      headers["idempotency-key"] =
        `${String(key)}-${createHash("sha256").update(body).digest("hex").slice(0, 16)}`;
  }
  if (turn.isEmulated) turn.wire.native?.dropFlags(headers);
  askReadable(headers, streamed);
  return { upstream, method: "POST", path: targetPath(upstream, path), headers, body, signal };
}

/** Reads an answer to its end, piece by piece; resolves with what broke it off, if something did. Whoever throws reads no further. */
export function readPieces(
  { answer, read }: Pick<Attempt, "answer" | "read">,
  take: (piece: Buffer) => void,
): Promise<unknown> {
  return new Promise((resolve) => {
    const piece = (bytes: Buffer): void => {
      try {
        take(bytes);
      } catch (error) {
        answer.drop();
        resolve(error);
      }
    };
    if (read) piece(read);
    answer.read({ piece, end: () => resolve(undefined), broken: resolve });
  });
}

/** Comes an answer in pieces: as events, or as a JSON list that a stream was asked for in? */
export function isStream(answer: Answer, { wire, asked }: Pick<Turn, "wire" | "asked">): boolean {
  if (hasEvents(answer)) return true;
  const isList = wire.streamsLists && asked.streamed;
  return isList === true && /^application\/json/i.test(answer.headers["content-type"] ?? "");
}

function hasEvents(answer: Answer): boolean {
  return /^text\/event-stream/i.test(answer.headers["content-type"] ?? "");
}

/** Above this pressure an upstream may say "too long" inside of a stream that began well. */
const PEEK_FROM = 0.6;
/** An upstream that began its answer says "too long" within this time (milliseconds). */
const PEEK_MS = 1_500;
/** So much of an answer is looked at (bytes). Its first events may repeat the instructions and tools of the request. */
const MOST_PEEKED = 2 * 1024 * 1024;
/** Events that come before anything was decided. */
const OPENING: ReadonlySet<unknown> = new Set([
  "response.created",
  "response.in_progress",
  "response.queued",
  "message_start",
  "ping",
]);

/** The first bytes of a stream that might say that the request is too long. */
async function peek(
  answer: Answer,
  { plain }: Pick<Turn, "plain">,
  { report }: Outgoing,
): Promise<{ readonly bytes: Buffer; readonly isTooLong: boolean } | undefined> {
  const isFull = report !== undefined && report.pressure.after >= PEEK_FROM;
  if (!hasEvents(answer) || (!isFull && plain.length < FITS_ANY_WINDOW)) return undefined;
  // Only where it is likely is it worth to let the client wait for the beginning of its answer.
  const first = await nextPiece(answer, isFull ? undefined : PEEK_MS);
  const until = performance.now() + PEEK_MS;
  const pieces: Buffer[] = [];
  const decoder = new TextDecoder();
  let unread = "";
  let size = 0;
  for (let piece = first; piece; ) {
    pieces.push(piece);
    size += piece.length;
    unread += decoder.decode(piece, { stream: true });
    // In the middle of an event there is nothing to read.
    const events =
      piece.includes("\n") || piece.includes("\r") || unread.endsWith("}") ? readEvents(unread) : [];
    const failed = events.find((event) => event["error"] != null || isFailed(event["response"]));
    if (failed) return peeked(pieces, overflowOf(BAD_REQUEST, failed) !== undefined);
    if (!events.every(saysNothing) || size > MOST_PEEKED) break;
    // What was read once isn't read again.
    if (events.length > 0)
      unread = unread.slice(Math.max(unread.lastIndexOf("\n"), unread.lastIndexOf("\r")) + 1);
    piece = await nextPiece(answer, until - performance.now());
  }
  return peeked(pieces, false);
}

const peeked = (pieces: readonly Buffer[], isTooLong: boolean) => ({
  bytes: Buffer.concat(pieces),
  isTooLong,
});

/** An event before the first word: by its type, or a chunk of Chat Completions that names only the role. */
function saysNothing(event: Readonly<Record<string, unknown>>): boolean {
  const { choices } = event;
  if (!Array.isArray(choices)) return OPENING.has(event["type"]);
  return choices.every((choice: unknown) => {
    if (!isJson(choice) || !isJson(choice["delta"]) || choice["finish_reason"]) return false;
    return Object.entries(choice["delta"]).every(([name, value]) => name === "role" || !value);
  });
}

function isFailed(response: unknown): boolean {
  return isJson(response) && response["error"] != null;
}

/** The next bytes of an answer; undefined if there are none in time. Whoever reads on gets the rest. */
function nextPiece(answer: Answer, ms?: number): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    if (ms !== undefined && ms <= 0) {
      resolve(undefined);
      return;
    }
    const settle = (piece?: Buffer): void => {
      clearTimeout(timer);
      answer.leave();
      resolve(piece);
    };
    const none = (): void => settle();
    const timer = ms === undefined ? undefined : setTimeout(none, ms);
    answer.read({ piece: settle, end: none, broken: none });
  });
}

/** What an error inside of a stream would have been as a status. */
const BAD_REQUEST = 400;

/** Does an answer that began well say in its body that the request is too long? */
function saysTooLong(data: unknown): boolean {
  return isJson(data) && data["error"] != null && overflowOf(BAD_REQUEST, data["error"]) !== undefined;
}

/** All of an answer of which the first bytes were read, or as much as is read of any. */
async function readRest(answer: Answer, first: Buffer, most: number) {
  const rest = await answer.whole(most);
  if (!rest.isWhole) answer.drop();
  const bytes = Buffer.concat([first, rest.bytes]);
  return { bytes, text: await answerText(answer, bytes, most) };
}

/** So often a request is made smaller at most. */
const MOST_RETRIES = 4;

/** A smaller request, or undefined where none can be made: what isn't ours in the end stays as it is. */
async function smallerOf(
  { log }: Pick<TurnParts, "log">,
  { body }: Pick<Outgoing, "body">,
  view: MakeView,
  rejected: Rejected,
): Promise<Outgoing | undefined> {
  try {
    const made = await view(rejected);
    // A lower cap alone may be as many bytes.
    const isSmaller = made.isOurs && made.body.length <= body.length && !made.body.equals(body);
    return isSmaller ? made : undefined;
  } catch (error) {
    // The upstream's own error tells the client more than ours would.
    log.warn({ err: error }, "nothing smaller could be made");
    return undefined;
  }
}

/** The request without its messages and its system prompt, which are kept elsewhere. */
function fieldsOf(turn: Turn, { json = turn.body }: Outgoing): Json {
  return spokenWire(turn).write(json, {
    messages: [],
    system: turn.asked.system === undefined ? undefined : "",
  });
}

/** What is kept of a request beside its messages and what became of it, so that it can be looked at as it was. */
function detailsOf(turn: Turn, { json, report }: Outgoing): RowDetails {
  const { body, translation, choice, pins } = turn;
  const markers = listOf(json?.["messages"]).flatMap((message, n) => (isMarked(message) ? [n] : []));
  const quoted = report?.quoted.map(({ before }) => before) ?? [];
  const changed = json
    ? [...new Set([...Object.keys(body), ...Object.keys(json)])].filter(
        (name) => !Array.isArray(json[name]) && body[name] !== json[name],
      )
    : [];
  const { profile, strategy, budget, window, summarizer, tuning } = choice;
  const settings = defined({
    profile: profile?.name,
    strategy,
    budget: report?.budget.budget ?? budget,
    window: report?.budget.window ?? window,
    summarizer,
    tuning,
    pins: pins.length > 0 ? pins : undefined,
  });
  return {
    ...(translation && { api: translation.wire.api }),
    ...(changed.length > 0 && { changed }),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(quoted.length > 0 && { quoted }),
    ...(markers.length > 0 && { markers }),
    ...defined({ cacheMs: turn.record.cacheMs }),
  };
}

const isMarked = (message: unknown): boolean =>
  isJson(message) &&
  listOf(message["content"]).some((part) => isJson(part) && part["cache_control"] !== undefined);

/** A provider that takes longer to count isn't waited for: the view is sent as it is (milliseconds). */
const COUNT_WAIT_MS = 5_000;

/**
 * Has the provider itself count a view that comes near the budget, learns from its number, and makes a view smaller
 * that is larger than precis believed. Where the provider doesn't count, the view is sent as it is.
 */
async function countFirst(
  parts: Pick<TurnParts, "log">,
  turn: Turn,
  outgoing: Outgoing,
  view: MakeView,
): Promise<Outgoing> {
  let last = outgoing;
  for (let tries = 0; tries < MOST_RETRIES; tries++) {
    const { report } = last;
    const tokens = report && isWorthCounting(report) ? await countedBy(turn, last) : undefined;
    if (!report || tokens === undefined) break;
    await turn.compactors.of(turn.choice).observe({
      usage: { input: tokens },
      report,
      tokens: report.tokens.after + report.budget.tools,
    });
    const smaller = isTooLarge(tokens, report) && (await smallerOf(parts, last, view, { tokens }));
    if (!smaller) break;
    last = smaller;
  }
  return last;
}

/** The provider's own count of a request; undefined if it has none, or gives none in time. */
async function countedBy(turn: Turn, { body, isOurs }: Outgoing): Promise<number | undefined> {
  const { counts } = spokenWire(turn);
  const whole = isOurs ? parseJson(body.toString("utf8")) : turn.body;
  if (!counts || !isJson(whole)) return undefined;
  try {
    const question = {
      path: counts.path(turn.path),
      body: Buffer.from(JSON.stringify(counts.body(whole, turn.path))),
      isOurs: true,
      streamed: false,
      signal: AbortSignal.any([turn.signal, AbortSignal.timeout(COUNT_WAIT_MS)]),
    };
    const { status, json } = await askJson(sendingOf(turn, question));
    return status < 300 && isJson(json) ? counts.read(json) : undefined;
  } catch {
    turn.signal.throwIfAborted();
    return undefined;
  }
}
