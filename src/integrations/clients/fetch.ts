import { BudgetImpossibleError, ConfigError, TranscriptError } from "../../core/errors.ts";
import { fittingCap } from "../../core/fitting-cap.ts";
import { isRecord } from "../../core/is-record.ts";
import type { FitResult } from "../../core/types.ts";
import { type Compactors, createCompactors, type IntegrationOptions } from "../shared/options.ts";
import { CountedTooLong, type Learned, learn, overflowOfError, sendFitted } from "../shared/send-fitted.ts";
import { chatWire, messagesWire, responsesWire } from "./client-wires.ts";
import { countFirst } from "./count-first.ts";
import type { Asked, ClientWire, Json } from "./wire.ts";

const WIRES: readonly ClientWire[] = [chatWire, responsesWire, messagesWire];
const COUNTS: readonly NonNullable<ClientOptions["count"]>[] = ["tokenizer", "provider"];
const BAD_REQUEST = 400;
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
 * A `fetch` that sends views: requests to `/chat/completions`, `/responses` and `/messages` are made to fit, whatever client sends
 * them; everything else goes as it is. Hand it to any SDK that takes a `fetch`.
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
  const byWire = new Map<ClientWire, Compactors<unknown>>();
  const compactorsOf = (wire: ClientWire) => {
    const known = byWire.get(wire) ?? createCompactors(wire.dialect, rest);
    byWire.set(wire, known);
    return known;
  };
  // Options that can't work are refused now.
  compactorsOf(chatWire);
  let { state } = options;

  return async (input, init) => {
    const request = await readRequest(input, init);
    if (!request) return inner(input, init);
    const { wire, body, asked } = request;
    const { model } = asked;
    const signal = init?.signal ?? (isRequest(input) ? input.signal : undefined);
    const compactors = compactorsOf(wire);
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
            await countFirst(there, wire, sent, { view: made, compactor: compactors.of(model) });
          return refuseTooLong(await inner(input, there.init));
        },
      });
      return watched(answer, wire, (learned) => learn(compactors.of(model), view, learned));
    } catch (error) {
      if (error instanceof Refused) return error.response;
      if (error instanceof CountedTooLong) return refusal(wire.refusal(error.message));
      // A client would take an error that is thrown here for a broken connection, and try again.
      if (BudgetImpossibleError.isInstance(error)) return refusal(wire.refusal(error.message));
      // What precis can't read, the provider may know, or refuse in its own words.
      if (TranscriptError.isInstance(error)) return inner(input, init);
      throw error;
    }
  };
}

interface ReadRequest {
  readonly wire: ClientWire;
  readonly body: Json;
  readonly asked: Asked;
}

type Input = Parameters<FetchLike>[0];

async function readRequest(input: Input, init: RequestInit | undefined): Promise<ReadRequest | undefined> {
  const { pathname } = urlOf(input);
  const wire = WIRES.find(({ path }) => pathname.endsWith(path));
  const text = wire && (await bodyText(input, init));
  const body = text === undefined ? undefined : parse(text);
  const asked = body && wire?.read(body);
  return wire && asked && { wire, body, asked };
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

function bodyOf({ wire, body, asked }: ReadRequest, view: FitResult<unknown>): Json {
  const cap = asked.cap === undefined ? undefined : fittingCap(asked.cap, view.report);
  return wire.write(body, view, cap);
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

function refusal(body: Json): Response {
  return new Response(JSON.stringify(body), {
    status: BAD_REQUEST,
    headers: { "content-type": "application/json", "x-should-retry": "false" },
  });
}

/** The response as it is; what it tells about tokens is learned while it is read. */
function watched(response: Response, wire: ClientWire, tell: (learned: Learned) => Promise<void>): Response {
  if (!response.ok || !response.body) return response;
  const isStream = response.headers.get("content-type")?.includes("event-stream") ?? false;
  const reader = isStream ? eventReader(wire) : answerReader(wire);
  const decoder = new TextDecoder();
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        controller.enqueue(bytes);
        reader.add(decoder.decode(bytes, { stream: true }));
      },
      async flush() {
        await tell(reader.end());
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
  add(text: string): void;
  end(): Learned;
}

function answerReader(wire: ClientWire): Reader {
  const texts: string[] = [];
  return { add: (text) => texts.push(text), end: () => wire.learn(parse(texts.join("")) ?? {}) };
}

/** Reads the events that speak of tokens or of the end; all others are looked at and forgotten. */
function eventReader(wire: ClientWire): Reader {
  let rest = "";
  let learned: Learned = {};
  const take = (line: string) => {
    if (!line.startsWith("data:") || !/"(usage|finish_reason|stop_reason)"/.test(line)) return;
    const { usage, stop } = wire.learn(parse(line.slice("data:".length)) ?? {});
    learned = {
      ...learned,
      ...(usage && {
        usage: { ...learned.usage, ...usage, input: usage.input || (learned.usage?.input ?? 0) },
      }),
      ...(stop && { stop }),
    };
  };
  return {
    add(text) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) take(line);
    },
    end() {
      take(rest);
      return learned;
    },
  };
}

function parse(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
