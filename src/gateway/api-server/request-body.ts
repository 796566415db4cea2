import type { Json } from "../wires/wire.ts";
import type { Loaded } from "./loaded.ts";

/** Anthropic wants a cap; this is what a chat gets that doesn't set one (tokens). */
const DEFAULT_MAX_TOKENS = 4_096;

/** The request that a chat of the page sends. */
export function requestBody(
  { wire, model, settings }: Pick<Loaded, "wire" | "model" | "settings">,
  view: { readonly messages: readonly unknown[]; readonly system: unknown },
): Json {
  const { maxTokens, temperature } = settings;
  const base: Json = {
    model,
    stream: true,
    ...(temperature !== undefined && { temperature }),
    ...(wire.api === "chat" && { stream_options: { include_usage: true } }),
    ...(wire.api === "responses" && { store: false }),
  };
  const cap = maxTokens ?? (wire.api === "messages" ? DEFAULT_MAX_TOKENS : undefined);
  const body = wire.write(base, view);
  return cap === undefined ? body : wire.withCap(body, cap);
}
