import { EventSourceParserStream } from "eventsource-parser/stream";
import {
  type AnswerOf,
  type ApiError,
  type BodyOf,
  type ParamsOf,
  type QueryOf,
  type Route,
  urlOf,
} from "./route.ts";
import type { routes } from "./routes.ts";

/** What is said to a person when something went wrong. */
export interface Trouble {
  readonly message: string;
  readonly fix?: string | undefined;
}

/** A request that the server refused or that didn't reach it. */
export class ApiFailure extends Error {
  readonly code: string;
  readonly fix: string | undefined;
  /** 0 if there was no answer. */
  readonly status: number;

  constructor(fields: Trouble & { readonly code: string; readonly status?: number }) {
    super(fields.message);
    this.name = "ApiFailure";
    this.code = fields.code;
    this.fix = fields.fix;
    this.status = fields.status ?? 0;
  }

  /** What to say, and the advice if it isn't in there already. */
  get trouble(): { readonly message: string; readonly fix?: string } {
    const { message, fix } = this;
    return { message, ...(fix !== undefined && !message.includes(fix) && { fix }) };
  }
}

type AnyRoute = (typeof routes)[keyof typeof routes];

interface CallInput<R> {
  readonly params?: ParamsOf<R>;
  readonly query?: QueryOf<R>;
  readonly body?: BodyOf<R>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** One event of a stream, with the newest id that the server has told: a new connection goes on there. */
interface StreamedEvent<E> {
  readonly id: string | undefined;
  readonly event: E;
}

/** A server by its list of routes. */
export interface ApiClient {
  call<R extends AnyRoute>(route: R, input?: CallInput<R>): Promise<AnswerOf<R>>;
  stream<R extends AnyRoute>(route: R, input?: CallInput<R>): AsyncGenerator<StreamedEvent<AnswerOf<R>>>;
}

export interface ApiClientOptions {
  /** Where the server is; for a page that comes from there, nothing. */
  readonly url?: string;
  readonly key?: string;
  readonly fetch?: typeof fetch;
  /** What to say when the server can't be reached, and when a connection breaks. */
  readonly unreachable: Trouble;
  readonly brokenOff: Trouble;
}

/** The one client of `/api`: the page has it, and so has the chat in a terminal. */
export function createApiClient(options: ApiClientOptions): ApiClient {
  const { key, unreachable, brokenOff, fetch: fetcher = fetch } = options;
  const base = (options.url ?? "").replace(/\/+$/, "");
  const request = async (route: Route, input: CallInput<Route>, accept: string): Promise<Response> => {
    const hasBody = input.body !== undefined || (route.method !== "GET" && route.method !== "DELETE");
    let response: Response;
    try {
      response = await fetcher(base + urlOf(route, input.params, input.query), {
        method: route.method,
        headers: {
          accept,
          ...(hasBody && { "content-type": "application/json" }),
          ...(key !== undefined && { "x-precis-key": key }),
          ...input.headers,
        },
        ...(hasBody && { body: JSON.stringify(input.body ?? {}) }),
        ...(input.signal && { signal: input.signal }),
      });
    } catch (cause) {
      if (input.signal?.aborted) throw cause;
      throw new ApiFailure({ code: "offline", ...unreachable });
    }
    if (!response.ok) throw await failureOf(response);
    return response;
  };
  return {
    async call(route, input = {}) {
      const response = await request(route, input as CallInput<Route>, "application/json");
      return (route.kind === "text" ? await response.text() : await response.json()) as AnswerOf<
        typeof route
      >;
    },
    async *stream(route, input = {}) {
      const { body } = await request(route, input as CallInput<Route>, "text/event-stream");
      if (!body) return;
      const reader = body
        .pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream())
        .getReader();
      let id: string | undefined;
      try {
        for (;;) {
          const { value, done } = await reader.read().catch(() => {
            throw new ApiFailure({ code: "offline", ...brokenOff });
          });
          if (done) return;
          id = value.id ?? id;
          yield { id, event: JSON.parse(value.data) as AnswerOf<typeof route> };
        }
      } finally {
        // Ends the request when the consumer leaves early.
        await reader.cancel().catch(() => undefined);
      }
    },
  };
}

async function failureOf(response: Response): Promise<ApiFailure> {
  const { status } = response;
  const body = (await response.json().catch(() => undefined)) as ApiError | undefined;
  if (typeof body?.error?.message === "string") return new ApiFailure({ ...body.error, status });
  return new ApiFailure({ code: "http", message: `The server answered with status ${status}.`, status });
}
