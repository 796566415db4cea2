import type { Api, ApiAnswer, AskedRequest, Asking, AskSettings } from "../../apis/shared/api.ts";
import { errorIn } from "../../apis/shared/events.ts";
import { type Json as Body, isJson, type Json } from "../../apis/shared/fields.ts";
import { refusesTemperature } from "../../apis/shared/model-traits.ts";
import { defined } from "../../core/collections.ts";
import { ConfigError, ModelError, TranscriptError } from "../../core/errors.ts";
import { isRecord, stringifyDeep } from "../../core/json.ts";
import type { Model, ModelReply, ModelRequest, Part } from "../../core/types.ts";
import { modelInfo } from "../../tokens/model-info.ts";
import { failureInside } from "./failure.ts";
import {
  type Answer,
  badAnswer,
  createEndpoint,
  type Endpoint,
  type EndpointOptions,
  type Fetch,
  post,
} from "./http.ts";
import { createRetry, type RetryOptions } from "./retry.ts";
import { servedWindow } from "./served-window.ts";

/** What every model over HTTP takes. */
export interface HttpModelOptions {
  /** Needed everywhere but on this machine and in its own network. */
  readonly apiKey?: string | undefined;
  readonly model: string;
  /** Sent with every request. One that carries a key replaces `apiKey`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the one that the request asks for. Left out where the model refuses it. */
  readonly temperature?: number;
  readonly fetch?: Fetch;
  readonly retry?: RetryOptions;
  /** The model's context size. Left out: the registry's, or else what the server tells in its list of models. */
  readonly window?: number;
}

/** How an API is reached. */
interface HttpApi extends Pick<EndpointOptions, "name" | "baseURL" | "path" | "keyHeaders"> {
  readonly api: Asking;
  /** How the path ends behind which the list of models stands. Default: all of it. */
  readonly pathEnd?: string;
}

/** A `Model` that speaks one API over HTTP. Its key lives in a closure: printing the model doesn't show it. */
export function createHttpModel(options: HttpModelOptions, { api, pathEnd, ...reached }: HttpApi): Model {
  const { model, window, temperature, retry, apiKey, headers, fetch } = options;
  const endpoint = createEndpoint({ ...reached, model, apiKey, headers, fetch });
  checkWindow(window);
  const info = modelInfo(model);
  const run = createRetry(retry);
  /** What this provider didn't take, learned once and left out from then on. */
  const refused = new Set<string>();

  const settingsOf = (request: ModelRequest): AskSettings => {
    const wanted = temperature ?? request.temperature;
    const isLeftOut = refusesTemperature(model) || refused.has("temperature");
    return { model, window: window ?? info.window, temperature: isLeftOut ? undefined : wanted };
  };

  return {
    id: model,
    ...(window === undefined ? {} : { window }),
    continues: api.api.dialect.id,
    findWindow: (signal) => servedWindow(endpoint, pathEnd ?? reached.path, signal),
    async complete(request) {
      const given = request.continues;
      const wire = write(api, endpoint, request, settingsOf(request));
      // What came with the conversation's own request is never changed.
      const own = new Set(isRecord(given) ? Object.keys(given) : []);
      const to = { ...endpoint, headers: joined(endpoint.headers, wire.headers ?? {}) };
      const done = new Set<string>();
      let { body } = wire;
      return run(model, request.signal, async ({ signal }) => {
        for (;;) {
          try {
            return readAnswer(api, endpoint, await post(to, stringifyDeep(body), signal));
          } catch (error) {
            const next =
              error instanceof ModelError
                ? adaptBody(body, error, { done, own, cap: request.cap })
                : undefined;
            if (next === undefined) throw error;
            if (done.has("temperature")) refused.add("temperature");
            body = next;
          }
        }
      });
    },
  };
}

/** A header that both have is a list: `anthropic-beta` keeps the model's own switches. */
function joined(
  own: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>>,
): Record<string, string> {
  const all = { ...own };
  for (const [name, value] of Object.entries(more)) {
    const before = all[name];
    const parts = [...(before === undefined ? [] : before.split(",")), ...value.split(",")].map((part) =>
      part.trim(),
    );
    all[name] = [...new Set(parts)].join(",");
  }
  return all;
}

function write(api: Asking, endpoint: Endpoint, request: ModelRequest, settings: AskSettings): AskedRequest {
  if (request.continues === undefined) return api.ask(request, settings);
  const wire = isRecord(request.continues) ? api.extend(request.continues, request, settings) : undefined;
  if (wire !== undefined) return wire;
  throw new ModelError({
    model: endpoint.model,
    failure: "bad-request",
    message: `\`continues\` is not a request of ${api.api.dialect.id}.`,
    fix: "Give the conversation's last request body, or leave `continues` out.",
  });
}

function readAnswer({ api }: Asking, { model, secrets }: Endpoint, answer: Answer): ModelReply {
  const json = answer.type === "json" ? answer.json : assembled(api, answer.events);
  const inside = failureInside(json, { model, secrets, now: Date.now() });
  if (inside !== undefined) throw inside;
  const reply = isJson(json) ? replyOf(api, api.readAnswer(json)) : undefined;
  if (reply === undefined) throw badAnswer(model, "it has no message");
  return reply;
}

