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
