import type { IncomingHttpHeaders } from "node:http";
import type { NamedBefore } from "../../apis/shared/api.ts";
import { isJson, type Json } from "../../apis/shared/fields.ts";
import { parseExact } from "../../core/json.ts";
import { readHead } from "../../recall/conversation-index.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import { REDACTED } from "../compaction/redact-secrets.ts";
import type { Client } from "../http/admit.ts";
import { checkNamed, RequestFault } from "../http/request-fault.ts";
import { headerOf } from "../http/send-json.ts";
import { loggable } from "../telemetry/log.ts";
import { askUpstream, keysIn, type Upstream } from "../upstream/upstream.ts";
import type { Wire } from "../wires/index.ts";
import { changeMeta, isThrownAway, metaOf } from "./chat-settings.ts";
import type { Place } from "./memory.ts";
import { answerKey } from "./transcript-record.ts";

/** Session headers that real clients send: Claude Code, Codex, opencode. */
const CLIENT_HEADERS = [
  "x-claude-code-session-id",
  "session-id",
  "session_id",
  "x-session-id",
  "x-session-affinity",
  "conversation_id",
];
const MAX_CHARS = 200;

/** The client's own name for the conversation. */
export interface Session {
  readonly name: string;
  /** `asked`: by our own header, so it decides. `client`: shared by a client's side calls, so it is only a hint. */
  readonly source: "asked" | "client";
}

export function sessionOf(headers: IncomingHttpHeaders): Session | undefined {
  const asked = headerOf(headers, "x-precis-session");
  if (asked !== undefined) {
    if (asked.length > MAX_CHARS || !/^[\x21-\x7e]+$/.test(asked))
      throw new RequestFault(
        400,
        "invalid",
        `precis: the header x-precis-session must be at most ${MAX_CHARS} visible ASCII characters.`,
      );
    if (isReservedSession(asked))
      throw new RequestFault(
        400,
        "invalid",
        `precis: the header x-precis-session is ${JSON.stringify(asked)}; names that begin with precis: are reserved. Choose another one.`,
      );
    return { name: asked, source: "asked" };
  }
  for (const header of CLIENT_HEADERS) {
    const name = headerOf(headers, header);
    if (name === undefined || name.length > MAX_CHARS || isReservedSession(name)) continue;
    if (/^[\x21-\x7e]+$/.test(name)) return { name, source: "client" };
  }
  return undefined;
}

/** The program that sends a request, by the first word of its `User-Agent`: `claude-cli` of `claude-cli/2.1 (external)`. */
export function programOf(headers: IncomingHttpHeaders): string {
  const [name = ""] = headerOf(headers, "user-agent")?.split(/[/\s]/, 1) ?? [];
  return /^[\x21-\x7e]{1,60}$/.test(name) ? name : "unknown client";
}

/** Names of sessions that begin like this are precis's own. */
const RESERVED = "precis:";

/** By this name, the conversation that was made of an example of the page is found again. */
export const exampleSession = (file: string): string => `${RESERVED}example:${file}`;

/** May a client or an upstream not give a conversation this name? What it says would stand among precis's own data. */
export function isReservedSession(name: string): boolean {
  return name.toLowerCase().startsWith(RESERVED);
}

/** Ids of answers are stored as hashes where they are long; longer ones than this are refused (characters). */
const MAX_ID = 16_384;
/** Characters of an id that are logged. */
const MAX_LOGGED = 200;
/** So long a request waits for its upstream to tell of a conversation (milliseconds). */
const ASK_MS = 5_000;

/** What a request goes on from without sending it: an answer, or one of the provider's conversations. */
export interface GoesOnFrom extends NamedBefore {
  /** It was in our store, and now is part of the request. */
  readonly isRebuilt: boolean;
  /** Where in our store. */
  readonly place?: Place;
  /** The upstream keeps the conversation, with items that never came through here. */
  readonly isKept?: true;
}

