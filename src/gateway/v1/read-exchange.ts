import type { ServerResponse } from "node:http";
import type { Json } from "../../apis/shared/fields.ts";
import { stringifyDeep } from "../../core/deep-json.ts";
import { lookAhead } from "../compaction/look-ahead.ts";
import { readingOf } from "../compaction/redacting.ts";
import { type RequestOptions, requestOptions } from "../compaction/request-options.ts";
import { type Chat, chatOf } from "../conversation/chat-of.ts";
import { LEAST_BYTES } from "../conversation/known-messages.ts";
import { withPrevious } from "../conversation/previous-response.ts";
import type { Opening, Recording } from "../conversation/recording.ts";
import { sessionOf } from "../conversation/session-of.ts";
import { decodeBody, parseBody, readBody } from "../http/read-body.ts";
import { loggable } from "../telemetry/log.ts";
import { chooseUpstream } from "../upstream/choose-upstream.ts";
import type { DialectName } from "../upstream/upstream.ts";
import { checkAsked } from "../wires/shared/check-asked.ts";
import { withoutMemory } from "../wires/shared/wire-dialect.ts";
import { choiceOf } from "./choice-of.ts";
import type { Exchange } from "./exchange.ts";
import type { V1Parts } from "./v1-parts.ts";

/** What requests are opened with. */
type ReadingParts = Pick<
  V1Parts,
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
type Base = Pick<Exchange, "request" | "response" | "client" | "wire" | "path" | "told">;

/** A shorter request fits whatever window its model has (bytes). */
const FITS_ANY_WINDOW = 4_096;

/** Reads a request and finds out where it goes and which conversation it belongs to. */
export async function readExchange(parts: ReadingParts, base: Base): Promise<Exchange> {
  const { request, response, client, wire, path, told } = base;
  const received = await receive(parts, base);
  const { given, signal, arrivedAt } = received;
  const { body, asked, options, upstream, goesOnFrom } = await whatIsAsked(parts, base, given);
  const isRewritten = body !== given;
  const rewritten = isRewritten ? Buffer.from(stringifyDeep(body)) : undefined;
  const bytes = rewritten ?? received.bytes;
  const plain = rewritten ?? received.plain;
  const asking = { tenant: client.tenant, wire, upstream, model: asked.model };
  const { headers } = request;
  const needsNoWindow = options.off || plain.length < FITS_ANY_WINDOW;
  const telling = needsNoWindow
    ? undefined
    : parts.askWindow({ ...asking, headers, keyIsOurs: client.keyIsOurs });
  if (telling) await telling;
  const ahead = lookAhead(parts, asking, { bytes: plain.length, asked, signal });
  if (ahead) await ahead;
  const startedAt = parts.now();
  const opening = openingOf(parts, base, {
    asked,
    at: startedAt,
    from: goesOnFrom?.place,
    comesAgain: received.plain.length >= LEAST_BYTES,
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
  told.asks(
    { upstream, asked, wire, recording, arrivedAt },
    parts.windows.of(upstream, asked.model, client.tenant).prices,
  );
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
    told,
    opening,
    compactors: parts.observing ?? parts.compactors,
    choice: choiceOf(parts, { tenant: client.tenant, wire, upstream, asked, options, chat: set }),
    pins: set?.pins ?? [],
    hasSettings: set !== undefined,
    isObserved: parts.config.observe,
  };
}

/** The body of a request: as it came, unpacked, and as JSON. */
async function receive({ config: { limits }, memory }: ReadingParts, { request, response }: Base) {
  const bytes = await readBody(request, limits.bodyBytes);
  const arrivedAt = performance.now();
  const encoding = request.headers["content-encoding"];
  const plain = encoding === undefined ? bytes : await decodeBody(bytes, encoding, limits.bodyBytes);
  const signal = abortOnClose(response);
  signal.throwIfAborted();
  const parsing = parseBody(plain);
  const parsed = parsing instanceof Promise ? await parsing : parsing;
  return { bytes, plain, given: memory.recognise(parsed, plain.length), signal, arrivedAt };
}

/** What a request asks for, and of which upstream. Messages that it only names are put in front of its own. */
async function whatIsAsked(parts: ReadingParts, { request, client, wire, path }: Base, given: Json) {
  const { limits } = parts.config;
  const read = wire.read(given, path);
  checkAsked(read, limits);
  const options = requestOptions(request.headers);
  const upstream = chooseUpstream(parts.upstreams, read.model, wire.dialect.id as DialectName);
  const isForwarded = options.off || parts.config.observe || upstream.isNative;
  const { body, goesOnFrom } = wire.naming
    ? await withPrevious(parts, { client, wire, upstream, headers: request.headers }, given, isForwarded)
    : { body: given, goesOnFrom: undefined };
  if (body === given) return { body, asked: read, options, upstream, goesOnFrom };
  const asked = wire.read(body, path);
  checkAsked(asked, limits);
  return { body, asked, options, upstream, goesOnFrom };
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
  const dialect = readingOf(parts.config, comesAgain ? wire.dialect : withoutMemory(wire.dialect));
  return { asked, at, from, tenant: client.tenant, dialect, session, comesAgain };
}

/** That of a first request is there at once. A transcript that can't be read is no reason to refuse a request. */
function openRecording(
  parts: ReadingParts,
  opening: Opening | undefined,
): Recording | undefined | Promise<Recording | undefined> {
  if (!parts.recorder || !opening) return undefined;
  const notYet = (error: unknown): undefined => {
    parts.log.warn(loggable(error), "a request can't be recorded yet");
  };
  try {
    const opened = parts.recorder.open(opening);
    return opened instanceof Promise ? opened.catch(notYet) : opened;
  } catch (error) {
    return notYet(error);
  }
}
