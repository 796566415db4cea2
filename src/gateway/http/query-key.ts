import type { IncomingMessage } from "node:http";

/** The header in which Google's clients send their key. */
const HEADER = "x-goog-api-key";

/**
 * Google's clients may send their key in the query. It is moved into its header, where every key is: so it stands in no path that is
 * logged, shown or sent on.
 */
export function hideQueryKey(request: IncomingMessage): void {
  const { url = "/" } = request;
  const at = url.indexOf("?");
  if (at < 0 || !/[?&]key=/.test(url)) return;
  const query = new URLSearchParams(url.slice(at + 1));
  const key = query.get("key");
  query.delete("key");
  if (key) request.headers[HEADER] ??= key;
  const rest = query.toString();
  request.url = url.slice(0, at) + (rest === "" ? "" : `?${rest}`);
}
