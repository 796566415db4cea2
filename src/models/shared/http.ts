import type { Api } from "../../apis/shared/api.ts";
import { readEvents } from "../../apis/shared/events.ts";
import type { Json } from "../../apis/shared/fields.ts";
import { isBare, KEY_HEADERS as KEYS, keyHeaders } from "../../apis/shared/providers.ts";
import { ConfigError, ModelError } from "../../core/errors.ts";
import { parseJson } from "../../core/json.ts";
import { failureInside, failureOf } from "./failure.ts";
import { redact } from "./redact.ts";
import type { RetryOptions } from "./retry.ts";

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What every model over HTTP takes. */
export interface HttpModelOptions {
  /** Needed everywhere but on this machine and in its own network. */
  readonly apiKey?: string | undefined;
  readonly model: string;
  readonly baseURL?: string;
  /** Sent with every request. One that carries a key replaces `apiKey`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the one that the request asks for. Left out where the model refuses it. */
  readonly temperature?: number;
  readonly fetch?: Fetch;
  readonly retry?: RetryOptions;
  /** The model's context size. Left out: the registry's, or else what the server tells in its list of models. */
  readonly window?: number;
}

/** A provider's endpoint: where, with which headers, for which model. */
export interface Endpoint {
  readonly url: string;
  /** What the addresses of the API begin with, its version included. */
  readonly base: string;
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly fetch: Fetch;
}

/** An answer: JSON, or the events of a stream where a provider streams no matter what it was asked. */
export type Answer =
  | { readonly type: "json"; readonly json: unknown }
  | { readonly type: "events"; readonly events: readonly Json[] };

/** Sends one request. Everything that goes wrong is a `ModelError` that says whether trying again makes sense. */
export async function post(endpoint: Endpoint, body: string, signal: AbortSignal): Promise<Answer> {
  const { model, secrets } = endpoint;
  let response: Response;
  let text: string;
  try {
    response = await endpoint.fetch(endpoint.url, {
      method: "POST",
      headers: { ...endpoint.headers },
      body,
      signal,
      // A redirect would carry the key to another host. ("error" is unknown to some edge runtimes.)
      redirect: "manual",
    });
    text = await readText(response, MAX_ANSWER_BYTES);
  } catch (error) {
    if (error instanceof AnswerTooLong) throw tooLong(model, error.message);
    throw new ModelError({
      model,
      failure: "network",
      message: `no connection to ${hostOf(endpoint.url)}: ${redact(reasonOf(error), secrets)}.`,
      fix: "Check `baseURL` and that the server runs.",
      retryable: true,
    });
  }
  if (response.type === "opaqueredirect" || isRedirect(response.status))
    throw new ModelError({
      model,
      failure: "bad-request",
      message: `${hostOf(endpoint.url)} answered with a redirect, which isn't followed, because the key would go along.`,
      fix: "Give the address that it leads to as `baseURL`.",
      status: response.status,
    });
  const now = Date.now();
  if (!response.ok)
    throw failureOf({ model, status: response.status, body: text, headers: response.headers, secrets, now });
  if ((response.headers.get("content-type") ?? "").includes("text/event-stream"))
    return { type: "events", events: readEvents(text) };
  const json = parseJson(text);
  const inside = failureInside(json, { model, secrets, now });
  if (inside !== undefined) throw inside;
  if (json === undefined) throw badAnswer(model, "it isn't JSON", redact(text, secrets));
  return { type: "json", json };
}

/** A summary's answer, its reasoning and the frames of a stream included, is never larger (bytes). */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