/** The answer that a stream adds up to, or the error that it ended in. Undefined: it was cut on the way. */
function assembled(api: Api, events: readonly Json[]): Json | undefined {
  for (const event of events) {
    const failed = errorIn(event);
    if (failed !== undefined) return failed;
  }
  return events.some((event) => api.readEvent(event)?.isEnd) ? api.assemble(events) : undefined;
}

/** Undefined for what isn't an answer of the API. */
function replyOf({ dialect }: Api, answer: ApiAnswer): ModelReply | undefined {
  if (answer.isUnfinished) return undefined;
  let parts: readonly Part[];
  try {
    parts = answer.messages.flatMap((message) => dialect.read(message).parts);
  } catch (error) {
    if (TranscriptError.isInstance(error)) return undefined;
    throw error;
  }
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const hasCall = parts.some((part) => part.type === "tool-call");
  return {
    text: withoutThoughts(text),
    stop: hasCall ? "tool-call" : (answer.stop ?? "end"),
    usage: answer.usage ?? { input: 0 },
    ...defined({ model: answer.model || undefined }),
  };
}

/** Servers without a reasoning parser leave the model's thoughts in front of its answer. Unclosed: there is no answer. */
function withoutThoughts(text: string): string {
  return text.replace(/^\s*<think(?:ing)?>(?:[\s\S]*?<\/think(?:ing)?>\s*|[\s\S]*$)/i, "");
}

function checkWindow(window: number | undefined): void {
  if (window === undefined || (Number.isInteger(window) && window > 0)) return;
  throw new ConfigError({
    option: "window",
    message: `${String(window)} is not a number of tokens.`,
    fix: "Leave it out to look it up by the model's name.",
  });
}

/** Fields that a summary can do without. */
const OPTIONAL = ["temperature", "metadata", "store"] as const;
/** The names of the answer's cap. */
const CAPS = ["max_tokens", "max_completion_tokens", "max_output_tokens"] as const;
const REFUSED =
  /unsupported|unknown|unrecogni[sz]ed|unexpected|not supported|does ?n[o']t support|not permitted|not allowed|deprecated|only the default|may only be set|not one of|extra/i;

/** What is known about a request beside its body. */
interface AdaptContext {
  /** What was changed before: each change is made once. */
  readonly done: Set<string>;
  /** Fields that came with the conversation's own request: they stay. */
  readonly own: ReadonlySet<string>;
  /** The answer's cap as it was asked for, without the room to think. */
  readonly cap: number;
}

/** The body that a provider which refused this one is likely to take, or undefined. */
function adaptBody(body: Body, error: ModelError, context: AdaptContext): Body | undefined {
  const { done, own } = context;
  const once = (change: string): boolean => {
    if (done.has(change)) return false;
    done.add(change);
    return true;
  };
  if (error.failure === "too-long") {
    // Servers that add the cap to the input: without the room to think it may fit.
    const name = CAPS.find((field) => Number(body[field]) > context.cap);
    return name !== undefined && body["thinking"] === undefined && once("room")
      ? { ...body, [name]: context.cap }
      : undefined;
  }
  if (error.failure !== "bad-request") return undefined;
  const text = error.message;
  for (const field of OPTIONAL)
    if (field in body && !own.has(field) && names(text, field) && REFUSED.test(text) && once(field))
      return without(body, field);
  if (
    body["stream"] === false &&
    /stream/i.test(text) &&
    /must be (?:set to )?true|only support/i.test(text) &&
    once("stream")
  )
    return { ...body, stream: true };
  for (const cap of CAPS) {
    const value = body[cap];
    if (typeof value !== "number" || !/max_|tokens/.test(text)) continue;
    const most = mostOf(text);
    if (most !== undefined && most < value && once("cap")) return { ...body, [cap]: most };
    const other =
      cap === "max_tokens"
        ? "max_completion_tokens"
        : cap === "max_completion_tokens"
          ? "max_tokens"
          : undefined;
    if (other !== undefined && names(text, cap) && REFUSED.test(text) && once("cap-name"))
      return renamed(body, cap, other);
  }
  return undefined;
}

/** The field's name as a word, not as a part of another one (`max_tokens` in `max_tokens_to_sample`). */
const names = (text: string, field: string): boolean =>
  new RegExp(`(?<![\\w])${field}(?![\\w])`, "i").test(text);

/** The largest cap that a provider said it takes. */
function mostOf(text: string): number | undefined {
  const said =
    /supports at most (\d+) completion tokens/i.exec(text) ??
    />\s*(\d+), which is the maximum allowed number of output tokens/i.exec(text) ??
    /max\w{0,30}tokens\W{1,5}must be (?:less than or equal to|<=)\s*`?(\d+)/i.exec(text) ??
    /exceeds the model limit of (\d+)/i.exec(text);
  const most = Number(said?.[1]);
  return Number.isFinite(most) && most > 0 ? most : undefined;
}

function without(body: Body, field: string): Body {
  const { [field]: _, ...rest } = body;
  return rest;
}

/** The same field under another name, in the same place. */
function renamed(body: Body, from: string, to: string): Body {
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [key === from ? to : key, value]));
}
