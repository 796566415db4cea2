/** What one route takes and gives. Left out: nothing. */
export interface RouteShape {
  /** Names in the path, such as `{ id: string }` for `/api/conversations/:id`. */
  readonly params?: object;
  /** The query string; every value is written as text. */
  readonly query?: object;
  /** The JSON body. */
  readonly body?: object;
  /** The JSON answer, or for a stream the union of its events. */
  readonly answer: unknown;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One route: where it is, and (in types only) what it takes and gives. */
export interface Route<S extends RouteShape = RouteShape> {
  readonly method: Method;
  /** Hono's and Express's notation: `/api/conversations/:id`. */
  readonly path: string;
  /** `json`: one answer. `stream`: server-sent events, each with an id and JSON as its data. `text`: a file. */
  readonly kind: "json" | "stream" | "text";
  /** Never there at run time: carries the shape for the compiler. */
  readonly shape?: S;
}

export type ParamsOf<R> = R extends Route<infer S> ? NonNullable<S["params"]> : never;
export type QueryOf<R> = R extends Route<infer S> ? NonNullable<S["query"]> : never;
export type BodyOf<R> = R extends Route<infer S> ? NonNullable<S["body"]> : never;
export type AnswerOf<R> = R extends Route<infer S> ? S["answer"] : never;

export function json<S extends RouteShape>(method: Method, path: string): Route<S> {
  return { method, path, kind: "json" };
}

export function stream<S extends RouteShape>(method: Method, path: string): Route<S> {
  return { method, path, kind: "stream" };
}

export function file<S extends RouteShape>(method: Method, path: string): Route<S> {
  return { method, path, kind: "text" };
}

/**
 * The address of a route, with its names filled in.
 *
 * @example
 * urlOf({ path: "/api/conversations/:id" }, { id: "a b" }, { limit: 10 }); // "/api/conversations/a%20b?limit=10"
 */
export function urlOf(route: Pick<Route, "path">, params: object = {}, query: object = {}): string {
  const values = params as Readonly<Record<string, string | number>>;
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new TypeError(`${route.path} needs ${name}`);
    return encodeURIComponent(String(value));
  });
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  const search = given.toString();
  return search === "" ? path : `${path}?${search}`;
}

/** Every error of `/api` and every error of precis's own on `/v1` has this body. */
export interface ApiError {
  readonly error: {
    /** Names the cause: `not-found`, `invalid`, `no-upstream`, `budget-impossible`, `model`, `store`, … */
    readonly code: string;
    /** For a person: what happened. */
    readonly message: string;
    /** For a person: what to do about it. */
    readonly fix?: string;
    /** The field at fault, for `invalid`. */
    readonly field?: string;
  };
}

/** Milliseconds since 1970. */
export type Time = number;

export interface Done {
  readonly ok: true;
}

/** Long work as a stream: how far it is, and at last what came of it. Whoever leaves ends it. */
export type Progress<T> =
  | { readonly type: "progress"; readonly done: number; readonly total: number }
  | { readonly type: "done"; readonly answer: T }
  | { readonly type: "failed"; readonly error: ApiError["error"] };