/** A request with everything before it that it only names. Where we don't have that, it stays as it is: the upstream may. */
export async function withPrevious(
  parts: NamingParts,
  of: Asking,
  body: Json,
  isForwarded: boolean,
): Promise<{ readonly body: Json; readonly goesOnFrom: GoesOnFrom | undefined }> {
  const { naming } = of.wire;
  if (!naming) return { body, goesOnFrom: undefined };
  const { response, conversation } = naming.namedIn(body);
  if (response === undefined && conversation === undefined) return { body, goesOnFrom: undefined };
  for (const id of [response, conversation])
    if (id !== undefined && isReservedSession(id))
      throw new RequestFault(
        400,
        "invalid",
        "precis: an id in previous_response_id or conversation begins with precis:, which is reserved.",
      );
  if (response !== undefined) checkNamed("id in previous_response_id", response, MAX_ID);
  if (conversation !== undefined) checkNamed("id in conversation", conversation);
  if (!isForwarded && response === undefined && conversation !== undefined)
    if (await isKeptUpstream(parts, of, conversation))
      return { body, goesOnFrom: { response, conversation, isRebuilt: false, isKept: true } };
  const before = isForwarded ? undefined : await rebuildFromStore(parts, of, { response, conversation });
  if (!before) {
    if (!isForwarded)
      parts.log.warn(
        { response: response?.slice(0, MAX_LOGGED), conversation: conversation?.slice(0, MAX_LOGGED) },
        "a request goes on from something that isn't in the store; it passes untouched",
      );
    return { body, goesOnFrom: { response, conversation, isRebuilt: false } };
  }
  return {
    body: naming.rebuilt(body, before.items),
    goesOnFrom: { response, conversation, isRebuilt: true, place: before.place },
  };
}

/** What answers are found with that a request only names. */
type NamingParts = Pick<CompactionParts, "store" | "log">;

/** Whoever asks, and in which API. */
interface Asking {
  readonly client: Client;
  readonly wire: Wire;
  readonly upstream: Upstream;
  readonly headers: IncomingHttpHeaders;
}

/** Does the upstream keep a conversation that a client made there? Items that were put into it never came through here. */
async function isKeptUpstream(
  { store }: NamingParts,
  { client, wire, upstream, headers }: Asking,
  id: string,
): Promise<boolean> {
  // It wasn't kept there when it began.
  if (await store.conversations.findSession(client.tenant, id).catch(() => undefined)) return false;
  const path = wire.naming!.conversationPath(id);
  const asking = { upstream, path, headers: keysIn(headers), keyIsOurs: client.keyIsOurs };
  const asked = askUpstream({ ...asking, signal: AbortSignal.timeout(ASK_MS) });
  const { status, json } = await asked.catch(() => ({ status: 0, json: undefined }));
  return status === 200 && isJson(json) && json["id"] === id;
}

/** Everything that was said up to an answer, from our store; undefined if we don't have it. */
async function rebuildFromStore(
  parts: NamingParts,
  { client, wire }: Asking,
  named: NamedBefore,
): Promise<{ readonly items: readonly unknown[]; readonly place: Place } | undefined> {
  const { conversations } = parts.store;
  try {
    const place = await placeOf(parts, client.tenant, named);
    if (!place) return undefined;
    const { conversation, length, hash } = place;
    const [stored, head, found] = await Promise.all([
      conversations.read(client.tenant, conversation, {
        to: length,
        ...(hash !== undefined && { leaf: hash }),
      }),
      conversations.head(client.tenant, conversation),
      conversations.meta(client.tenant, conversation),
    ]);
    // It may have been deleted meanwhile.
    if (stored.length < length || !found || isThrownAway(found)) return undefined;
    if (named.response !== undefined && metaOf(found).deletedAnswers?.includes(answerKey(named.response)))
      return undefined;
    // Instructions are said anew with each request; messages of the developer aren't.
    const { lead } = readHead(wire.dialect, head);
    const items = [...lead, ...stored.map(({ wire: text }) => parseExact(text))];
    for (const item of items) wire.dialect.read(item);
    if (stored.some(({ wire: text }) => text.includes(REDACTED)) || head?.includes(REDACTED))
      parts.log.warn(
        named,
        `what a request goes on from was stored without its secrets (\`redact\`); the model gets ${REDACTED} in their place`,
      );
    return { items, place };
  } catch (error) {
    parts.log.warn(loggable(error), "what a request goes on from can't be read");
  }
  return undefined;
}

/** A client deletes an answer: nobody goes on from it any more. */
export async function deleteAnswer(parts: NamingParts, tenant: string, response: string): Promise<void> {
  const key = answerKey(response);
  const place = await placeOf(parts, tenant, { response, conversation: undefined });
  if (place)
    await changeMeta(parts, tenant, place.conversation, (meta) => ({
      ...meta,
      deletedAnswers: [...new Set([...(meta.deletedAnswers ?? []), key])],
    }));
}

/** Where it stands. The provider's own conversations are sessions by their names. */
async function placeOf(
  { store: { conversations } }: NamingParts,
  tenant: string,
  { response, conversation = "" }: NamedBefore,
): Promise<Place | undefined> {
  if (response === undefined) {
    const session = await conversations.findSession(tenant, conversation);
    return session && { conversation: session.id, length: session.length };
  }
  const answer = await conversations.findAnswer(tenant, answerKey(response));
  return answer && { conversation: answer.conversation.id, length: answer.length, hash: answer.hash };
}
