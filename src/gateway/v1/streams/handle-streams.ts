import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isJson, type Json, numberOf, textOf } from "../../../apis/shared/fields.ts";
import { firstCharacters } from "../../../core/first-characters.ts";
import { nearest } from "../../../core/nearest.ts";
import type { HostState } from "../../../core/types.ts";
import { checkHostState } from "../../../engine/settings/check.ts";
import type { StreamOptions } from "../../../stream/settings.ts";
import { streamStrategies } from "../../../stream/strategies.ts";
import type { StreamRole } from "../../../stream/types.ts";
import { charsCounter } from "../../../tokens/index.ts";
import { MOST_UNREAD_BYTES } from "../../http/admit.ts";
import { decodeBody, parseBody, readBody } from "../../http/read-body.ts";
import { RequestFault } from "../../http/request-fault.ts";
import { INERT, sendJson } from "../../http/send-json.ts";
import type { Passing } from "../pass-through.ts";
import type { V1Parts } from "../v1-parts.ts";
import { hostCache } from "./host-cache.ts";
import { type LiveStream, openLiveStream, type StreamNews } from "./live-stream.ts";

export const STREAMS_PATH = "/v1/streams";

/** Streams of one tenant that are open at once; the one that was used last longest ago gives way. */
const MAX_OPEN = 64;

/** Frames that may come at once: a larger number of a few bytes would keep the server busy for minutes. */
const MAX_FRAMES = 10_000;

const ROLES: readonly StreamRole[] = ["system", "user", "assistant", "caption"];

type StreamParts = Pick<V1Parts, "config" | "now" | "streams" | "limitStreams">;

/** Live streams whose cache another program has: it tells what happens, and is told what to keep, drop and feed. */
export async function handleStreams(
  parts: StreamParts,
  { request, response, client }: Pick<Passing, "request" | "response" | "client">,
  pathname: string,
): Promise<number> {
  const [, id, what] = /^\/v1\/streams(?:\/([\w-]+))?(?:\/(\w+))?$/.exec(pathname) ?? [];
  const { method } = request;
  if (pathname === STREAMS_PATH && method === "POST") {
    const opened = await open(parts, client.tenant, await bodyOf(parts, request));
    return send(response, 201, opened);
  }
  const stream = id === undefined ? undefined : parts.streams.get(id);
  if (!stream || stream.tenant !== client.tenant)
    throw new RequestFault(
      404,
      "no-stream",
      `precis: there is no such stream here. A restart of the server ends all streams, and of a client the ${MAX_OPEN} newest are kept. Open a new one with POST /v1/streams, tell it the system prompt, the knowledge and the newest turns again, and do what its answers say with an empty cache.`,
    );
  stream.usedAt = parts.now();
  if (method === "DELETE" && what === undefined) {
    parts.streams.delete(id!);
    return send(response, 200, { id, closed: true });
  }
  if (method === "GET" && what === undefined)
    return send(response, 200, { id, status: stream.status(), trace: stream.trace });
  if (method === "GET" && what === "events") {
    parts.limitStreams(client, response);
    return watchStream(stream, response);
  }
  const act = method === "POST" && what !== undefined && Object.hasOwn(ACTS, what) ? ACTS[what] : undefined;
  if (!act)
    throw new RequestFault(
      404,
      "not-found",
      `precis: there is nothing at ${method} ${pathname}. A stream has frames, turns, ask, replies, steps, compact and events.`,
    );
  const body = await bodyOf(parts, request);
  const more = what === "frames" ? ` ${FRAME_TOKENS}` : "";
  refuseUnknown(body, [...FIELDS[what!]!, "lengths", "length"], more);
  const lengths = lengthsOf(body["lengths"]);
  const tooLong = stream.measured(lengths, wholeNumber(body, "length"));
  if (tooLong !== undefined)
    throw invalid(
      `\`lengths.${tooLong}\` says ${lengths[tooLong]} tokens, more than these frames can have. ${FRAME_TOKENS}`,
    );
  return send(response, 200, await act(stream, body));
}

const FRAME_TOKENS =
  "A frame takes `tokensPerFrame` tokens, as the stream was opened with: give the largest there, and tell by `length` how full the cache really is";

