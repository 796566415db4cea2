import type { IncomingMessage, ServerResponse } from "node:http";
import { BudgetImpossibleError } from "../../core/errors.ts";
import { measureOf } from "../compaction/measure-of.ts";
import type { Client } from "../http/client.ts";
import type { CompactorChoice } from "../compaction/compactors.ts";
import { requestOptions } from "../compaction/request-options.ts";
import type { Gateway } from "../gateway.ts";
import { checkValues } from "../http/check-values.ts";
import { parseObject } from "../http/parse-object.ts";
import { decodeBody, readBody } from "../http/read-body.ts";
import { sendJson } from "../http/send-json.ts";
import { plainBody } from "./emulate.ts";
import { clearedBy, inputTokens } from "./input-tokens.ts";
import { nativeWish } from "../wires/native-wish.ts";
import { withPrevious } from "../conversation/previous-response.ts";
import { chooseUpstream } from "../upstream/choose-upstream.ts";
import type { DialectName } from "../upstream/upstream.ts";
import { messagesWire } from "../wires/messages.ts";
import { responsesWire } from "../wires/responses.ts";
import type { Wire, WireRequest } from "../wires/wire.ts";
import { checkAsked } from "../wires/check-asked.ts";
import { loadedTools } from "../wires/loaded-tools.ts";
import { lookAhead } from "../compaction/look-ahead.ts";
import { abortOnClose } from "./open-exchange.ts";
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
  const decoded = await decodeBody(bytes, request.headers["content-encoding"], limit);
  await checkValues(decoded, gateway.config.limits.values);
  const body = parseObject(decoded);
  const asked = wire.read(body);
  checkAsked(asked, gateway.config.limits);
  const upstream = chooseUpstream(gateway.upstreams, asked.model, wire.dialect.id as DialectName);
  const { off } = requestOptions(request.headers);
  if (upstream.isNative || off || gateway.config.observe)
    return passThrough(gateway, { request, response, client, path, bytes, upstream });
  const { edits } = nativeWish(wire, body);
  const { body: whole } = await withPrevious(gateway, { client, wire }, body, false);
  const plain = wire.read(plainBody(wire, whole));
  const choice = { tenant: client.tenant, wire, upstream, model: asked.model };
  await lookAhead(gateway, choice, {
    bytes: decoded.length,
    transcript: plain.transcript,
    signal: abortOnClose(response),
  });
  const { messages } = clearedBy(wire, await measureOf(gateway, choice), plain, edits);
  const original = await countInput(gateway, choice, plain);
  const input =
    messages === plain.transcript
      ? original
      : await countInput(gateway, choice, { ...plain, transcript: messages });
  const answer =
    wire.api === "messages"
      ? {
          input_tokens: input,
          ...((edits.length > 0 || request.headers["anthropic-beta"] !== undefined) && {
            context_management: edits.length > 0 ? { original_input_tokens: original } : null,
          }),
        }
      : { object: "response.input_tokens", input_tokens: input };
  sendJson(response, 200, answer);
  return 200;
}

async function countInput(gateway: Gateway, choice: CompactorChoice, asked: WireRequest): Promise<number> {
  try {
    const { tokens, budget } = await gateway.compactors
      .of(choice)
      .plan(asked.transcript, { system: asked.system, tools: loadedTools(asked) });
    return tokens.transcript + budget.tools;
  } catch (error) {
    if (!(error instanceof BudgetImpossibleError)) throw error;
    // What can never fit has a count all the same.
    return inputTokens(choice.wire, await measureOf(gateway, choice), asked);
  }
}
