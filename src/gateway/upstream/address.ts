import { isGoogle } from "../../apis/shared/providers.ts";
import type { Upstream } from "./upstream.ts";

/**
 * The path at the upstream for a path of ours (`/v1/…`). A base with or without `/v1` means the same; another base
 * (`/v1beta/openai`) is OpenAI's convention: it stands for `/v1`. Anthropic's convention is a base without `/v1`, Google's one
 * without `/v1beta`; there, OpenAI's API stands below it.
 */
export function targetPath(upstream: Upstream, path: string): string {
  const { search } = upstream.url;
  const target = pathAt(upstream, path);
  // What an address asks with every request (Azure's `api-version`), beside what the client asks.
  return search === "" ? target : `${target}${target.includes("?") ? "&" : "?"}${search.slice(1)}`;
}

/** What an address of Google's may end with: the version, and the place of its imitation of OpenAI's API. */
const GOOGLE_BASE = /\/v1(?:beta\d*|alpha)?(?:\/openai)?$/;

function pathAt(upstream: Upstream, path: string): string {
  const base = upstream.url.pathname.replace(/\/+$/, "");
  const convention = upstream.conventionOf(path);
  if (convention === "gemini") return base.replace(GOOGLE_BASE, "") + path;
  if (isGoogle(upstream.url.hostname) && GOOGLE_BASE.test(base || "/v1"))
    return `${base.replace(GOOGLE_BASE, "")}/v1beta/openai${path.slice("/v1".length)}`;
  if (base.endsWith("/v1")) return base.slice(0, -"/v1".length) + path;
  if (base === "" || convention === "anthropic") return base + path;
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
