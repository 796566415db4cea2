import { chatApi } from "../../apis/chat/api.ts";
import { geminiApi } from "../../apis/gemini/api.ts";
import { messagesApi } from "../../apis/messages/api.ts";
import { responsesApi } from "../../apis/responses/api.ts";
import type { Api, ApiRequest } from "../../apis/shared/api.ts";
import { eventJson, splitEvents } from "../../apis/shared/events.ts";
import { isJson, type Json, parseJson } from "../../apis/shared/fields.ts";
import { knownUsage, type Reported } from "../../apis/shared/usage.ts";
import { fittingCap, isTooLarge, isWorthCounting } from "../../core/budget.ts";
import { BudgetImpossibleError, ConfigError, TranscriptError } from "../../core/errors.ts";
import type { Compactor, FitResult } from "../../core/types.ts";
import { type Compactors, createCompactors, type IntegrationOptions } from "../shared/options.ts";
import {
  BAD_REQUEST,
  CountedTooLong,
  type Learned,
  learn,
  overflowOfError,
  sendFitted,
} from "../shared/send-fitted.ts";

const APIS: readonly Api[] = [chatApi, responsesApi, messagesApi, geminiApi];
const COUNTS: readonly NonNullable<ClientOptions["count"]>[] = ["tokenizer", "provider"];
/** Largest refusal that is read (characters). */
const MAX_REFUSAL = 100_000;

/** What `precisFetch` and `withPrecis` take. */
export interface ClientOptions extends Omit<IntegrationOptions<unknown>, "compactor"> {
  /** What sends requests. Default: the client's own, or the global one. */
  readonly fetch?: FetchLike;
  /**
   * `provider`: views that come near the budget are counted by the provider's own endpoint first (Anthropic's `count_tokens`, OpenAI's
   * `input_tokens`), so that none is refused. Default: by the tokenizer, corrected by what answers report.
   */
  readonly count?: "tokenizer" | "provider";
}

/** The part of `fetch` that is used. */
export type FetchLike = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** A refusal of the provider's, which may say that the request was too long. */
class Refused extends Error {
  readonly response: Response;
  readonly status: number;
  readonly error: string;

  constructor(response: Response, body: string) {
    super(body);
    this.response = response;
    this.status = response.status;
    this.error = body;
  }
}

/**
 * A `fetch` that sends views: requests to `/chat/completions`, `/responses`, `/messages` and Gemini's `generateContent` are made to fit,
 * whatever client sends them; everything else goes as it is. Hand it to any SDK that takes a `fetch`.
 *
 * @example
 * const fetch = precisFetch({ window: 32_000 });
 */
export function precisFetch(options: ClientOptions = {}): FetchLike {
  const { fetch: inner = globalThis.fetch, count, ...rest } = options;
  if (count !== undefined && !COUNTS.includes(count))
    throw new ConfigError({
      option: "count",
      message: `"${String(count)}" isn't known.`,
      fix: `Choose one of: ${COUNTS.join(", ")}.`,
    });
  // Each format has compactors of its own.
  const byApi = new Map<Api, Compactors<unknown>>();
  const compactorsOf = (api: Api) => {
    const known = byApi.get(api) ?? createCompactors(api.dialect, rest);
    byApi.set(api, known);
    return known;
  };
  // Options that can't work are refused now.
  compactorsOf(chatApi);
  let { state } = options;

  return async (input, init) => {
    const request = await readRequest(input, init);
    if (!request) return inner(input, init);
    const { api, body, asked } = request;
    const model = asked.model || undefined;
    const signal = init?.signal ?? (isRequest(input) ? input.signal : undefined);
    const compactors = compactorsOf(api);
    try {
      const { answer, view } = await sendFitted<unknown, Response>({
        compactors,
        model,
        transcript: asked.transcript,
        input: {
          state,
          system: asked.system,
          tools: asked.tools,
          request: body,
          thinking: "must-stay",
          ...(asked.cap !== undefined && { maxAnswer: asked.cap }),
          ...(signal && { signal }),
        },
        onView: (made) => {
          if (options.state !== undefined) state = made.state;
          options.onView?.(made);
        },
        send: async (made) => {
          const sent = bodyOf(request, made);
          const there = { fetch: inner, url: urlOf(input), init: initOf(input, init, sent) };
          if (count === "provider")
            await countFirst(there, api, sent, { view: made, compactor: compactors.of(model) });
          return refuseTooLong(await inner(input, there.init));
        },
      });
      return watched(answer, api, (learned) => learn(compactors.of(model), view, learned));
    } catch (error) {
      if (error instanceof Refused) return error.response;
      if (error instanceof CountedTooLong) return refusal(api, error.message);
      // A client would take an error that is thrown here for a broken connection, and try again.
      if (BudgetImpossibleError.isInstance(error)) return refusal(api, error.message);
      // What precis can't read, the provider may know, or refuse in its own words.
      if (TranscriptError.isInstance(error)) return inner(input, init);
      throw error;
    }
  };
}

