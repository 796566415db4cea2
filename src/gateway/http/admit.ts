import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { KEY_HEADERS } from "../../apis/shared/providers.ts";
import type { ClientKeyConfig } from "../../config/gateway-schema.ts";
import { isLoopback } from "../../config/loopback.ts";
import type { ClientKeyStore } from "../../stores/server-store.ts";
import { RequestFault } from "./request-fault.ts";
import { headerOf } from "./send-json.ts";

/** How long a verified key is believed without asking the store again (milliseconds). A revoked one works that long. */
const BELIEVED_MS = 10_000;
const MAX_REMEMBERED = 10_000;

export type Authenticate = (headers: IncomingHttpHeaders) => Client | Promise<Client>;

/** Tells who a client is by its key, and refuses strangers. */
export function createAuthenticate(options: {
  readonly mode: "open" | "keys";
  readonly keys: readonly ClientKeyConfig[];
  readonly store: ClientKeyStore | undefined;
  now(): number;
}): Authenticate {
  if (options.mode === "open") return () => LOCAL;
  const listed = options.keys.map((key) => ({ ...key, hash: sha256(key.key) }));
  const remembered = new Map<string, { readonly client: Client; readonly until: number }>();
  return async (headers) => {
    for (const { key, source } of keysOf(headers)) {
      const hash = sha256(key);
      const match = listed.find((one) => timingSafeEqual(one.hash, hash));
      const keyIsOurs = source !== "x-precis-key";
      const id = hash.toString("base64");
      if (match) return { tenant: match.tenant, id, name: match.name, keyIsOurs, limits: match.limits ?? {} };
      const sent = `${source} ${id}`;
      const known = remembered.get(sent);
      if (known && known.until > options.now()) return known.client;
      const found = await options.store?.verify(key);
      if (!found) continue;
      const { tenant, name, limits } = found;
      const client: Client = { tenant, id, name, keyIsOurs, limits };
      if (remembered.size >= MAX_REMEMBERED) remembered.clear();
      remembered.set(sent, { client, until: options.now() + BELIEVED_MS });
      return client;
    }
    throw new RequestFault(
      401,
      "unauthorized",
      "precis: a client key is needed. Send it as `authorization: Bearer KEY`, `x-api-key`, `api-key`, `x-goog-api-key` or `x-precis-key`.",
    );
  };
}

function keysOf(headers: IncomingHttpHeaders): { readonly key: string; readonly source: string }[] {
  return ["x-precis-key", ...KEY_HEADERS].flatMap((source) => {
    const value = headerOf(headers, source);
    const key = source === "authorization" ? /^bearer\s+(\S+)$/i.exec(value ?? "")?.[1] : value;
    return key === undefined ? [] : [{ source, key }];
  });
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Who asks. */
export interface Client {
  readonly tenant: string;
  /** Names its key among all of the tenant's. */
  readonly id: string;
  /** For people; several keys may have the same. */
  readonly name: string;
  /** The key in a header of a provider's is one of ours and must not be sent on. */
  readonly keyIsOurs: boolean;
  readonly limits: Readonly<Record<string, number>>;
}

/** The one tenant of a server without client keys. */
const LOCAL: Client = { tenant: "default", id: "local", name: "local", keyIsOurs: false, limits: {} };

/** Does a client have the server to itself, because it knows no others? */
export const isOnlyClient = ({ id }: Pick<Client, "id">): boolean => id === LOCAL.id;

export interface OriginRules {
  /** Bound to this machine only: then only its own names are right ones. */
  readonly loopback: boolean;
  readonly hosts: readonly string[];
  readonly cors: readonly string[];
}

/**
 * Refuses requests that another website makes a browser send here: a page of a stranger that calls this machine, or one
 * whose name was made to point at it (DNS rebinding).
 */
export function checkOrigin(headers: IncomingHttpHeaders, rules: OriginRules): void {
  const host = headers.host ?? "";
  const name = host.replace(/:\d+$/, "");
  if (rules.loopback && !isLoopback(name) && !rules.hosts.includes(name))
    throw new RequestFault(
      421,
      "wrong-host",
      `precis: this server isn't called ${JSON.stringify(name)}. Use 127.0.0.1 or localhost, or list the name in hosts.`,
    );
  const { origin } = headers;
  if (origin === undefined || rules.cors.includes(origin) || rules.cors.includes("*")) return;
  if (URL.canParse(origin) && new URL(origin).host === host) return;
  throw new RequestFault(
    403,
    "wrong-origin",
    `precis: pages of ${JSON.stringify(origin)} may not call this server. List the origin in cors to allow it.`,
  );
}

/** Takes a place among a client's streams of events, until the response ends. Throws if there is none. */
export type LimitStreams = (client: Client, response: Pick<ServerResponse, "once">) => void;

/** Who is this far behind is cut off, before it fills the memory; a page goes on from the last event that it had (bytes). */
export const MOST_UNREAD_BYTES = 16 * 1024 * 1024;

/** When a client that has too many may look again (seconds). */
const RETRY_AFTER = 5;

/** Each tab of a page has one stream, and a second one while it waits for an answer. */
const MAX_STREAMS = 256;

/** Limits the streams that one client has open in this process: each holds a socket and what waits to be read, so one client could take all of either. */
export function createStreamLimit(most = MAX_STREAMS): LimitStreams {
  const counts = new Map<string, number>();
  return (client, response) => {
    const key = JSON.stringify([client.tenant, client.id]);
    const count = counts.get(key) ?? 0;
    if (count >= most)
      throw new RequestFault(
        429,
        "too-many-streams",
        `precis: ${client.name} has ${most} streams of events open, which is the most.`,
        { retryAfter: RETRY_AFTER, fix: "Close some of them." },
      );
    counts.set(key, count + 1);
    response.once("close", () => {
      const left = (counts.get(key) ?? 1) - 1;
      if (left > 0) counts.set(key, left);
      else counts.delete(key);
    });
  };
}

const MINUTE_MS = 60_000;

/** Enforces `requestsPerMinute` of client keys, in windows of one minute on each node. */
export function createRateLimit(now: () => number): (client: Client) => void {
  let minute = 0;
  const counts = new Map<string, number>();
  return (client) => {
    const limit = client.limits["requestsPerMinute"];
    if (limit === undefined) return;
    const at = now();
    const current = Math.floor(at / MINUTE_MS);
    if (current !== minute) {
      minute = current;
      counts.clear();
    }
    const key = JSON.stringify([client.tenant, client.id]);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count > limit)
      throw new RequestFault(
        429,
        "rate-limited",
        `precis: the client key ${client.name} may send ${limit} requests per minute.`,
        { retryAfter: Math.ceil((MINUTE_MS - (at % MINUTE_MS)) / 1_000) },
      );
  };
}