/** The fields of what a host may tell, by the last part of the path. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  frames: ["count", "time"],
  turns: ["role", "text", "time", "tokens"],
  ask: ["text", "time", "tokens"],
  replies: ["text", "tokens", "stop"],
  steps: ["steps"],
  compact: [],
};

/** What a host may tell, by the last part of the path. */
const ACTS: Readonly<Record<string, (stream: LiveStream, body: Json) => Promise<object>>> = {
  frames: (stream, body) =>
    stream.push({ type: "frames", count: framesIn(body), ...numbers(body, ["time"]) }, undefined),
  async steps(stream, body) {
    return stream.setSteps(stepsIn(body));
  },
  turns(stream, body) {
    const role = ROLES.find((one) => one === body["role"]);
    if (!role) throw invalid(`\`role\` must be one of ${ROLES.join(", ")}`);
    return stream.push(
      { type: "turn", role, text: textIn(body), ...numbers(body, ["time"]) },
      wholeNumber(body, "tokens"),
    );
  },
  ask: (stream, body) =>
    stream.push(
      { type: "turn", role: "user", text: textIn(body), ...numbers(body, ["time"]) },
      wholeNumber(body, "tokens"),
    ),
  replies: (stream, body) =>
    stream.reply({
      ...texts(body, ["text"]),
      tokens: wholeNumber(body, "tokens"),
      stop: oneOf(body, "stop", ["end", "length"]) ?? "end",
    }),
  compact: (stream) => stream.compact(),
};

async function open({ streams, now }: StreamParts, tenant: string, body: Json): Promise<object> {
  const id = randomUUID();
  const summaries = oneOf(body, "summaries", ["host", "code"]) ?? "code";
  const cache = hostCache(charsCounter(), { summaries });
  const stream = openLiveStream({ ...streamOptions(body), cache, tenant, at: now() });
  const own = [...streams]
    .filter(([, one]) => one.tenant === tenant)
    .sort(([, a], [, b]) => a.usedAt - b.usedAt);
  for (const [oldest] of own.slice(0, Math.max(0, own.length - MAX_OPEN + 1))) streams.delete(oldest);
  streams.set(id, stream);
  return { id, ...(await stream.begin()) };
}

function send(response: ServerResponse, status: number, body: object): number {
  sendJson(response, status, body);
  return status;
}

async function bodyOf(parts: StreamParts, request: IncomingMessage): Promise<Json> {
  const { limits } = parts.config;
  const bytes = await readBody(request, limits.bodyBytes);
  return bytes.length === 0
    ? {}
    : parseBody(await decodeBody(bytes, request.headers["content-encoding"], limits.bodyBytes));
}

function invalid(what: string): RequestFault {
  return new RequestFault(400, "invalid", `precis: ${what}.`);
}

function textIn(body: Json): string {
  const text = textOf(body["text"]);
  if (text === undefined) throw invalid("`text` is missing");
  return text;
}

function wholeNumber(body: Json, name: string): number | undefined {
  const value = numberOf(body[name]);
  if (body[name] === undefined) return undefined;
  if (value === undefined || !Number.isInteger(value) || value < 0)
    throw invalid(`\`${name}\` must be a whole number`);
  return value;
}

function framesIn(body: Json): number {
  const count = wholeNumber(body, "count") ?? 1;
  if (count > MAX_FRAMES)
    throw invalid(`\`count\` is ${count}, more than ${MAX_FRAMES}: send frames as they come`);
  return count;
}

function lengthsOf(value: unknown): Record<string, number> {
  if (value === undefined) return {};
  if (!isJson(value) || Object.values(value).some((tokens) => numberOf(tokens) === undefined))
    throw invalid('`lengths` must be the tokens of items by their ids, such as { "i3": 12 }');
  return value as Record<string, number>;
}

/** A field that nobody reads would be a setting that doesn't hold. */
function refuseUnknown(body: Json, known: readonly string[], more = ""): void {
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const near = nearest(unknown, known);
  const hint = near === undefined ? `It knows ${known.join(", ")}` : `Did you mean \`${near}\`?`;
  throw invalid(
    `\`${firstCharacters(unknown, MAX_NAME)}\` is no field of this request. ${hint}${more && `.${more}`}`,
  );
}

