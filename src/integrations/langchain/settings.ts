import { ConfigError } from "../../core/errors.ts";
import type { TailOptions, Tuning } from "../../core/types.ts";

/** A size in one of three units: tokens, a share of the budget, or messages. */
export type ContextSize =
  | { readonly tokens: number }
  | { readonly fraction: number }
  | { readonly messages: number };

/** When to compact and how much to keep, as `summarizationMiddleware` names them. */
export interface TriggerAndKeep {
  /** When a compaction starts; of several, whichever comes first. Default: when the view is four fifths full. */
  readonly trigger?: ContextSize | readonly ContextSize[];
  /** How much of the newest conversation stays word for word, as far as it fits. Default: precis decides. */
  readonly keep?: ContextSize;
}

/** `trigger` and `keep` as options of a compactor. */
export function tuningOf({ trigger, keep }: TriggerAndKeep): Tuning {
  const sizes: readonly ContextSize[] =
    trigger === undefined ? [] : Array.isArray(trigger) ? trigger : [trigger];
  const starts = sizes.flatMap((size) => ("messages" in size ? [] : [pressureOf(size)]));
  const messages = sizes.flatMap((size) => ("messages" in size ? [size.messages] : []));
  if (starts.length > 1) {
    throw new ConfigError({
      option: "trigger",
      message: "it names tokens or a fraction more than once.",
      fix: "Give one of them, and `messages` beside it if you like.",
    });
  }
  return {
    ...(starts[0] !== undefined && { startAt: starts[0] }),
    ...(messages.length > 0 && { triggers: { messages: Math.min(...messages) } }),
    ...(keep && { tail: tailOf(keep) }),
  };
}

function pressureOf(size: Exclude<ContextSize, { readonly messages: number }>): number {
  return "tokens" in size ? size.tokens : size.fraction;
}

/** All of the landing may be tail: what was asked for is kept, as far as there is room. */
function tailOf(keep: ContextSize): TailOptions {
  if ("messages" in keep) return { messages: keep.messages, share: 1 };
  if ("tokens" in keep) return { tokens: keep.tokens, share: 1 };
  return { share: keep.fraction };
}
