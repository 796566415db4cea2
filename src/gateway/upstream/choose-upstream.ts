import type { IncomingHttpHeaders } from "node:http";
import { RequestFault } from "../http/request-fault.ts";
import { wireOfRequest } from "../wires/index.ts";
import type { DialectName, Upstream } from "./upstream.ts";

/** The first upstream that takes the model in this format. Only configured ones can ever be chosen. */
export function chooseUpstream(
  upstreams: readonly Upstream[],
  model: string,
  dialect: DialectName | undefined,
): Upstream {
  needUpstream(upstreams);
  const chosen = upstreams.find((one) => one.takes(model, dialect));
  if (chosen) return chosen;
  const names = upstreams.map(
    (one) => `${one.name} (${one.config.models?.join(", ") ?? "all models"}; ${one.dialects.join(", ")})`,
  );
  throw new RequestFault(
    404,
    "no-upstream-for-model",
    `precis: no upstream takes the model ${JSON.stringify(model)}${dialect === undefined ? "" : ` as ${dialect}`}. Upstreams: ${names.join("; ")}.`,
  );
}

/**
 * Where a request goes that precis has no part in. Most of these name no model (files, batches), or one that a config
 * doesn't list (embeddings): then it is the first upstream that speaks the client's format.
 */
export function chooseForRest(upstreams: readonly Upstream[], model: string, dialect: DialectName): Upstream {
  needUpstream(upstreams);
  const speaking = upstreams.filter((one) => one.dialects.includes(dialect));
  const taking = speaking.find((one) => model !== "" && one.takes(model, dialect));
  const isClear = model === "" || speaking.length === 1;
  return taking ?? (isClear ? speaking[0] : undefined) ?? chooseUpstream(upstreams, model, dialect);
}

function needUpstream(upstreams: readonly Upstream[]): void {
  if (upstreams.length === 0)
    throw new RequestFault(
      503,
      "no-upstream",
      "precis: no upstream is configured, so there is no model to ask. Start it with `precis serve --upstream URL`, list upstreams in precis.config.json, or set OPENAI_API_KEY or ANTHROPIC_API_KEY.",
    );
}

/** Tells the format of a request that precis has no part in. */
export function dialectOf(path: string, headers: IncomingHttpHeaders): DialectName {
  return wireOfRequest(path, headers).dialect.id as DialectName;
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