function oneOf<T extends string>(body: Json, name: string, values: readonly T[]): T | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  const found = values.find((one) => one === value);
  if (found === undefined) throw invalid(`\`${name}\` must be one of ${values.join(", ")}`);
  return found;
}

/** The host's own list of steps; `null` for none any more. */
function stepsIn(body: Json): HostState | undefined {
  const steps = body["steps"] ?? undefined;
  checkHostState(steps, "steps");
  return steps as HostState | undefined;
}

/** Tells everything that was done to a stream's cache, and goes on as it happens. */
function watchStream(stream: LiveStream, response: ServerResponse): number {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache", ...INERT });
  const tell = (news: StreamNews): void => {
    if (response.destroyed) return;
    response.write(
      `event: ${news.type}\ndata: ${JSON.stringify(news.type === "said" ? news.said : news.managed)}\n\n`,
    );
    if (response.writableLength > MOST_UNREAD_BYTES) response.destroy();
  };
  for (const managed of stream.trace) tell({ type: "managed", managed });
  response.on("close", stream.watch(tell));
  // The headers must not wait for the first of it.
  response.flushHeaders();
  return 200;
}

const NUMBERS = [
  "reserve",
  "tokensPerFrame",
  "separator",
  "fps",
  "summaryCap",
  "deadlineMs",
  "tail",
  "keepSeconds",
] as const;
const TEXTS = ["systemPrompt", "knowledge", "knowledgeMarker"] as const;
/** Longer names are cut in errors (characters). */
const MAX_NAME = 60;
const SPEAK = ["silence", "cap", "temperature", "everySeconds"] as const;

/** The options of a session as a host gives them. What is wrong with their values, the session itself says. */
function streamOptions(body: Json): Omit<StreamOptions, "cache"> {
  const window = numberOf(body["window"]);
  if (window === undefined)
    throw new RequestFault(400, "invalid", "precis: `window` is missing: the tokens that the cache holds.");
  refuseUnknown(body, ["window", "strategy", ...NUMBERS, ...TEXTS, "speak", "summaries", "query", "steps"]);
  const strategy = oneOf(body, "strategy", streamStrategies);
  const speak = body["speak"] ?? false;
  if (speak !== false && !isJson(speak))
    throw invalid(`\`speak\` must be false, or what of it differs from the default: { ${SPEAK.join(", ")} }`);
  if (speak) refuseUnknown(speak, SPEAK);
  const steps = stepsIn(body);
  if (steps !== undefined && strategy !== "state")
    throw invalid('`steps` are shown by one strategy alone: give `strategy: "state"`, too');
  return {
    window,
    ...(strategy !== undefined && { strategy }),
    ...numbers(body, NUMBERS),
    ...texts(body, TEXTS),
    ...queryIn(body),
    ...(steps !== undefined && { steps }),
    // A host whose model speaks says how.
    speak: speak && numbers(speak, SPEAK),
  };
}

/** How the host's model is asked for a summary. */
function queryIn(body: Json): Pick<StreamOptions, "query"> {
  const query = body["query"] ?? undefined;
  if (query === undefined) return {};
  const role = isJson(query) ? oneOf(query, "role", ["user", "system"]) : undefined;
  const text = isJson(query) ? textOf(query["text"]) : undefined;
  if (!role || !text || !isJson(query))
    throw invalid(
      '`query` must be a turn, such as { "role": "user", "text": "Sum up what was done so far." }',
    );
  refuseUnknown(query, ["role", "text"]);
  if (body["summaries"] !== "host")
    throw invalid("`query` is for the host's own model, which isn't asked: give `summaries: \"host\"`, too");
  return { query: { role, text } };
}

function numbers(body: Json, names: readonly string[]): Record<string, number> {
  return given(body, names, numberOf, "number");
}

function texts(body: Json, names: readonly string[]): Record<string, string> {
  return given(body, names, textOf, "text");
}

function given<T>(
  body: Json,
  names: readonly string[],
  read: (value: unknown) => T | undefined,
  kind: string,
): Record<string, T> {
  return Object.fromEntries(
    names.flatMap((name) => {
      // Clients of some languages write null for what they leave out.
      if (body[name] === undefined || body[name] === null) return [];
      const value = read(body[name]);
      if (value === undefined) throw invalid(`\`${name}\` must be a ${kind}`);
      return [[name, value] as const];
    }),
  );
}
