import { mergeTuning } from "../../config/tuning-schema.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import type { CompactorChoice } from "../compaction/compactor-choice.ts";
import type { RequestOptions } from "../compaction/request-options.ts";
import type { Chat } from "../conversation/chat-of.ts";
import { choiceOf as choiceOfSettings } from "../conversation/loaded.ts";
import type { WireRequest } from "../wires/wire.ts";

/** Which compactor serves a request: what its headers ask for, else what was set for its conversation. */
export function choiceOf(
  parts: Pick<CompactionParts, "upstreams">,
  {
    tenant,
    wire,
    upstream,
    asked,
    options,
    chat,
  }: Pick<CompactorChoice, "tenant" | "wire" | "upstream"> & {
    readonly asked: Pick<WireRequest, "model" | "cap">;
    readonly options: RequestOptions;
    readonly chat: Chat | undefined;
  },
): CompactorChoice {
  const { model, cap } = asked;
  const set = chat?.settings && choiceOfSettings(parts, { tenant, wire, model, settings: chat.settings });
  const { profile, strategy, budget, window, summarizer, tuning } = options;
  const wishes = [profile, strategy, budget, window, summarizer, tuning];
  const isAsked = wishes.some((wish) => wish !== undefined);
  return {
    ...set,
    tenant,
    wire,
    upstream,
    model,
    cap,
    profile: profile ?? set?.profile,
    strategy: strategy ?? set?.strategy,
    budget: budget ?? set?.budget,
    window: window ?? set?.window,
    summarizer: summarizer ?? set?.summarizer,
    ...(tuning && { tuning: mergeTuning(set?.tuning, tuning) }),
    ...(isAsked && {
      usual: {
        profile: set?.profile,
        strategy: set?.strategy,
        budget: set?.budget,
        window: set?.window,
        summarizer: set?.summarizer,
        tuning: set?.tuning,
      },
    }),
  };
}
