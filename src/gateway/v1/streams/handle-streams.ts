import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { type Json, numberOf } from "../../../apis/shared/fields.ts";
import { explainIssue } from "../../../config/explain-issue.ts";
import {
  anyNumber,
  anyOf,
  mapOf,
  object,
  oneOf,
  text,
  textUpTo,
  wholeNumber,
} from "../../../config/values.ts";
import { defined } from "../../../core/defined.ts";
import type { HostState } from "../../../core/types.ts";
import { checkHostState } from "../../../engine/settings/check.ts";
import type { StreamOptions } from "../../../stream/settings.ts";
import { streamStrategies } from "../../../stream/strategies.ts";
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
  return send(response, 200, await act(stream, await bodyOf(parts, request)));
}

const FRAME_TOKENS =
  "A frame takes `tokensPerFrame` tokens, as the stream was opened with: give the largest there, and tell by `length` how full the cache really is";

type Fields = Readonly<Record<string, z.ZodType>>;
const optional = <F extends Fields>(fields: F) =>
  Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, type.optional()])) as {
    [K in keyof F]: z.ZodOptional<F[K]>;
  };

const tokens = wholeNumber("number of tokens", 0);
const anyText = textUpTo("text");
/** The host's own list of steps; left out: none any more. */
const steps = z.custom<HostState>(() => true);
/** What may be told with everything: tokens of items by their ids, and of the whole cache. */
const MEASURED = optional({ lengths: mapOf(anyNumber, '{ "i3": 12 }'), length: tokens });

/** Something that a host tells. `hint` is added where its fields can't be. */
function act<const F extends Fields>(
  fields: F,
  tell: (stream: LiveStream, told: z.output<z.ZodObject<F>>) => Promise<object>,
  hint = "",
) {
  const schema = object({ ...MEASURED, ...fields });
  return (stream: LiveStream, body: Json): Promise<object> => {
    const {
      lengths = {},
      length,
      ...told
    } = checked(schema, body, hint) as z.output<z.ZodObject<typeof MEASURED>>;
    const tooLong = stream.measured(lengths, length);
    if (tooLong !== undefined)
      throw invalid(
        `\`lengths.${tooLong}\` says ${lengths[tooLong]} tokens, more than these frames can have. ${FRAME_TOKENS}`,
      );
    return tell(stream, told as z.output<z.ZodObject<F>>);
  };
}

const turn = { text: anyText, ...optional({ time: anyNumber, tokens }) };

/** What a host may tell, by the last part of the path. */
const ACTS: Readonly<Record<string, ReturnType<typeof act>>> = {
  frames: act(
    optional({ count: wholeNumber("number of frames", 0, MAX_FRAMES), time: anyNumber }),
    (stream, { count = 1, time }) => stream.push({ type: "frames", count, ...defined({ time }) }, undefined),
    `Best send frames as they come. ${FRAME_TOKENS}`,
  ),
  turns: act(
    { role: oneOf("role", ["system", "user", "assistant", "caption"]), ...turn },
    (stream, { role, text, time, tokens }) =>
      stream.push({ type: "turn", role, text, ...defined({ time }) }, tokens),
  ),
  ask: act(turn, (stream, { text, time, tokens }) =>
    stream.push({ type: "turn", role: "user", text, ...defined({ time }) }, tokens),
  ),
  replies: act(
    optional({ text: anyText, tokens, stop: oneOf("end of a reply", ["end", "length"]) }),
    (stream, { text, tokens, stop = "end" }) => stream.reply({ ...defined({ text }), tokens, stop }),
  ),
  steps: act(optional({ steps }), async (stream, told) => {
    checkHostState(told.steps, "steps");
    return stream.setSteps(told.steps);
  }),
  compact: act({}, (stream) => stream.compact()),
};

async function open({ streams, now }: StreamParts, tenant: string, body: Json): Promise<object> {
  const id = randomUUID();
  const { summaries, ...options } = streamOptions(body);
  const cache = hostCache(charsCounter(), { summaries });
  const stream = openLiveStream({ ...options, cache, tenant, at: now() });
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

/** A body as its schema has it. Clients of some languages write null for what they leave out. */
function checked<T extends z.ZodType>(schema: T, body: Json, hint = ""): z.output<T> {
  const given = Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      value === null ? [] : [[name, numberOf(value) ?? value] as const],
    ),
  );
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const { key, problem, fix } = explainIssue(parsed.error.issues, given);
  throw invalid(`\`${key}\`: ${problem}. ${fix.replace(/\.$/, "")}${hint && `. ${hint}`}`);
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

const OPTIONS = object({
  window: anyNumber,
  ...optional({
    strategy: oneOf("strategy of streams", streamStrategies),
    ...{ reserve: anyNumber, tokensPerFrame: anyNumber, separator: anyNumber, fps: anyNumber },
    ...{ summaryCap: anyNumber, deadlineMs: anyNumber, tail: anyNumber, keepSeconds: anyNumber },
    ...{ systemPrompt: anyText, knowledge: anyText, knowledgeMarker: anyText },
    // A host whose model speaks says how.
    speak: anyOf(
      [
        z.literal(false),
        object(
          optional({ silence: anyNumber, cap: anyNumber, temperature: anyNumber, everySeconds: anyNumber }),
        ),
      ],
      {
        problem: "is neither false nor options",
        fix: "Give false, or { silence, cap, temperature, everySeconds }.",
      },
    ),
    summaries: oneOf("writer of summaries", ["host", "code"]),
    query: object({ role: oneOf("role", ["user", "system"]), text: text("text", "Give a question.") }),
    steps,
  }),
});

/** The options of a session as a host gives them. What is wrong with their values, the session itself says. */
function streamOptions(body: Json) {
  const { summaries = "code", speak = false, ...options } = checked(OPTIONS, body);
  checkHostState(options.steps, "steps");
  if (options.steps !== undefined && options.strategy !== "state")
    throw invalid('`steps` are shown by one strategy alone: give `strategy: "state"`, too');
  if (options.query !== undefined && summaries !== "host")
    throw invalid("`query` is for the host's own model, which isn't asked: give `summaries: \"host\"`, too");
  const { window } = options;
  return {
    ...(defined(options) as Omit<StreamOptions, "cache">),
    window,
    speak: speak && defined(speak),
    summaries,
  };
}
