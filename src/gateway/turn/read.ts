import type { ServerResponse } from "node:http";
import type { Json } from "../../apis/shared/fields.ts";
import type { GatewayConfig } from "../../config/gateway-schema.ts";
import { mergeTuning } from "../../config/tuning-schema.ts";
import { defined } from "../../core/collections.ts";
import { TranscriptError } from "../../core/errors.ts";
import { stringifyDeep } from "../../core/json.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import { type CompactorChoice, cacheMsOf } from "../compaction/compactors.ts";
import { lookAhead } from "../compaction/measure.ts";
import { readingOf } from "../compaction/redact-secrets.ts";
import { NO_OPTIONS, type RequestOptions, requestOptions } from "../compaction/request-options.ts";
import { type Chat, chatOf } from "../conversation/find-conversation.ts";
import { choiceOf as choiceOfSettings } from "../conversation/loaded.ts";
import { LEAST_BYTES } from "../conversation/memory.ts";
import { programOf, sessionOf, withPrevious } from "../conversation/named-by-client.ts";
import type { Opening, Recording } from "../conversation/recording.ts";
import { decodeBody, parseBody, readBody } from "../http/read-body.ts";
import { checkNamed, RequestFault } from "../http/request-fault.ts";
import { loggable } from "../telemetry/log.ts";
import { chooseUpstream } from "../upstream/upstream.ts";
import { type WireRequest, withoutMemory } from "../wires/index.ts";
import { type Exchange, FITS_ANY_WINDOW, type Turn, type TurnParts } from "./turn.ts";

/** What requests are opened with. */
type ReadingParts = Pick<
  TurnParts,
  | "config"
  | "store"
  | "upstreams"
  | "windows"
  | "askWindow"
  | "compactors"
  | "observing"
  | "recorder"
  | "memory"
  | "log"
  | "now"
>;

/** Where a request comes from and goes to. */
type Base = Pick<Exchange, "request" | "response" | "client" | "wire" | "path" | "record">;

/** Reads a request and finds out where it goes and which conversation it belongs to. */
export async function readExchange(parts: ReadingParts, base: Base): Promise<Exchange> {
  const { request, response, client, wire, path, record } = base;
  const { limits } = parts.config;
  const received = await readBody(request, limits);
  const arrivedAt = performance.now();
  const encoding = request.headers["content-encoding"];
  const unpacked = encoding === undefined ? received : await decodeBody(received, encoding, limits);
  const signal = abortOnClose(response);
  signal.throwIfAborted();
  const parsing = parseBody(unpacked);
  const parsed = parsing instanceof Promise ? await parsing : parsing;
  const given = parts.memory.recognise(parsed, unpacked.length);
  const asking = readAsked(parts, base, given);
  // Messages that it only names are put in front of its own.
  const named = wire.naming ? await withNamed(parts, base, given, asking) : asking;
  const { body, asked, options, upstream, goesOnFrom } = named;
  const isRewritten = body !== given;
  const rewritten = isRewritten ? Buffer.from(stringifyDeep(body)) : undefined;
  const bytes = rewritten ?? received;
  const plain = rewritten ?? unpacked;
  if (plain.length >= FITS_ANY_WINDOW) {
    const { tenant, keyIsOurs } = client;
    const { model } = asked;
    const { headers } = request;
    const finding = options.off
      ? undefined
      : parts.askWindow({ upstream, model, tenant, headers, keyIsOurs });
    if (finding) await finding;
    const ahead = lookAhead(parts, { tenant, wire, upstream, model }, { bytes: plain.length, asked, signal });
    if (ahead) await ahead;
  }
  const startedAt = parts.now();
  const opening = openingOf(parts, base, {
    asked,
    at: startedAt,
    from: goesOnFrom?.place,
    comesAgain: unpacked.length >= LEAST_BYTES,
  });
  const opened = openRecording(parts, opening);
  let recording = opened instanceof Promise ? await opened : opened;
  // What has no answer yet has nothing that could be shown otherwise.
  const chat = recording && !recording.isFirst ? await chatOf(parts, client.tenant, recording) : undefined;
  if (recording && chat === "thrown away") {
    // This node remembers it, but it was thrown away on another one: what the client still has of it is a new one.
    recording.end();
    parts.memory.forget(client.tenant, recording.known.id!);
    recording = await openRecording(parts, opening);
  }
  const set = chat === "thrown away" ? undefined : chat;
  const choice = choiceOf(parts, { tenant: client.tenant, wire, upstream, asked, options, chat: set });
  noteAsked(parts, { upstream, asked, wire, recording, arrivedAt, client, choice, record });
  // Field by field: an object that begins with a spread grows with each field that follows.
  return {
    request,
    response,
    client,
    wire,
    path,
    headers: request.headers,
    bytes,
    plain,
    isRewritten,
    goesOnFrom,
    body,
    asked,
    options: withSetTools(options, set),
    upstream,
    signal,
    startedAt,
    arrivedAt,
    recording,
    record,
    opening,
    compactors: parts.observing ?? parts.compactors,
    choice,
    pins: set?.pins ?? [],
    hasSettings: set !== undefined,
    isObserved: parts.config.observe,
  };
}

/** From now on the record of a request knows what it asks for. */
export function noteAsked(
  { windows, config }: Pick<TurnParts, "windows" | "config">,
  turn: Pick<
    Turn,
    "upstream" | "asked" | "wire" | "recording" | "arrivedAt" | "client" | "choice" | "record"
  >,
): void {
  const { upstream, asked, wire, recording, arrivedAt, client, choice, record } = turn;
  const { prices } = windows.of(upstream, asked.model, client.tenant);
  record.asks(
    { upstream, asked, wire, recording, arrivedAt },
    { prices, cacheMs: cacheMsOf(choice, config) },
  );
}

