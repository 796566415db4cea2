import { EventSourceParserStream } from "eventsource-parser/stream";
import {
  type AnswerOf,
  type ApiError,
  type BodyOf,
  type ParamsOf,
  type QueryOf,
  type Route,
  type routes,
  urlOf,
} from "../../gateway/api.ts";

/** A request that the server refused or that didn't reach it. */
export class ApiFailure extends Error {
  readonly code: string;
  readonly status: number;

  constructor(fields: { code: string; message: string; fix?: string | undefined; status: number }) {
    const { message, fix } = fields;
    super(fix === undefined || message.includes(fix) ? message : `${message} ${fix}`);
    this.name = "ApiFailure";
    this.code = fields.code;
    this.status = fields.status;
  }
}

type AnyRoute = (typeof routes)[keyof typeof routes];

export interface CallInput<R> {
  readonly params?: ParamsOf<R>;
  readonly query?: QueryOf<R>;
  readonly body?: BodyOf<R>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** `/api` of a server, by the list of routes that the page goes by too. */
export interface ApiClient {
  call<R extends AnyRoute>(route: R, input?: CallInput<R>): Promise<AnswerOf<R>>;
  stream<R extends AnyRoute>(route: R, input?: CallInput<R>): AsyncGenerator<StreamedEvent<AnswerOf<R>>>;
}

export interface StreamedEvent<E> {
  readonly id: string | undefined;
  readonly event: E;
}

export function createApiClient({ url, key }: { readonly url: string; readonly key?: string }): ApiClient {
  const base = url.replace(/\/+$/, "");
  const request = async (route: Route, input: CallInput<Route>): Promise<Response> => {
    const hasBody = input.body !== undefined || (route.method !== "GET" && route.method !== "DELETE");
    let response: Response;
    try {
      response = await fetch(base + urlOf(route, input.params, input.query), {
        method: route.method,
        headers: {
          ...(hasBody && { "content-type": "application/json" }),
          ...(key !== undefined && { "x-precis-key": key }),
          ...input.headers,
        },
        ...(hasBody && { body: JSON.stringify(input.body ?? {}) }),
        ...(input.signal && { signal: input.signal }),
      });
    } catch (cause) {
      if (input.signal?.aborted === true) throw cause;
      throw new ApiFailure({
        code: "offline",
        status: 0,
        message: `The server at ${base} can't be reached.`,
        fix: "Check that precis serve is running there.",
      });
    }
    if (!response.ok) throw await failureOf(response);
    return response;
  };
  return {
    async call(route, input = {}) {
      const response = await request(route, input as CallInput<Route>);
      return (route.kind === "text" ? await response.text() : await response.json()) as AnswerOf<
        typeof route
      >;
    },
    async *stream(route, input = {}) {
      const { body } = await request(route, input as CallInput<Route>);
      if (!body) return;
      const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
      for await (const { id, data } of events)
        yield { id, event: JSON.parse(data) as AnswerOf<typeof route> };
    },
  };
}

async function failureOf(response: Response): Promise<ApiFailure> {
  const body = (await response.json().catch(() => undefined)) as ApiError | undefined;
  const { status } = response;
  if (typeof body?.error?.message === "string") return new ApiFailure({ ...body.error, status });
  return new ApiFailure({ code: "http", message: `The server answered with status ${status}.`, status });
}
