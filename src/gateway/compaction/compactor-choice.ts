import type { Profile, StrategyName, Tuning } from "../../core/types.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { Wire } from "../wires/wire.ts";
import type { Windows } from "./windows.ts";

/** What decides which compactor serves a request. */
export interface CompactorChoice {
  readonly tenant: string;
  readonly wire: Wire;
  readonly upstream: Upstream | undefined;
  readonly model: string;
  /** Largest answer that the request asks for, in tokens. */
  readonly cap?: number | undefined;
  readonly profile?: Profile | undefined;
  readonly strategy?: StrategyName | undefined;
  readonly budget?: number | undefined;
  readonly window?: number | undefined;
  /** Who writes summaries, by name: a model, `same` or `extractive`. Left out: as configured. */
  readonly summarizer?: string | undefined;
  /** More options, of the page's settings. */
  readonly tuning?: Tuning | undefined;
  /** What would hold without the request's own headers. What they ask for is for that request alone. */
  readonly usual?: Pick<
    CompactorChoice,
    "profile" | "strategy" | "budget" | "window" | "summarizer" | "tuning"
  >;
}

/** What holds for a request: its own wishes, the upstream's settings, the config's, the profile's. */
export type Settle = (choice: CompactorChoice) => {
  readonly info: ReturnType<Windows["of"]>;
  readonly window: number;
  readonly profile: Profile;
  readonly strategy: StrategyName | undefined;
  readonly budget: number | undefined;
  readonly tuning: Tuning;
};
