import type { IncomingHttpHeaders } from "node:http";
import { isJson, type Json, listOf, textOf } from "../../apis/shared/fields.ts";
import type { Client } from "../http/admit.ts";
import { RequestFault } from "../http/request-fault.ts";
import { sendJson } from "../http/send-json.ts";
import { askUpstream, headersFor, isOfKey, keyOwner, type Upstream } from "../upstream/upstream.ts";
import { type Passing, passThrough, type V1Parts } from "./pass-through.ts";

/** How long an upstream may take to list its models (milliseconds). */
const LIST_MS = 10_000;

/** The models of all upstreams. One upstream answers for itself; several are put together. */
export async function listModels(
  parts: Pick<V1Parts, "config" | "upstreams">,
  { request, response, client, path }: Passing,
): Promise<number> {
  const [only, ...others] = parts.upstreams;
  if (others.length === 0)
    return passThrough(parts, { request, response, client, path, ...(only && { upstream: only }) });
  const data = await listedModels(parts, request.headers, client);
  return sendJson(response, 200, { object: "list", data, has_more: false });
}

/** The models of all upstreams that list some. Throws if none does. */
export async function listedModels(
  parts: Pick<V1Parts, "upstreams">,
  headers: IncomingHttpHeaders,
  client: Pick<Client, "keyIsOurs">,
): Promise<Json[]> {
  const lists = await Promise.allSettled(listsOf(parts, headers, client));
  // One that is down or needs another key leaves the others' models; if all are, an empty list would hide why.
  if (lists.length > 0 && lists.every(({ status }) => status === "rejected"))
    throw new RequestFault(
      502,
      "upstream-unreachable",
      `precis: no upstream lists its models: ${reasons(parts, lists)}.`,
    );
  return lists.flatMap((list) => (list.status === "fulfilled" ? list.value : []));
}

function reasons(
  { upstreams }: Pick<V1Parts, "upstreams">,
  lists: readonly PromiseSettledResult<unknown>[],
): string {
  const said = lists.map((list, index) => {
    const reason: unknown = list.status === "rejected" ? list.reason : undefined;
    return `${upstreams[index]!.name} (${reason instanceof Error ? reason.message.replace(/^precis: |\.$/g, "") : String(reason)})`;
  });
  return said.join("; ");
}

/** What each upstream lists, in their order. Only one of them is asked with all that the client sent. */
export function listsOf(
  { upstreams }: Pick<V1Parts, "upstreams">,
  headers: IncomingHttpHeaders,
  { keyIsOurs }: Pick<Client, "keyIsOurs">,
): Promise<Json[]>[] {
  const owner = keyOwner(upstreams, MODELS_PATH, headers);
  return upstreams.map((upstream) => modelsOf(upstream, headersFor(upstream, owner, headers), keyIsOurs));
}

export const MODELS_PATH = "/v1/models";

/** What one upstream lists. Throws if it can't be asked. */
export async function modelsOf(
  upstream: Upstream,
  given: IncomingHttpHeaders,
  keyIsOurs: boolean,
): Promise<Json[]> {
  const { status, json } = await askUpstream({
    upstream,
    path: MODELS_PATH,
    headers: { ...given, ...upstream.providerOf(MODELS_PATH).headers },
    keyIsOurs,
    signal: AbortSignal.timeout(LIST_MS),
  });
  if (status !== 200)
    throw new RequestFault(status, isOfKey(status) ? "upstream-key" : "upstream", `it answered ${status}`);
  const models = isJson(json) ? listOf(json["data"]).filter(isJson) : [];
  upstream.listed = new Set(models.flatMap(({ id }) => textOf(id) ?? []));
  return models;
}