function tooLong(model: string, why: string): ModelError {
  return new ModelError({
    model,
    failure: "bad-answer",
    message: `the answer can't be read: ${why}.`,
    fix: "Check that `baseURL` speaks the API that it is used for, or use another model.",
    retryable: false,
  });
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400;

/** An answer 200 that can't be read. Trying again may help: most often it was cut off on the way. */
export function badAnswer(model: string, why: string, excerpt = ""): ModelError {
  return new ModelError({
    model,
    failure: "bad-answer",
    message: `the answer can't be read: ${why}${excerpt === "" ? "" : ` (${excerpt})`}.`,
    fix: "Check that `baseURL` speaks the API that it is used for.",
    retryable: true,
  });
}

/** The words of a network error: `fetch failed` says nothing, its cause does. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message;
  return cause instanceof Error && cause.message !== "" ? cause.message : error.message;
}

/** Host and port alone: a path or a query may hold a key. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "the server";
}

/** An answer went on beyond what is read of it. */
export class AnswerTooLong extends Error {}

/** The text of an answer. One that is longer than the limit is given up where it passes it, and not held in memory. */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  // A `fetch` of the host's own may answer with less than a whole `Response`.
  if (response.body == null) return response.text();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel().catch(() => {});
      throw new AnswerTooLong(`it is longer than ${maxBytes} bytes`);
    }
    pieces.push(decoder.decode(value, { stream: true }));
  }
  pieces.push(decoder.decode());
  return pieces.join("");
}

/** Hosts on this machine or in its own network, which mostly need no key. */
const LOCAL_HOST =
  /^(?:localhost|.*\.(?:localhost|local|internal|lan)|127\.\d+\.\d+\.\d+|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|[^.:[\]]+)$/i;
/** Headers that carry a key in place of `apiKey`. */
const KEY_HEADERS = [...KEYS, "cf-aig-authorization"];

/** Checks the options once, so that a missing key or a typo is told when the model is made, not when it is needed. */
export function createEndpoint(name: string, options: HttpModelOptions, api: Api): Endpoint {
  const { provider } = api;
  const { baseURL = provider.baseURL, apiKey, model, headers = {} } = options;
  if (typeof model !== "string" || model.trim() === "")
    throw new ConfigError({
      option: "model",
      message: "it is empty.",
      fix: `Name the model: ${name}({ model: "…" }).`,
    });
  // An address may ask something with every request, such as Azure's `api-version`.
  const [address = "", query] = baseURL.split("?", 2);
  const base = address.replace(/\/+$/, "");
  if (!URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol))
    throw new ConfigError({
      option: "baseURL",
      message: `${JSON.stringify(redact(baseURL, [apiKey ?? ""]))} is not an http(s) address.`,
      fix: "Give the whole address, like http://localhost:11434/v1.",
    });
  const key = apiKey?.trim() ?? "";
  const own = Object.keys(headers).map((header) => header.toLowerCase());
  const hasKeyHeader = own.some((header) => KEY_HEADERS.includes(header));
  const { hostname } = new URL(base);
  if (key === "" && !hasKeyHeader && !LOCAL_HOST.test(hostname))
    throw new ConfigError({
      option: "apiKey",
      message: `it is missing, and ${hostname} is not on this machine.`,
      fix: 'Give the key (from where you keep it, like an environment variable), or apiKey: "none" for a server that needs none.',
    });
  const all: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json",
    ...provider.headers,
    ...(key !== "" && !hasKeyHeader && keyHeaders(provider, key)),
  };
  for (const [header, value] of Object.entries(headers)) all[header.toLowerCase()] = value;
  checkHeaders(all);
  const { version } = provider;
  const versioned = isBare(provider) && !base.endsWith(version) ? base + version : base;
  const path = (api.pathOf?.(model, false) ?? api.path).slice(version.length);
  return {
    url: `${versioned}${path}${query === undefined ? "" : `?${query}`}`,
    base: versioned,
    model,
    headers: all,
    secrets: [key, ...KEY_HEADERS.map((header) => all[header] ?? "")].filter((secret) => secret !== ""),
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
  };
}

/** Told here without the value: the runtime's own error would show it, and it may be a key. */
function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers([[name, value]]);
    } catch {
      throw new ConfigError({
        option: KEY_HEADERS.includes(name) ? "apiKey" : "headers",
        message: `the header ${JSON.stringify(name)} has a value that can't be sent.`,
        fix: "Look for line breaks and for letters outside of ASCII.",
      });
    }
  }
}
