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
