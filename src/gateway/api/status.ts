import type { DialectId, Prices } from "../../core/types.ts";
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
  /** Set when summaries are written by a model. */
  readonly summarizer: string | undefined;
}

interface UpstreamStatus {
  readonly name: string;
  readonly baseURL: string;
  readonly dialects: readonly DialectId[];
  /** Whose key is sent. */
  readonly keys: "client" | "server" | "none";
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
  }[];
}
