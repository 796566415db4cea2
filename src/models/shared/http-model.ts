import type { Api, ApiAnswer, AskedRequest, Asking, AskSettings } from "../../apis/shared/api.ts";
import { errorIn } from "../../apis/shared/events.ts";
import { isJson, type Json, obj } from "../../apis/shared/fields.ts";
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
  type HttpModelOptions,
  post,
} from "./http.ts";
import { createRetry } from "./retry.ts";
import { servedWindow } from "./served-window.ts";

/**
 * A `Model` that speaks one API over HTTP. Its key lives in a closure: printing the model doesn't show it. `access`: the key and the
 * headers of each request, where they aren't always the same.
 */
export function createHttpModel(
  name: string,
  options: HttpModelOptions,
  asking: Asking,
  access?: () => Pick<HttpModelOptions, "apiKey" | "headers">,
): Model {
  const { model, window, temperature, retry } = options;
  const { api } = asking;
  const { settings: place } = api.fields;
  const reach = () => createEndpoint(name, { ...options, ...access?.() }, api);
  const always = reach();
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
    continues: api.dialect.id,
    findWindow: (signal) => servedWindow(access ? reach() : always, signal),
    async complete(request) {
      const endpoint = access ? reach() : always;
      const wire = write(asking, endpoint, request, settingsOf(request));
      // What came with the conversation's own request is never changed.
      const own = new Set(Object.keys(settingsIn(obj(request.continues), place)));
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
                ? adapt(settingsIn(body, place), error, { done, own, cap: request.cap, api })
                : undefined;
            if (next === undefined) throw error;
            if (done.has("temperature")) refused.add("temperature");
            body = place === undefined ? next : { ...body, [place]: next };
          }
        }
      });
    },
  };
}

/** Where cap and temperature of a request stand. */
const settingsIn = (body: Json, place: string | undefined): Json =>
  place === undefined ? body : obj(body[place]);

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

function readAnswer(api: Api, { model, secrets }: Endpoint, answer: Answer): ModelReply {
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
    ...defined({ usage: answer.usage, model: answer.model || undefined }),
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
  readonly api: Api;
}

/** The settings that a provider which refused these is likely to take, or undefined. */
function adapt(given: Json, error: ModelError, context: AdaptContext): Json | undefined {
  const { done, own } = context;
  const { caps } = context.api.fields;
  const once = (change: string): boolean => {
    if (done.has(change)) return false;
    done.add(change);
    return true;
  };
  if (error.failure === "too-long") {
    // Servers that add the cap to the input: without the room to think it may fit.
    const name = caps.find((field) => Number(given[field]) > context.cap);
    return name !== undefined && given["thinking"] === undefined && once("room")
      ? { ...given, [name]: context.cap }
      : undefined;
  }
  if (error.failure !== "bad-request") return undefined;
  const text = error.message;
  for (const field of OPTIONAL)
    if (field in given && !own.has(field) && names(text, field) && REFUSED.test(text) && once(field))
      return without(given, field);
  if (
    given["stream"] === false &&
    /stream/i.test(text) &&
    /must be (?:set to )?true|only support/i.test(text) &&
    once("stream")
  )
    return { ...given, stream: true };
  for (const cap of caps) {
    const value = given[cap];
    if (typeof value !== "number" || !/max_|tokens/i.test(text)) continue;
    const most = mostOf(text);
    if (most !== undefined && most < value && once("cap")) return { ...given, [cap]: most };
    const other = caps.find((one) => one !== cap);
    if (other !== undefined && names(text, cap) && REFUSED.test(text) && once("cap-name"))
      return renamed(given, cap, other);
  }
  return undefined;
}

/** The field's name as a word, not as a part of another one (`max_tokens` in `max_tokens_to_sample`). */
const names = (text: string, field: string): boolean =>
  new RegExp(`(?<![\\w])${field}(?![\\w])`, "i").test(text);

/** How providers say the largest cap that they take. */
const MOST = [
  /supports at most (\d+) completion tokens/i,
  />\s*(\d+), which is the maximum allowed number of output tokens/i,
  /max\w{0,30}tokens\W{1,5}must be (?:less than or equal to|<=)\s*`?(\d+)/i,
  /expected a value <= (\d+)/i,
  /exceeds the model limit of (\d+)/i,
];
/** Google says the first one that it doesn't take. */
const FIRST_REFUSED = /supported range is from \d+ \(inclusive\) to (\d+) \(exclusive\)/i;

/** The largest cap that a provider said it takes. */
function mostOf(text: string): number | undefined {
  const said = MOST.map((pattern) => pattern.exec(text)?.[1]).find((one) => one !== undefined);
  const most = said === undefined ? Number(FIRST_REFUSED.exec(text)?.[1]) - 1 : Number(said);
  return Number.isFinite(most) && most > 0 ? most : undefined;
}

function without(given: Json, field: string): Json {
  const { [field]: _, ...rest } = given;
  return rest;
}

/** The same field under another name, in the same place. */
function renamed(given: Json, from: string, to: string): Json {
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key === from ? to : key, value]));
}
