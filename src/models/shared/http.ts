import { readEvents } from "../../apis/shared/events.ts";
import type { Json } from "../../apis/shared/fields.ts";
import { ModelError } from "../../core/errors.ts";
import { parseJson } from "../../core/parse-json.ts";
import { failureInside, failureOf } from "./failure.ts";
import { AnswerTooLong, readText } from "./read-text.ts";
import { redact } from "./redact.ts";

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A provider's endpoint: where, with which headers, for which model. */
export interface Endpoint {
  readonly url: string;
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
