import type { Gateway } from "../gateway.ts";
import { loggable } from "../ops/log.ts";
import type { Exchange } from "../v1/exchange.ts";
import { textOf } from "../wires/json.ts";
import { conversationOf, transcriptOf } from "../wires/responses.ts";
import type { Json } from "../wires/wire.ts";

/** Answers whose place in a conversation is remembered. */
const MAX_RESPONSES = 20_000;

/** Where each answer of the Responses API stands, so that a client that only names it can go on. */
export interface Responses {
  remember(
    tenant: string,
    response: string,
    place: { readonly conversation: string; readonly length: number },
  ): void;
  find(
    tenant: string,
    response: string,
  ): { readonly conversation: string; readonly length: number } | undefined;
}

export function createResponses(): Responses {
  const places = new Map<string, { readonly conversation: string; readonly length: number }>();
  return {
    remember(tenant, response, place) {
      places.set(`${tenant} ${response}`, place);
      if (places.size > MAX_RESPONSES) places.delete(places.keys().next().value!);
    },
    find: (tenant, response) => places.get(`${tenant} ${response}`),
  };
}

/** What a request goes on from without sending it: an answer, or one of the provider's conversations. */
export interface StandsOn {
  readonly response: string | undefined;
  readonly conversation: string | undefined;
  /** It was in our store, and now is part of the request. */
  readonly isRebuilt: boolean;
}

/**
 * A request that goes on from something which it only names, with everything before it. Where we don't have that, the
 * request stays as it is: the upstream may.
 */
export async function withPrevious(
  gateway: Gateway,
  of: Pick<Exchange, "client" | "wire">,
  body: Json,
  isForwarded: boolean,
): Promise<{ readonly body: Json; readonly standsOn: StandsOn | undefined }> {
  if (of.wire.api !== "responses") return { body, standsOn: undefined };
  const response = textOf(body["previous_response_id"]);
  const conversation = conversationOf(body);
  const named = response ?? conversation;
  if (named === undefined) return { body, standsOn: undefined };
  const before = isForwarded ? undefined : await rebuildFromStore(gateway, of, named);
  if (!before) {
    if (!isForwarded)
      gateway.log.warn(
        { response, conversation },
        "a request goes on from something that isn't in the store; it passes untouched",
      );
    return { body, standsOn: { response, conversation, isRebuilt: false } };
  }
  const { previous_response_id: _, conversation: __, ...rest } = body;
  return {
    body: { ...rest, input: [...before, ...transcriptOf(body["input"])] },
    standsOn: { response, conversation, isRebuilt: true },
  };
}

/** Everything that was said up to an answer, from our store; undefined if we don't have it. */
async function rebuildFromStore(
  gateway: Gateway,
  { client, wire }: Pick<Exchange, "client" | "wire">,
  named: string,
): Promise<readonly unknown[] | undefined> {
  const { conversations } = gateway.store;
  const { tenant } = client;
  try {
    // The session of such a conversation is its newest answer: any node finds it, also after a restart.
    const near = gateway.responses.find(tenant, named);
    const found = near ? undefined : await conversations.findSession(tenant, named);
    const place = near ?? (found && { conversation: found.id, length: found.length });
    if (!place) return undefined;
    const stored = await conversations.read(tenant, place.conversation, { to: place.length });
    // It may have been deleted meanwhile.
    if (stored.length < place.length) return undefined;
    const items = stored.map(({ wire: text }) => JSON.parse(text) as unknown);
    for (const item of items) wire.dialect.read(item);
    return items;
  } catch (error) {
    gateway.log.warn(loggable(error), "what a request goes on from can't be read");
    return undefined;
  }
}