/** What a request asks for, and of which upstream. */
interface Asking extends Pick<Exchange, "body" | "asked" | "options" | "upstream" | "goesOnFrom"> {}

function readAsked(parts: ReadingParts, { request, wire, path }: Base, body: Json): Asking {
  const asked = wire.read(body, path);
  checkAsked(asked, parts.config.limits);
  const upstream = chooseUpstream(parts.upstreams, asked.model, wire.dialect.id);
  return { body, asked, options: requestOptions(request.headers), upstream, goesOnFrom: undefined };
}

/** With the messages that the request only names in front of its own. */
async function withNamed(
  parts: ReadingParts,
  { request, client, wire, path }: Base,
  given: Json,
  asking: Asking,
): Promise<Asking> {
  const { options, upstream } = asking;
  const isForwarded = options.off || parts.config.observe || upstream.isNative;
  const from = { client, wire, upstream, headers: request.headers };
  const { body, goesOnFrom } = await withPrevious(parts, from, given, isForwarded);
  if (body === given) return { ...asking, goesOnFrom };
  const asked = wire.read(body, path);
  checkAsked(asked, parts.config.limits);
  return { ...asking, body, asked, goesOnFrom };
}

/** What a request asks for, with the tools that were set for its conversation where it says nothing about them. */
function withSetTools(options: RequestOptions, chat: Chat | undefined): RequestOptions {
  const tools = options.tools ?? chat?.settings?.tools;
  return tools === options.tools || tools === undefined ? options : { ...options, tools };
}

/** A client that goes away takes its request to the upstream with it. */
export function abortOnClose(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const gone = () => {
    if (!response.writableFinished) controller.abort(new Error("the client went away"));
  };
  // It may have gone while its request was looked at.
  if (response.destroyed) gone();
  else response.on("close", gone);
  return controller.signal;
}

/** What a recording of this request begins with; undefined where nothing is stored. */
function openingOf(
  parts: ReadingParts,
  { client, wire, request }: Base,
  { asked, at, from, comesAgain }: Pick<Opening, "asked" | "at" | "from"> & { readonly comesAgain: boolean },
): Opening | undefined {
  if (!parts.recorder) return undefined;
  const session = sessionOf(request.headers);
  const program = programOf(request.headers);
  const dialect = readingOf(parts.config, comesAgain ? wire.dialect : withoutMemory(wire.dialect));
  return { asked, at, from, tenant: client.tenant, dialect, session, program, comesAgain };
}

/** That of a first request is there at once. A transcript that can't be read is no reason to refuse a request. */
function openRecording(
  parts: ReadingParts,
  opening: Opening | undefined,
): Recording | undefined | Promise<Recording | undefined> {
  if (!parts.recorder || !opening) return undefined;
  const notYet = (error: unknown): undefined => {
    const isUnreadable = error instanceof TranscriptError;
    // What was found instead is a word of the request.
    const reason = isUnreadable ? /^(.*?), found /.exec(error.message)?.[1] : undefined;
    parts.log.warn(
      { ...loggable(error), ...(reason && { reason }) },
      isUnreadable
        ? "a request isn't recorded: precis can't read its messages"
        : "a request can't be recorded yet",
    );
  };
  try {
    const opened = parts.recorder.open(opening);
    return opened instanceof Promise ? opened.catch(notYet) : opened;
  } catch (error) {
    return notYet(error);
  }
}

/** Which compactor serves a request: what its headers ask for, else what was set for its conversation. */
export function choiceOf(
  parts: Pick<CompactionParts, "upstreams">,
  {
    tenant,
    wire,
    upstream,
    asked,
    options,
    chat,
  }: Pick<CompactorChoice, "tenant" | "wire" | "upstream"> & {
    readonly asked: Pick<WireRequest, "model" | "cap">;
    readonly options: RequestOptions;
    readonly chat: Chat | undefined;
  },
): CompactorChoice {
  const { model, cap } = asked;
  const set = chat?.settings && choiceOfSettings(parts, { tenant, wire, model, settings: chat.settings });
  // Most requests ask for nothing, and nothing was set for their conversation.
  if (set === undefined && options === NO_OPTIONS) return { tenant, wire, upstream, model, cap };
  const { profile, strategy, budget, window, summarizer, tuning } = options;
  const wishes = defined({ profile, strategy, budget, window, summarizer });
  const isAsked = tuning !== undefined || Object.keys(wishes).length > 0;
  return {
    ...set,
    ...{ tenant, wire, upstream, model, cap },
    ...wishes,
    ...(tuning && { tuning: mergeTuning(set?.tuning, tuning) }),
    ...(isAsked && {
      usual: {
        profile: set?.profile,
        strategy: set?.strategy,
        budget: set?.budget,
        window: set?.window,
        summarizer: set?.summarizer,
        tuning: set?.tuning,
      },
    }),
  };
}

/** Names of models stand in keys of everything that is remembered, so longer ones are refused (characters). */
const MAX_MODEL_NAME = 512;

/** Refuses what no conversation has: a name of a model or a number of messages that would only cost others their turn. */
export function checkAsked(
  { model, transcript }: Pick<WireRequest, "model" | "transcript">,
  { messages }: GatewayConfig["limits"],
): void {
  if (model !== "") checkNamed("name of the model", model, MAX_MODEL_NAME);
  if (transcript.length > messages)
    throw new RequestFault(
      413,
      "too-many-messages",
      `precis: the request has ${transcript.length} messages, more than ${messages}. Send fewer, or raise limits.messages.`,
    );
}
