import type { IncomingHttpHeaders } from "node:http";
import { wireAtPath } from "../wires/index.ts";
import { chooseForRest } from "./choose-upstream.ts";
import type { DialectName, Upstream } from "./upstream.ts";

/** Tells the format of a request that precis has no part in. Paths that both providers have are told apart by a header that Anthropic's clients always send. */
export function dialectOf(path: string, headers: IncomingHttpHeaders): DialectName {
  const wire = wireAtPath(path);
  if (wire) return wire.dialect.id as DialectName;
  return headers["anthropic-version"] === undefined ? "openai-chat" : "anthropic-messages";
}

/**
 * The upstream that a client's key was sent for when the request names no model: the one that any other request without
 * a model goes to. The others are strangers to the key and must not see it.
 */
export function keyOwner(
  upstreams: readonly Upstream[],
  path: string,
  headers: IncomingHttpHeaders,
): Upstream | undefined {
  const dialect = dialectOf(path, headers);
  return upstreams.some((one) => one.dialects.includes(dialect))
    ? chooseForRest(upstreams, "", dialect)
    : undefined;
}
