import type { IncomingMessage, ServerResponse } from "node:http";
import type { Client } from "../auth/client.ts";
import { requestOptions } from "../compaction/request-options.ts";
import type { Gateway } from "../gateway.ts";
import { parseObject } from "../http/parse-object.ts";
import { decodeBody, readBody } from "../http/read-body.ts";
import { sendJson } from "../http/send-json.ts";
import { chooseUpstream } from "../upstream/choose-upstream.ts";
import type { DialectName } from "../upstream/upstream.ts";
import { messagesWire } from "../wires/messages.ts";
import { responsesWire } from "../wires/responses.ts";
import type { Wire } from "../wires/wire.ts";
import { loadedTools } from "./loaded-tools.ts";
import { passThrough } from "./pass-through.ts";

/** The counting routes, by path, with the API whose requests they count. */
export const counted: ReadonlyMap<string, Wire> = new Map([
  ["/v1/messages/count_tokens", messagesWire],
  ["/v1/responses/input_tokens", responsesWire],
]);

/** Counts a request: by the provider where it has a route for it, by precis's own count where it hasn't. */
export async function count(
  gateway: Gateway,
  wire: Wire,
  {
    request,
    response,
    client,
    path,
  }: { request: IncomingMessage; response: ServerResponse; client: Client; path: string },
): Promise<number> {
  const limit = gateway.config.limits.bodyBytes;
  const bytes = await readBody(request, limit);
  const body = parseObject(await decodeBody(bytes, request.headers["content-encoding"], limit));
  const asked = wire.read(body);
  const upstream = chooseUpstream(gateway.upstreams, asked.model, wire.dialect.id as DialectName);
  const { off } = requestOptions(request.headers);
  if (upstream.isNative || off || gateway.config.observe)
    return passThrough(gateway, { request, response, client, path, bytes, upstream });
  const { tokens, budget } = await gateway.compactors
    .of({ tenant: client.tenant, wire, upstream, model: asked.model })
    .plan(asked.transcript, { system: asked.system, tools: loadedTools(asked) });
  const input = tokens.transcript + budget.tools;
  const answer =
    wire.api === "messages"
      ? { input_tokens: input }
      : { object: "response.input_tokens", input_tokens: input };
  sendJson(response, 200, answer);
  return 200;
}
