import type { Report } from "../../core/types.ts";
import { fittingCap } from "../compaction/fitting-cap.ts";
import type { Json } from "../wires/wire.ts";
import type { Loaded } from "../conversation/loaded.ts";

/** Anthropic wants a cap; this is what a chat gets that doesn't set one (tokens). */
const DEFAULT_MAX_TOKENS = 4_096;

/** The request that a chat of the page sends. */
export function requestBody(
  { wire, model, settings }: Pick<Loaded, "wire" | "model" | "settings">,
  view: { readonly messages: readonly unknown[]; readonly system: unknown },
  report: Pick<Report, "budget" | "tokens">,
): Json {
  const { temperature } = settings;
  const base: Json = {
    model,
    stream: true,
    ...(temperature !== undefined && { temperature }),
    ...(wire.api === "chat" && { stream_options: { include_usage: true } }),
    ...(wire.api === "responses" && { store: false }),
  };
  const cap = answerCap({ wire, settings });
  const body = wire.write(base, view);
  return cap === undefined ? body : wire.withCap(body, fittingCap(cap, report));
}

/** Largest answer that a chat asks for; undefined if it leaves that to the provider. */
export function answerCap({ wire, settings }: Pick<Loaded, "wire" | "settings">): number | undefined {
  return settings.maxTokens ?? (wire.api === "messages" ? DEFAULT_MAX_TOKENS : undefined);
}
