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
  ofKind,
  oneOf,
  optional,
  text,
  textUpTo,
  wholeNumber,
} from "../../../config/values.ts";
import { defined } from "../../../core/collections.ts";
import type { HostState } from "../../../core/types.ts";
import { checkHostState } from "../../../engine/settings/check.ts";
import { STREAMS_OF_TENANT } from "../../../stores/shared/pages.ts";
import { type StreamOptions, streamStrategies } from "../../../stream/settings.ts";
import { MOST_UNREAD_BYTES } from "../../http/admit.ts";
import { readJson } from "../../http/read-body.ts";
import { RequestFault } from "../../http/request-fault.ts";
import { INERT, sendJson } from "../../http/send-json.ts";
import type { Passing, V1Parts } from "../pass-through.ts";
import { type LiveStream, openLiveStream, type StreamNews } from "./live-stream.ts";

export const STREAMS_PATH = "/v1/streams";

/** Tokens that the caches of one tenant's open streams may hold together: what is in them is remembered here, too. */
const MAX_OPEN_TOKENS = 2 ** 24;

/** Longest request that opens a stream, with system prompt and knowledge, and longest of those that follow (bytes). Each is stored as a line. */
const MAX_OPENING = 1024 * 1024;
const MAX_REQUEST = 256 * 1024;

/** What a stream was told while its store failed; then nothing more is taken until the store answers (characters). */
const MAX_UNSAVED = 4 * 1024 * 1024;

/** Frames that may come at once: a larger number of a few bytes would keep the server busy for minutes. */
const MAX_FRAMES = 10_000;

type StreamParts = Pick<V1Parts, "config" | "now" | "log" | "streams" | "streamLog" | "limitStreams">;

/** Live streams whose cache another program has: it tells what happens, and is told what to keep, drop and feed. */
export async function handleStreams(
  parts: StreamParts,
  { request, response, client }: Pick<Passing, "request" | "response" | "client">,
  pathname: string,
): Promise<number> {
  const [, id = "", what] = /^\/v1\/streams(?:\/([\w-]+))?(?:\/(\w+))?$/.exec(pathname) ?? [];
  const { tenant } = client;
  const { method } = request;
  if (pathname === STREAMS_PATH && method === "POST")
    return sendJson(
      response,
      201,
      await open(
        parts,
        tenant,
        await bodyOf(parts, request, MAX_OPENING, "Shorten system prompt and knowledge."),
      ),
    );
  const stream = await findStream(parts, tenant, id);
  if (!stream) throw noStream();
  stream.usedAt = parts.now();
  if (method === "DELETE" && what === undefined) {
    parts.streams.delete(id);
    await parts.streamLog?.remove(tenant, id);
    return sendJson(response, 200, { id, closed: true });
  }
  if (method === "GET" && what === undefined) {
    await present(parts, id, stream);
    const { awaited, trace } = stream;
    const contents = stream.contents();
    return sendJson(response, 200, { id, status: stream.status(), awaited, contents, trace });
  }
  if (method === "GET" && what === "events") {
    await present(parts, id, stream);
    parts.limitStreams(client, response);
    return watchStream(stream, response);
  }
  if (method !== "POST" || what === undefined || !Object.hasOwn(ACTS, what))
    throw new RequestFault(
      404,
      "not-found",
      `precis: there is nothing at ${method} ${pathname}. A stream has frames, turns, ask, replies, steps, compact and events.`,
    );
  return sendJson(
    response,
    200,
    await carryOn(
      parts,
      id,
      stream,
      what,
      await bodyOf(parts, request, MAX_REQUEST, "Tell it in several requests."),
    ),
  );
}

async function bodyOf(
  { config }: StreamParts,
  request: IncomingMessage,
  most: number,
  fix: string,
): Promise<Json> {
  const { limits } = config;
  return (await readJson(request, limits.bodyBytes < most ? limits : { bodyBytes: most, fix })).body;
}

/** A stream as it is for all servers: what others did is carried out, and what somebody ended or was too old is gone here, too. */
async function present(parts: StreamParts, id: string, stream: LiveStream): Promise<void> {
  // A store that fails ends no stream.
  const isThere = await stream.inTurn(() => catchUp(parts, id, stream).catch(() => true));
  if (!isThere) throw gone(parts, id);
}

function gone({ streams }: StreamParts, id: string): RequestFault {
  streams.delete(id);
  return noStream();
}

