import type { DialectId, Prices } from "../../core/types.ts";
import type { Bodies } from "./schemas.ts";
import type { ProfileName } from "./settings.ts";

/** What this server is and can do. */
export interface Status {
  readonly version: string;
  readonly store: "memory" | "sqlite" | "postgres";
  /** Nothing is kept but summaries in memory. */
  readonly noStore: boolean;
  /** Nothing is changed, only reported. */
  readonly observe: boolean;
  /** False: `/v1` and chats answer with `no-upstream`; everything else works. */
  readonly hasUpstream: boolean;
  readonly profile: ProfileName;
  readonly upstreams: readonly UpstreamStatus[];
  /** Models can be added on the page: it is one person's server. */
  readonly canAddModels: boolean;
  /** Set when summaries are written by a model. */
  readonly summarizer: string | undefined;
}

interface UpstreamStatus {
  readonly name: string;
  readonly baseURL: string;
  readonly dialects: readonly DialectId[];
  /** Whose key is sent. */
  readonly keys: "client" | "server" | "none";
  /** Added on the page, where it can be removed again. */
  readonly isOwn: boolean;
}

/** A server of models, as a person adds it. The key goes there and into a file of the server's, and never comes back. */
export type NewUpstream = Bodies["newUpstream"];

/** The server with what was added; `warning`: it was added, and couldn't be asked for its models. */
export interface AddedUpstream extends Status {
  readonly warning?: string;
}

/** What a try at a server of models brought. */
export type UpstreamTest =
  | { readonly ok: true; readonly models: readonly string[] }
  | { readonly ok: false; readonly message: string; readonly fix: string };

/** A server of models that runs on this machine. `baseURL` is as clients of OpenAI's API take it. */
export interface FoundServer {
  readonly name: string;
  readonly baseURL: string;
  readonly models: readonly string[];
}

/** A model that can be chosen. */
export interface ModelChoice {
  readonly id: string;
  readonly upstream: string;
  readonly window: number;
  /** Where the window comes from. */
  readonly windowFrom: "config" | "registry" | "upstream" | "guess";
  readonly output: number | undefined;
  readonly prices: Prices | undefined;
}

export interface ModelsAnswer {
  readonly models: readonly ModelChoice[];
  /** Upstreams that couldn't be asked, with what to do about it. */
  readonly problems: readonly {
    readonly upstream: string;
    readonly message: string;
    readonly fix: string;
    /** It has no key on the server, and refused the client's, or that there was none. */
    readonly wantsKey?: true;
  }[];
}
