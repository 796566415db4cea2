/** One row for each request to a model, whoever asked: what it was, what became of it, and what was sent. */
export interface RequestStore {
  /**
   * Adds rows of requests that brought no messages along; those of others go with their append. One that is there stays as it is.
   * A row whose conversation isn't there is one without its texts.
   */
  add(tenant: string, requests: readonly NewRequest[]): Promise<void>;
  /** The newest first, if not asked otherwise. */
  list(tenant: string, query?: RequestsQuery): Promise<readonly StoredRequest[]>;
  /** One with all of its texts. */
  get(tenant: string, id: string): Promise<RequestTexts | undefined>;
  /** What requests come to, by model and client. */
  totals(tenant: string, query?: TotalsQuery): Promise<readonly RequestSums[]>;
  /** Counts requests that were refused before they were looked at: never a row each. */
  refuse(tenant: string, refusals: readonly Refusals[]): Promise<void>;
  refusals(tenant: string, range?: TimeRange): Promise<readonly Refusals[]>;
}

/** Times in milliseconds: `from` ≤ time < `to`. */
export interface TimeRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** What a row says without the texts of a conversation. These stay when the conversation is deleted. */
export interface RequestFields {
  /** A UUID of version 7, made from `at`: rows are in the order of their ids. */
  readonly id: string;
  /** When it began, in milliseconds. */
  readonly at: number;
  /** A client's, a chat's of the page, a summary that was written beside requests, or a compaction by hand. */
  readonly kind: "client" | "page" | "summary" | "compaction";
  readonly api?: string | undefined;
  readonly path: string;
  /** The name of the client's key. */
  readonly client?: string | undefined;
  readonly model?: string | undefined;
  readonly upstream?: string | undefined;
  readonly status: number;
  /** What precis did. */
  readonly outcome: string;
  /** Why it was compacted, or what a summary was written for. */
  readonly reason?: string | undefined;
  readonly cacheLost?: string | undefined;
  readonly compactions?: number | undefined;
  /** Tokens of the transcript and of what was sent. */
  readonly tokensBefore?: number | undefined;
  readonly tokensAfter?: number | undefined;
  /** Tokens of tools' declarations that weren't sent, less those of the rounds that loaded some; left out where none were left away. */
  readonly spared?: number | undefined;
  /** Tokens as the provider counted them, of all rounds that it was asked for. */
  readonly input?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly output?: number | undefined;
  /** US dollars; undefined where prices aren't known. */
  readonly spend?: number | undefined;
  readonly lostSpend?: number | undefined;
  /** US dollars that it cost less than without precis, negative if more; summaries not counted. */
  readonly saved?: number | undefined;
  /** Something was paid for it and nobody knows how much: 1. */
  readonly unpriced?: number | undefined;
  /** How often the upstream refused it as too long. */
  readonly rejected?: number | undefined;
  readonly loops?: number | undefined;
  /** Calls of the answer before it that asked again for what a compaction had hidden. */
  readonly repeated?: number | undefined;
  /** Milliseconds: precis's own part before it was sent, until the first byte of the answer, and all of it. */
  readonly ownMs?: number | undefined;
  readonly firstMs?: number | undefined;
  readonly ms: number;
}

/** What a row says beside these, gone with its conversation. */
export interface RequestDetails {
  /** The compaction that its view stood on. */
  readonly checkpoint?: string | undefined;
  /** Tells the body that was sent from others. */
  readonly checksum?: string | undefined;
  /** Why it failed. */
  readonly error?: string | undefined;
  /** The host's own JSON about it. */
  readonly details?: unknown;
  /** The fields of the request beside its messages and system prompt, as JSON text. */
  readonly fields?: string | undefined;
  readonly conversation?: string | undefined;
  /** Chain hash of its last message. */
  readonly message?: string | undefined;
  /** Chain hash of the last message of its answer. */
  readonly answer?: string | undefined;
}

/** A row to add. The system prompt is that of the conversation. */
export interface NewRequest extends RequestFields, RequestDetails {}

/** A row as lists show it; its details and message only where the query asks for them. */
export interface StoredRequest extends RequestFields, Omit<RequestDetails, "fields" | "checksum"> {}

/** A row with everything that is known of it. */
export interface RequestTexts extends NewRequest {
  /** The system prompt as JSON text. */
  readonly head: string | undefined;
}

/** Which requests are meant. */
export interface RequestFilter extends TimeRange {
  /** Those of any of these kinds. */
  readonly kinds?: readonly RequestFields["kind"][] | undefined;
  readonly model?: string | undefined;
  readonly client?: string | undefined;
  readonly outcome?: string | undefined;
  /** Only those that failed, or only those that didn't. */
  readonly failed?: boolean | undefined;
  /** Text in the model, client, path, status, outcome or error, or the id of a conversation. */
  readonly search?: string | undefined;
  readonly conversation?: string | undefined;
}

/** Which of them to list. */
export interface RequestsQuery extends RequestFilter {
  /** With `details` and `message` of each. */
  readonly details?: boolean | undefined;
  /** By when they began, the tokens that were sent, US dollars, or milliseconds; default by time. */
  readonly sort?: "time" | "tokens" | "spend" | "ms" | undefined;
  /** Default the newest, or those with most, first. */
  readonly order?: "desc" | "asc" | undefined;
  /** Only those that come after this one in the list: the page that follows. */
  readonly before?: string | undefined;
  /** Default 100, at most 2,000. */
  readonly limit?: number | undefined;
}

/** Which of them to add up. */
export interface TotalsQuery extends RequestFilter {
  /** Adds up each stretch of so many milliseconds on its own. */
  readonly every?: number | undefined;
}

/** What the requests of a client to a model come to. */
export interface RequestSums {
  /** When the stretch of time begins, where they are added up by time. */
  readonly start?: number;
  readonly kind: RequestFields["kind"];
  readonly model: string;
  readonly client: string;
  /** When the first of them began: to some hours where it is long ago. */
  readonly since: number;
  readonly requests: number;
  readonly errors: number;
  readonly compactions: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly spared: number;
  readonly input: number;
  readonly cacheRead: number;
  readonly output: number;
  readonly spend: number;
  readonly lostSpend: number;
  readonly saved: number;
  readonly unpriced: number;
  readonly rejected: number;
  readonly loops: number;
  readonly repeated: number;
  /** Milliseconds that they took together. */
  readonly ms: number;
  /** How many took how long, by the classes of `LATENCY_BOUNDS`, and what the fastest and the slowest took. */
  readonly latency: readonly number[];
  readonly leastMs: number;
  readonly mostMs: number;
}

/** Requests that were refused for one reason within a minute. */
export interface Refusals {
  /** The minute's beginning, in milliseconds. */
  readonly at: number;
  readonly reason: string;
  readonly count: number;
}
