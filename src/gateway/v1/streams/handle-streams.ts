import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { StreamOptions } from "../../../stream/settings.ts";
import { streamStrategies } from "../../../stream/strategies.ts";
import type { StreamRole } from "../../../stream/types.ts";
import { charsCounter } from "../../../tokens/index.ts";
import { INERT } from "../../http/headers.ts";
import { isJson, type Json, numberOf, textOf } from "../../http/json.ts";
import { decodeBody, parseBody, readBody } from "../../http/read-body.ts";
import { RequestFault } from "../../http/request-fault.ts";
import { sendJson } from "../../http/send-json.ts";
import { MOST_UNREAD_BYTES } from "../../http/stream-limit.ts";
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
      "precis: there is no such stream here. Open one with POST /v1/streams.",
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
      `precis: there is nothing at ${method} ${pathname}. A stream has frames, turns, ask, replies, compact and events.`,
    );
  const body = await bodyOf(parts, request);
  stream.measured(lengthsOf(body["lengths"]), numberOf(body["length"]));
  return send(response, 200, await act(stream, body));
}

/** What a host may tell, by the last part of the path. */
const ACTS: Readonly<Record<string, (stream: LiveStream, body: Json) => Promise<object>>> = {
  frames: (stream, body) =>
    stream.push({ type: "frames", count: framesIn(body), ...timeOf(body) }, undefined),
  turns(stream, body) {
    const role = ROLES.find((one) => one === body["role"]);
    if (!role) throw invalid(`\`role\` must be one of ${ROLES.join(", ")}`);
    return stream.push(
      { type: "turn", role, text: textIn(body), ...timeOf(body) },
      wholeNumber(body, "tokens"),
    );
  },
  ask: (stream, body) =>
    stream.push(
      { type: "turn", role: "user", text: textIn(body), ...timeOf(body) },
      wholeNumber(body, "tokens"),
    ),
  replies: (stream, body) =>
    stream.reply({
      text: textOf(body["text"]),
      tokens: wholeNumber(body, "tokens"),
      stop: body["stop"] === "length" ? "length" : "end",
    }),
  compact: (stream) => stream.compact(),
};

async function open({ streams, now }: StreamParts, tenant: string, body: Json): Promise<object> {
  const id = randomUUID();
  const cache = hostCache(charsCounter(), { summaries: body["summaries"] === "host" ? "host" : "code" });
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
    : parseBody(await decodeBody(bytes, request.headers["content-encoding"], limits.bodyBytes), limits);
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

function timeOf(body: Json): { readonly time?: number } {
  const time = numberOf(body["time"]);
  return time === undefined ? {} : { time };
}

function lengthsOf(value: unknown): Record<string, number> {
  if (!isJson(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([id, tokens]) => {
      const number = numberOf(tokens);
      return number === undefined ? [] : [[id, number] as const];
    }),
  );
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
const SPEAK = ["silence", "cap", "temperature", "everySeconds"] as const;

/** The options of a session as a host gives them. What is wrong with their values, the session itself says. */
function streamOptions(body: Json): Omit<StreamOptions, "cache"> {
  const window = numberOf(body["window"]);
  if (window === undefined)
    throw new RequestFault(400, "invalid", "precis: `window` is missing: the tokens that the cache holds.");
  const strategy = body["strategy"];
  if (strategy !== undefined && !streamStrategies.includes(strategy as never))
    throw new RequestFault(
      400,
      "invalid",
      `precis: \`strategy\` must be one of ${streamStrategies.join(", ")}.`,
    );
  return {
    window,
    ...(strategy !== undefined && { strategy: strategy as NonNullable<StreamOptions["strategy"]> }),
    ...numbers(body, NUMBERS),
    ...Object.fromEntries(
      TEXTS.flatMap((name) => {
        const text = textOf(body[name]);
        return text === undefined ? [] : [[name, text]];
      }),
    ),
    // A host whose model speaks says how.
    speak: isJson(body["speak"]) ? numbers(body["speak"], SPEAK) : false,
  };
}

function numbers(body: Json, names: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = numberOf(body[name]);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