interface ReadRequest {
  readonly api: Api;
  readonly body: Json;
  readonly asked: ApiRequest;
}

type Input = Parameters<FetchLike>[0];

async function readRequest(input: Input, init: RequestInit | undefined): Promise<ReadRequest | undefined> {
  const { pathname } = urlOf(input);
  // Base URLs of clients end with the version, or otherwise.
  const api = APIS.find(
    ({ isAsked, path, provider }) =>
      isAsked?.(pathname) ?? pathname.endsWith(path.slice(provider.version.length)),
  );
  const text = api && (await bodyText(input, init));
  const body = text === undefined ? undefined : parseJson(text);
  if (!api || !isJson(body) || !hasTranscript(api, body)) return undefined;
  const asked = api.read(body, pathname);
  return asked && { api, body, asked };
}

/** What goes on from an answer on the server goes as it is, and so does a text alone: there is nothing to choose from. */
function hasTranscript({ fields, naming }: Api, body: Json): boolean {
  const named = naming?.namedIn(body);
  return Array.isArray(body[fields.messages]) && !named?.response && !named?.conversation;
}

/** The body as text, however it was handed in. A stream isn't read: whoever sends it couldn't send it again. */
async function bodyText(input: Input, init: RequestInit | undefined): Promise<string | undefined> {
  const body = init?.body;
  if (typeof body === "string") return body;
  if (body instanceof Blob || body instanceof ArrayBuffer || ArrayBuffer.isView(body))
    return new Response(body).text();
  const isItsOwn = (body === undefined || body === null) && isRequest(input) && input.body !== null;
  return isItsOwn ? input.clone().text() : undefined;
}

function isRequest(input: Input): input is Request {
  return typeof input === "object" && "url" in input;
}

/** Programs in a browser may ask for a path: it is meant as `fetch` means it. */
function urlOf(input: Input): URL {
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  return new URL(isRequest(input) ? input.url : input, location?.href ?? "http://localhost");
}

function bodyOf({ api, body, asked }: ReadRequest, view: FitResult<unknown>): Json {
  const sent = api.write(body, view);
  return asked.cap === undefined ? sent : api.withCap(sent, fittingCap(asked.cap, view.report));
}

/** The same request with another body; its length is for the inner `fetch` to say. */
function initOf(input: Input, init: RequestInit | undefined, body: Json): RequestInit {
  const given = isRequest(input)
    ? { method: input.method, headers: input.headers, signal: input.signal }
    : {};
  const all = { ...given, ...init };
  const headers = new Headers(all.headers);
  headers.delete("content-length");
  return { ...all, headers, body: JSON.stringify(body) };
}

async function refuseTooLong(response: Response): Promise<Response> {
  if (response.ok) return response;
  const body = await response.text();
  // Whoever reads the refusal gets it as it came.
  const same = new Response(body, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
  const refused = new Refused(same, body.slice(0, MAX_REFUSAL));
  if (overflowOfError(refused)) throw refused;
  return same;
}

/** What is too long is refused as the provider would refuse it. */
function refusal(api: Api, message: string): Response {
  return new Response(JSON.stringify(api.error(BAD_REQUEST, { code: "budget-impossible", message })), {
    status: BAD_REQUEST,
    headers: { "content-type": "application/json", "x-should-retry": "false" },
  });
}

/** The response as it is; what it tells about tokens is learned while it is read. */
function watched(response: Response, api: Api, report: (learned: Learned) => Promise<void>): Response {
  if (!response.ok || !response.body) return response;
  const isStream = response.headers.get("content-type")?.includes("event-stream") ?? false;
  const reader = isStream ? eventReader(api) : answerReader(api);
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        controller.enqueue(bytes);
        reader.add(bytes);
      },
      async flush() {
        await report(reader.end());
      },
    }),
  );
  return new Response(body, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
}

