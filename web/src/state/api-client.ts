import {
  type AnswerOf,
  type ApiError,
  type BodyOf,
  type ParamsOf,
  type QueryOf,
  type Route,
  type routes,
  urlOf,
} from "../../../src/gateway/api.ts";
import { strings } from "../strings.ts";
import { readEvents } from "./sse.ts";

/** A request that the server refused or that didn't reach it. */
export class ApiFailure extends Error {
  readonly code: string;
  readonly fix: string | undefined;
  readonly status: number;

  constructor(fields: { code: string; message: string; fix?: string | undefined; status?: number }) {
    super(fields.message);
    this.name = "ApiFailure";
    this.code = fields.code;
    this.fix = fields.fix;
    this.status = fields.status ?? 0;
  }
}

type AnyRoute = (typeof routes)[keyof typeof routes];

export interface CallInput<R> {
  readonly params?: ParamsOf<R>;
  readonly query?: QueryOf<R>;
  readonly body?: BodyOf<R>;
  readonly signal?: AbortSignal;
}

/** The server, as far as the page knows it: by the shared list of routes. */
export interface Api {
  call<R extends AnyRoute>(route: R, input?: CallInput<R>): Promise<AnswerOf<R>>;
  stream<R extends AnyRoute>(
    route: R,
    input?: CallInput<R> & { readonly headers?: Readonly<Record<string, string>> },
  ): AsyncGenerator<{ readonly id: string | undefined; readonly event: AnswerOf<R> }>;
}

export function createApi(fetcher: typeof fetch): Api {
  const request = async (route: Route, input: CallInput<Route> & { headers?: object }, accept: string) => {
    const hasBody = input.body !== undefined || (route.method !== "GET" && route.method !== "DELETE");
    let response: Response;
    try {
      response = await fetcher(urlOf(route, input.params, input.query), {
        method: route.method,
        headers: {
          accept,
          ...(hasBody && { "content-type": "application/json" }),
          ...input.headers,
        },
        ...(hasBody && { body: JSON.stringify(input.body ?? {}) }),
        ...(input.signal && { signal: input.signal }),
      });
    } catch (cause) {
      if (input.signal?.aborted) throw cause;
      throw new ApiFailure({
        code: "offline",
        message: strings.errors.offline,
        fix: strings.errors.offlineFix,
      });
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
      const response = await request(route, input as CallInput<Route>, "text/event-stream");
      if (!response.body) return;
      const events = readEvents(response.body);
      try {
        for (let step = await next(events); !step.done; step = await next(events)) {
          const { id, data } = step.value;
          yield { id, event: JSON.parse(data) as AnswerOf<typeof route> };
        }
      } finally {
        await events.return(undefined);
      }
    },
  };
}

/** The next event; a connection that breaks says so in words that a person understands. */
async function next<T>(events: AsyncGenerator<T>): Promise<IteratorResult<T, void>> {
  try {
    return await events.next();
  } catch {
    throw brokenOff();
  }
}

/** The connection was lost in the middle of a stream. */
export function brokenOff(): ApiFailure {
  return new ApiFailure({ code: "offline", message: strings.errors.broken, fix: strings.errors.brokenFix });
}

async function failureOf(response: Response): Promise<ApiFailure> {
  const fallback = { code: "http", message: strings.errors.http(response.status) };
  const body = (await response.json().catch(() => undefined)) as ApiError | undefined;
  const error = typeof body?.error?.message === "string" ? body.error : fallback;
  return new ApiFailure({ ...error, status: response.status });
}

/** What went wrong, as two sentences for a person. */
export function explain(error: unknown): { readonly message: string; readonly fix?: string } {
  if (error instanceof ApiFailure) {
    const fix = error.fix !== undefined && !error.message.includes(error.fix) ? error.fix : undefined;
    return { message: error.message, ...(fix !== undefined && { fix }) };
  }
  return { message: error instanceof Error ? error.message : String(error) };
}
