import type { Status } from "../api.ts";
import { shownAddress } from "../upstream/upstream.ts";
import type { PageParts } from "./context.ts";

/** What a page is told of the server before anything else. */
export function statusOf(
  parts: Pick<PageParts, "config" | "store" | "upstreams" | "version" | "ownUpstreams" | "canAddModels">,
): Status {
  const { config, store, upstreams, version, ownUpstreams, canAddModels } = parts;
  const { summarizer } = config;
  return {
    version,
    store: config.store ? store.kind : "memory",
    noStore: !config.store,
    observe: config.observe,
    hasUpstream: upstreams.length > 0,
    canAddModels,
    profile: config.profile ?? "agent",
    upstreams: upstreams.map(({ name, config: own, dialects }) => ({
      name,
      baseURL: shownAddress(own.baseURL),
      dialects,
      keys: own.apiKey !== undefined ? ("server" as const) : ("client" as const),
      isOwn: ownUpstreams.has(name),
    })),
    summarizer:
      upstreams.length === 0 || summarizer === "extractive"
        ? undefined
        : summarizer === "same"
          ? "the chat's own model"
          : summarizer.model,
  };
}