interface Reader {
  add(bytes: Uint8Array): void;
  end(): Learned;
}

function answerReader(api: Api): Reader {
  const decoder = new TextDecoder();
  const texts: string[] = [];
  return {
    add: (bytes) => texts.push(decoder.decode(bytes, { stream: true })),
    end() {
      const answer = parseJson(texts.join(""));
      return isJson(answer) ? api.readAnswer(answer) : {};
    },
  };
}

/** An event that speaks of tokens or of the end is never longer (characters). */
const MAX_EVENT = 10_000_000;

/** Reads the events that speak of tokens or of the end; all others are looked at and forgotten. */
function eventReader(api: Api): Reader {
  const split = splitEvents(MAX_EVENT);
  let usage: Reported = {};
  let stop: Learned["stop"];
  const take = (bytes: Uint8Array, isLast: boolean) => {
    for (const { text, isPart } of split(bytes, isLast)) {
      if (isPart || !/"(usage|usageMetadata|finish_reason|finishReason|stop_reason)"/.test(text)) continue;
      const event = eventJson(text);
      const reported = event && api.readEvent(event);
      // The end of a stream may leave out the input, or tell it as nothing.
      usage = { ...usage, ...reported?.usage, input: reported?.usage?.input || (usage.input ?? 0) };
      stop = reported?.stop ?? stop;
    }
  };
  return {
    add: (bytes) => take(bytes, false),
    end() {
      take(new Uint8Array(), true);
      return { usage: knownUsage(usage), stop };
    },
  };
}

/**
 * Has the provider itself count a view that comes near the budget, and learns from its number. Throws `CountedTooLong` if the view is larger than
 * precis believed and doesn't fit. Where the provider doesn't count, the view is sent as it is.
 */
async function countFirst(
  options: { readonly fetch: FetchLike; readonly url: URL; readonly init: RequestInit | undefined },
  { counts }: Api,
  body: Json,
  { view, compactor }: { readonly view: FitResult<unknown>; readonly compactor: Compactor<unknown> },
): Promise<void> {
  const { fetch, url, init } = options;
  const { report } = view;
  if (!counts || !isWorthCounting(report)) return;
  const asked = new URL(url);
  asked.pathname = counts.path(url.pathname);
  const counted = JSON.stringify(counts.body(body, url.pathname));
  const response = await fetch(asked, { ...init, body: counted }).catch(() => undefined);
  const reported: unknown = response?.ok ? await response.json().catch(() => undefined) : undefined;
  const tokens = isJson(reported) ? counts.read(reported) : undefined;
  if (tokens === undefined) return;
  await learn(compactor, view, { usage: { input: tokens } });
  if (isTooLarge(tokens, report)) throw new CountedTooLong(tokens);
}

/** A client of OpenAI's or Anthropic's SDK, as far as it is needed here. */
export interface SdkClient {
  // The SDKs' options have no common type; `fetch` is in all of them.
  withOptions(options: never): unknown;
}

/**
 * The same client of OpenAI's or Anthropic's SDK, whose requests all fit the window: `create`, `stream`, `parse`, tool runners,
 * all of them. The client that is handed in stays as it is.
 *
 * @example
 * const given = { withOptions: (options: object) => ({ ...given, options }) };
 * const client = withPrecis(given, { window: 32_000 });
 */
export function withPrecis<C extends SdkClient>(client: C, options: ClientOptions = {}): C {
  if (typeof client?.withOptions !== "function") {
    throw new ConfigError({
      option: "client",
      message: "it has no method `withOptions`.",
      fix: "Pass a client of the packages `openai` (version 5 or later) or `@anthropic-ai/sdk` (0.50 or later), or give its `fetch` option a `precisFetch()`.",
    });
  }
  // Both SDKs keep it on the client under this name.
  const own = (client as { readonly fetch?: FetchLike }).fetch;
  const fetch = precisFetch({ ...(own && { fetch: (...args) => own(...args) }), ...options });
  return client.withOptions({ fetch } as never) as C;
}
