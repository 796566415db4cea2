import { parseExact } from "../../core/exact-json.ts";
import type { Gateway } from "../gateway.ts";
import { loggable } from "../telemetry/log.ts";
import { answerKey, answerKeys } from "./answer-key.ts";
import type { Place } from "./locate.ts";
import { REDACTED } from "../compaction/redact-secrets.ts";
import { isReservedSession } from "./reserved-session.ts";
import { readHead } from "./stored-head.ts";
import type { Exchange } from "../v1/exchange.ts";
import { textOf } from "../http/json.ts";
import { RequestFault } from "../http/request-fault.ts";
import { conversationOf, transcriptOf } from "../wires/responses.ts";
import type { Json } from "../wires/wire.ts";

/** Longer ids of answers and conversations are refused: they are logged, looked up and remembered (characters). */
const MAX_ID = 16_384;
/** Characters of an id that are logged. */
const MAX_LOGGED = 200;
/** Longer ids are remembered by their hash (characters). */
const MAX_REMEMBERED = 200;

/** Answers whose place in a conversation is remembered. */
const MAX_RESPONSES = 20_000;

/** Where each answer of the Responses API stands, so that a client that only names it can go on. */
export interface Responses {
  remember(tenant: string, response: string, place: Place): void;
  find(tenant: string, response: string): Place | undefined;
}

export function createResponses(): Responses {
  const places = new Map<string, Place>();
  const keyOf = (tenant: string, response: string): string =>
    `${tenant} ${response.length <= MAX_REMEMBERED ? response : answerKey(response)}`;
  return {
    remember(tenant, response, place) {
      places.set(keyOf(tenant, response), place);
      if (places.size > MAX_RESPONSES) places.delete(places.keys().next().value!);
    },
    find: (tenant, response) => places.get(keyOf(tenant, response)),
  };
}

/** What a request goes on from without sending it: an answer, or one of the provider's conversations. */
export interface StandsOn {
  readonly response: string | undefined;
  readonly conversation: string | undefined;
  /** It was in our store, and now is part of the request. */
  readonly isRebuilt: boolean;
  /** Where in our store. */
  readonly place?: Place;
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
  const response = textOf(body["previous_response_id"]);
  const conversation = conversationOf(body);
  if (response === undefined && conversation === undefined) return { body, standsOn: undefined };
  for (const id of [response, conversation])
    if (id !== undefined && (id.length > MAX_ID || isReservedSession(id)))
      throw new RequestFault(
        400,
        "invalid",
        `precis: an id in previous_response_id or conversation is longer than ${MAX_ID} characters, or begins with precis:, which is reserved.`,
      );
  const before = isForwarded ? undefined : await rebuildFromStore(gateway, of, { response, conversation });
  if (!before) {
    if (!isForwarded)
      gateway.log.warn(
        { response: response?.slice(0, MAX_LOGGED), conversation: conversation?.slice(0, MAX_LOGGED) },
        "a request goes on from something that isn't in the store; it passes untouched",
      );
    return { body, standsOn: { response, conversation, isRebuilt: false } };
  }
  const { previous_response_id: _, conversation: __, ...rest } = body;
  return {
    body: { ...rest, input: [...before.items, ...transcriptOf(body["input"])] },
    standsOn: { response, conversation, isRebuilt: true, place: before.place },
  };
}

type Named = Pick<StandsOn, "response" | "conversation">;

/** Everything that was said up to an answer, from our store; undefined if we don't have it. */
async function rebuildFromStore(
  gateway: Gateway,
  { client, wire }: Pick<Exchange, "client" | "wire">,
  named: Named,
): Promise<{ readonly items: readonly unknown[]; readonly place: Place } | undefined> {
  const { conversations } = gateway.store;
  try {
    for await (const { isSession, ...place } of placesOf(gateway, client.tenant, named)) {
      const { conversation, length } = place;
      const [stored, head] = await Promise.all([
        conversations.read(client.tenant, conversation, { to: length }),
        conversations.head(client.tenant, conversation),
      ]);
      // It may have been deleted meanwhile.
      if (stored.length < length) continue;
      // A session had the name of its newest answer, which that isn't any more once another one follows.
      if (isSession && named.response !== undefined && stored.at(-1)?.answer !== undefined) continue;
      // Instructions are said anew with each request; messages of the developer aren't.
      const { lead } = readHead(wire.dialect, head);
      const items = [...lead, ...stored.map(({ wire: text }) => parseExact(text))];
      for (const item of items) wire.dialect.read(item);
      if (stored.some(({ wire: text }) => text.includes(REDACTED)) || head?.includes(REDACTED))
        gateway.log.warn(
          named,
          `what a request goes on from was stored without its secrets (\`redact\`); the model gets ${REDACTED} in their place`,
        );
      return { items, place };
    }
  } catch (error) {
    gateway.log.warn(loggable(error), "what a request goes on from can't be read");
  }
  return undefined;
}

/** Where it may stand: as this node remembers it, as the store does, and as older versions of precis stored it. */
async function* placesOf(
  { store: { conversations }, responses }: Gateway,
  tenant: string,
  { response, conversation }: Named,
): AsyncGenerator<Place & { readonly isSession?: boolean }> {
  const name = response ?? conversation ?? "";
  const near = responses.find(tenant, name);
  if (near) yield near;
  for (const key of response === undefined ? [] : answerKeys(response)) {
    const answer = await conversations.findAnswer(tenant, key);
    if (answer) yield { conversation: answer.conversation.id, length: answer.length };
  }
  // The provider's own conversations are sessions by their names.
  const session = await conversations.findSession(tenant, name);
  if (session) yield { conversation: session.id, length: session.length, isSession: true };
}