function noStream(): RequestFault {
  return new RequestFault(
    404,
    "no-stream",
    `precis: there is no such stream here. Of a client the ${STREAMS_OF_TENANT} newest are kept, as far as their windows have ${MAX_OPEN_TOKENS} tokens together; without a store, or with \`redact\`, a restart of the server ends all. Open a new one with POST /v1/streams, tell it the system prompt, the knowledge and the newest turns again, and do what its answers say with an empty cache.`,
  );
}

/** Does what a host tells, once it is written down: whoever carries out all lines of a stream has it as it is. */
async function carryOn(
  parts: StreamParts,
  id: string,
  stream: LiveStream,
  what: string,
  body: Json,
): Promise<object> {
  const asked = read(what, body);
  const line = JSON.stringify([what, body]);
  return stream.inTurn(async () => {
    for (;;) {
      const fault = faultOf(stream, what, asked);
      if (!fault && (await write(parts, id, stream, line))) return asked.work(stream);
      // Another server may have gone on with it.
      const [lines, isThere] = [stream.lines, await catchUp(parts, id, stream)];
      if (!isThere) throw gone(parts, id);
      if (fault && stream.lines === lines) throw fault;
    }
  });
}

/** Why something can't be done with the stream as it is. */
function faultOf(stream: LiveStream, what: string, { lengths }: HostRequest): RequestFault | undefined {
  const tooLong = stream.tooLong(lengths);
  if (tooLong !== undefined)
    return invalid(
      `\`lengths.${tooLong}\` says ${lengths[tooLong]} tokens, more than these frames can have. ${FRAME_TOKENS}`,
    );
  const isAwaited = stream.awaited !== undefined;
  if (what === "replies" && !isAwaited)
    return new RequestFault(409, "no-reply-awaited", "precis: the stream waits for no reply.");
  if (isAwaited && !["replies", "steps", LATE].includes(what))
    return new RequestFault(
      409,
      "reply-awaited",
      "precis: the stream waits for what the model says. POST its reply first.",
    );
  return undefined;
}

/** False if another server went on with the stream meanwhile. What a failing store doesn't take is written with the next line. */
async function write(
  { streamLog, log }: StreamParts,
  id: string,
  stream: LiveStream,
  line: string,
): Promise<boolean> {
  const { unsaved } = stream;
  const lines = [...unsaved, line];
  try {
    if (streamLog && !(await streamLog.add(stream.tenant, id, stream.lines - unsaved.length, lines)))
      return false;
    unsaved.length = 0;
  } catch (error) {
    if (lines.reduce((sum, one) => sum + one.length, 0) > MAX_UNSAVED) throw error;
    log.warn({ err: error }, "a live stream goes on, but can't be stored");
    unsaved.push(line);
  }
  stream.lines++;
  return true;
}

/** Carries out what other servers wrote. False if the stream is gone, or went on elsewhere while it couldn't be stored from here. */
async function catchUp(
  { streamLog, streams }: StreamParts,
  id: string,
  stream: LiveStream,
): Promise<boolean> {
  const { tenant, unsaved } = stream;
  // One of which nothing could be written down yet isn't missing.
  for (let isThere = streamLog === undefined || unsaved.length === stream.lines; ; ) {
    const lines = (await streamLog?.read(tenant, id, Math.max(0, stream.lines - unsaved.length - 1))) ?? [];
    // The first one is known: that it is there says that the stream is.
    isThere ||= lines.length > 0;
    const news = stream.lines === 0 ? lines : lines.slice(1);
    if (news.length === 0) return isThere;
    for (const line of news)
      if (unsaved[0] === line) unsaved.shift();
      else if (unsaved.length > 0) return !streams.delete(id);
      else await carryOut(stream, line);
  }
}

/** What was refused or failed then, fails again, and nobody is told. */
async function carryOut(stream: LiveStream, line: string): Promise<void> {
  const [what, body] = JSON.parse(line) as [string, Json];
  stream.lines++;
  if (what === OPEN) await stream.begin().catch(() => {});
  else
    await read(what, body)
      .work(stream)
      .catch(() => {});
}

async function findStream(parts: StreamParts, tenant: string, id: string): Promise<LiveStream | undefined> {
  const known = parts.streams.get(id);
  if (known || !parts.streamLog) return known?.tenant === tenant ? known : undefined;
  const [first] = await parts.streamLog.read(tenant, id, 0, 1);
  if (first === undefined) return undefined;
  const [, body] = JSON.parse(first) as [string, Json];
  // Another request may have found it meanwhile, and what comes while it is read waits until all of it is there.
  const other = parts.streams.get(id);
  const stream = other ?? made(parts, tenant, id, body);
  if (!other) remember(parts, id, stream);
  try {
    await stream.inTurn(() => catchUp(parts, id, stream));
  } catch (error) {
    parts.streams.delete(id);
    throw error;
  }
  return stream;
}

