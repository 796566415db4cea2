import type { Api } from "../../apis/shared/api.ts";
import type { Answer } from "./answer.ts";
import type { Prompt } from "./prompt.ts";
import type { CacheUse } from "./prompt-cache.ts";
import type { ProviderRefusal } from "./provider-refusal.ts";
import type { FakeBody, FakeFamily, FakeRequest } from "./types.ts";

/** One server-sent event; `event` is left out where the API has no names. */
export interface FakeEvent {
  readonly event?: string;
  readonly data: unknown;
}

/** What validation needs to know beside the body. */
export interface WireRules {
  readonly headers: Readonly<Record<string, string>>;
  readonly window: number;
  readonly maxOutput: number;
  readonly alternation: "strict" | "merged";
  readonly unknownFields: "refuse" | "ignore";
  readonly binding: "prefix" | "none" | undefined;
  readonly family: FakeFamily | undefined;
  readonly count: (text: string) => number;
  /** What body or path name. */
  readonly model: string;
  /** The request is counted, not answered. */
  readonly isCounted: boolean;
}

/** A request that was found in order. */
export interface Accepted {
  readonly prompt: Prompt;
  /** Kept from the validation for the answer. */
  readonly notes: Readonly<Record<string, unknown>>;
  readonly family?: FakeFamily | undefined;
}

/**
 * One API of the fake provider. Which model a request names, where and how it asks, is read as precis reads it; what the provider refuses
 * and answers is written from its own documentation, so that a misreading of precis's can't hide itself.
 */
export interface FakeWire {
  readonly api: Pick<Api, "path" | "read" | "counts">;
  /** Refuses by throwing a `ProviderRefusal`, in the words of the real provider. */
  accept(body: FakeBody, rules: WireRules): Accepted;
  /** The refusal of a prompt that doesn't fit. */
  tooLong(
    tokens: number,
    cap: number | undefined,
    rules: WireRules,
    body: FakeBody,
  ): ProviderRefusal | undefined;
  /** What its endpoint for counting answers; left out where it has none. */
  counted?(tokens: number): unknown;
  json(answer: Answer, use: CacheUse, request: FakeRequest, accepted: Accepted): unknown;
  events(answer: Answer, use: CacheUse, request: FakeRequest, accepted: Accepted): readonly FakeEvent[];
}
