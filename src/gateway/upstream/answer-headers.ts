import type { IncomingHttpHeaders } from "node:http";

/** Headers of which only the first counts if there are several. */
const SINGLE = new Set([
  "age",
  "content-length",
  "content-type",
  "etag",
  "expires",
  "last-modified",
  "location",
  "retry-after",
  "server",
]);

/** Headers of an answer, one value for each name, as Node's own client gives them. */
export function answerHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): IncomingHttpHeaders {
  const joined: Record<string, string | string[] | undefined> = {};
  for (const name in headers) {
    const value = headers[name];
    if (!Array.isArray(value) || name === "set-cookie") joined[name] = value;
    else joined[name] = SINGLE.has(name) ? value[0] : value.join(", ");
  }
  return joined;
}