/** A stream as it is opened, with nothing done yet. */
function made(parts: StreamParts, tenant: string, id: string, body: Json): LiveStream {
  const stream = openLiveStream({
    ...streamOptions(body),
    tenant,
    at: parts.now(),
    onLate(awaited) {
      if (parts.streams.get(id) !== stream) return;
      carryOn(parts, id, stream, LATE, { awaited }).catch((error: unknown) =>
        parts.log.warn({ err: error }, "a live stream waits for a model that took too long"),
      );
    },
  });
  return stream;
}

function remember({ streams }: StreamParts, id: string, stream: LiveStream): void {
  const own = [...streams]
    .filter(([, one]) => one.tenant === stream.tenant)
    .sort(([, a], [, b]) => a.usedAt - b.usedAt);
  let tokens = own.reduce((sum, [, one]) => sum + one.status().window, stream.status().window);
  for (const [at, [oldest, one]] of own.entries()) {
    if (own.length - at < STREAMS_OF_TENANT && tokens <= MAX_OPEN_TOKENS) break;
    tokens -= one.status().window;
    streams.delete(oldest);
  }
  streams.set(id, stream);
}

async function open(parts: StreamParts, tenant: string, body: Json): Promise<object> {
  const id = randomUUID();
  const stream = made(parts, tenant, id, body);
  const begun = await stream.begin();
  await write(parts, id, stream, JSON.stringify([OPEN, body]));
  remember(parts, id, stream);
  return { id, ...begun };
}

/** Lines that no host sends: the first one, and that the host's model took too long. */
const OPEN = "open";
const LATE = "late";

const FRAME_TOKENS =
  "A frame takes `tokensPerFrame` tokens, as the stream was opened with: give the largest there, and tell by `length` how full the cache really is";

type Fields = Readonly<Record<string, z.ZodType>>;

const tokens = wholeNumber("number of tokens", 0);
const anyText = textUpTo("text");
/** The host's own list of steps; left out: none any more. */
const steps = z.custom<HostState>(() => true);
/** What may be told with everything: tokens of items by their ids, and of the whole cache. */
const MEASURED = optional({ lengths: mapOf(anyNumber, '{ "i3": 12 }'), length: tokens });

/** What a host tells, checked as far as it can be by itself. */
interface HostRequest {
  readonly lengths: Readonly<Record<string, number>>;
  work(stream: LiveStream): Promise<object>;
}

/** Something that a host tells. `hint` is added where its fields can't be. */
function act<const F extends Fields>(
  fields: F,
  carryOut: (stream: LiveStream, given: z.output<z.ZodObject<F>>) => Promise<object>,
  hint = "",
): (body: Json) => HostRequest {
  const schema = object({ ...MEASURED, ...fields });
  return (body) => {
    const {
      lengths = {},
      length,
      ...given
    } = checked(schema, body, hint) as z.output<z.ZodObject<typeof MEASURED>>;
    return {
      lengths,
      work(stream) {
        stream.measured(lengths, length);
        return carryOut(stream, given as z.output<z.ZodObject<F>>);
      },
    };
  };
}

const turn = { text: anyText, ...optional({ time: anyNumber, tokens }) };

/** What a host may tell, by the last part of the path. */
const ACTS: Readonly<Record<string, (body: Json) => HostRequest>> = {
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
  steps: act(optional({ steps }), async (stream, given) => {
    checkHostState(given.steps, "steps");
    return stream.setSteps(given.steps);
  }),
  compact: act({}, (stream) => stream.compact()),
};

function read(what: string, body: Json): HostRequest {
  if (what !== LATE) return ACTS[what]!(body);
  const giveUp = async (stream: LiveStream) => {
    await stream.giveUp(String(body["awaited"]));
    return {};
  };
  return { lengths: {}, work: giveUp };
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
  const send = (news: StreamNews): void => {
    if (response.destroyed) return;
    response.write(
      `event: ${news.type}\ndata: ${JSON.stringify(news.type === "said" ? news.said : news.managed)}\n\n`,
    );
    if (response.writableLength > MOST_UNREAD_BYTES) response.destroy();
  };
  for (const managed of stream.trace) send({ type: "managed", managed });
  response.on("close", stream.watch(send));
  // The headers must not wait for the first of it.
  response.flushHeaders();
  return 200;
}

const OPTIONS = object({
  window: ofKind<number>({ is: "number", what: "number of tokens", least: 1, most: MAX_OPEN_TOKENS }),
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
