import type { ServedApi } from "../../apis/shared/served-api.ts";
import type { Answer } from "./answer.ts";
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
  /** What body or path name. */
  readonly model: string;
  /** The request is counted, not answered. */
  readonly isCounted: boolean;
}

/** A request that was found in order. */
export interface Accepted {
  /** The request as the model reads it: with what it only named, and without thoughts that the provider left out. */
  readonly body: FakeBody;
  /** The answer begins with a thought. */
  readonly thinks?: boolean;
  readonly family?: FakeFamily | undefined;
  /** What the provider changed, as its answer tells it. */
  readonly transformations?: readonly unknown[];
}

/**
 * One API of the fake provider. What a request says, and what the model reads of it, is read as precis reads it; what the provider refuses
 * and answers is written from its own documentation, so that a misreading of precis's can't hide itself.
 */
export interface FakeWire {
  readonly api: ServedApi;
  /** Refuses by throwing a `ProviderRefusal`, in the words of the real provider. */
  accept(body: FakeBody, rules: WireRules): Accepted;
  /** Fields that stand behind the system prompt for the cache, and cost nothing. */
  settings?(body: FakeBody): unknown;
  /** For the cache, thoughts of earlier answers are a part of the prompt. */
  readonly comparesThoughts?: true;
  /** Neighbours of the same role are one message. */
  readonly joinsRoles?: true;
  /** The refusal of a prompt that doesn't fit. */
  tooLong(
    tokens: number,
    cap: number | undefined,
    rules: WireRules,
    body: FakeBody,
  ): ProviderRefusal | undefined;
  json(answer: Answer, use: CacheUse, request: FakeRequest, accepted: Accepted): unknown;
  events(answer: Answer, use: CacheUse, request: FakeRequest, accepted: Accepted): readonly FakeEvent[];
}
