import type { Upstream } from "./upstream.ts";

/**
 * The path at the upstream for a path of ours (`/v1/…`). A base with or without `/v1` means the same; another base
 * (`/v1beta/openai`) is OpenAI's convention: it stands for `/v1`. Anthropic's convention is a base without `/v1`.
 */
export function targetPath(upstream: Upstream, path: string): string {
  const { search } = upstream.url;
  const target = pathAt(upstream, path);
  // What an address asks with every request (Azure's `api-version`), beside what the client asks.
  return search === "" ? target : `${target}${target.includes("?") ? "&" : "?"}${search.slice(1)}`;
}

function pathAt(upstream: Upstream, path: string): string {
  const base = upstream.url.pathname.replace(/\/+$/, "");
  if (base.endsWith("/v1")) return base.slice(0, -"/v1".length) + path;
  if (base === "" || upstream.conventionOf(path) === "anthropic") return base + path;
  return base + path.slice("/v1".length);
}

/** Stands for a query that isn't shown. */
const HIDDEN = "?…";

/** An upstream's address as it may be shown: some hold a key in their query, and status and pages are for everybody. */
export function shownAddress(baseURL: string): string {
  const query = baseURL.indexOf("?");
  return query < 0 ? baseURL : baseURL.slice(0, query) + HIDDEN;
}

/** A path or address at the upstream without what its own address adds to every request. */
export function withoutOwnQuery({ url: { search } }: Pick<Upstream, "url">, text: string): string {
  return search.length > 1 ? text.replaceAll(search.slice(1), "…") : text;
}
