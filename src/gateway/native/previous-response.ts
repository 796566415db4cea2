import type { Gateway } from "../gateway.ts";
import type { Exchange } from "../v1/exchange.ts";
import { transcriptOf } from "../wires/responses.ts";
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

/**
 * A request that goes on from an answer which it only names, with everything before it. Where we don't have that, the
 * request stays as it is: the upstream may.
 */
export async function withPrevious(
  gateway: Gateway,
  of: Pick<Exchange, "client" | "wire">,
  body: Json,
): Promise<Json> {
  const named = of.wire.api === "responses" ? body["previous_response_id"] : undefined;
  if (typeof named !== "string") return body;
  const before = await rebuildFromStore(gateway, of, named);
  if (!before) {
    gateway.log.warn({ response: named }, "a request names an answer that isn't in the store");
    return body;
  }
  const { previous_response_id: _, ...rest } = body;
  return { ...rest, input: [...before, ...transcriptOf(body["input"])] };
}

/** Everything that was said up to an answer, from our store; undefined if we don't have it. */
async function rebuildFromStore(
  gateway: Gateway,
  { client, wire }: Pick<Exchange, "client" | "wire">,
  response: string,
): Promise<readonly unknown[] | undefined> {
  const { conversations } = gateway.store;
  const { tenant } = client;
  // The session of such a conversation is its newest answer: any node finds it, also after a restart.
  const near = gateway.responses.find(tenant, response);
  const found = near ? undefined : await conversations.findSession(tenant, response);
  const place = near ?? (found && { conversation: found.id, length: found.length });
  if (!place) return undefined;
  const stored = await conversations.read(tenant, place.conversation, { to: place.length });
  const items = stored.map(({ wire: text }) => JSON.parse(text) as unknown);
  try {
    for (const item of items) wire.dialect.read(item);
  } catch {
    return undefined;
  }
  return items;
}
