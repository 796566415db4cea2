import type { Upstream } from "./upstream.ts";

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
