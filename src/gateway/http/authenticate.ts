import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { ClientKeyConfig } from "../../config/gateway-schema.ts";
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
      "precis: a client key is needed. Send it as `authorization: Bearer KEY`, `x-api-key`, `x-goog-api-key` or `x-precis-key`.",
    );
  };
}

function keysOf(headers: IncomingHttpHeaders): { readonly key: string; readonly source: string }[] {
  const bearer = /^bearer\s+(\S+)$/i.exec(headerOf(headers, "authorization") ?? "")?.[1];
  return [
    { source: "x-precis-key", key: headerOf(headers, "x-precis-key") },
    { source: "authorization", key: bearer },
    { source: "x-api-key", key: headerOf(headers, "x-api-key") },
    { source: "x-goog-api-key", key: headerOf(headers, "x-goog-api-key") },
  ].flatMap(({ source, key }) => (key === undefined ? [] : [{ source, key }]));
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
  /** The key in `authorization`, `x-api-key` or `x-goog-api-key` is one of ours and must not be sent on. */
  readonly keyIsOurs: boolean;
  readonly limits: Readonly<Record<string, number>>;
}

/** The one tenant of a server without client keys. */
const LOCAL: Client = { tenant: "default", id: "local", name: "local", keyIsOurs: false, limits: {} };

/** Does a client have the server to itself, because it knows no others? */
export const isOnlyClient = ({ id }: Pick<Client, "id">): boolean => id === LOCAL.id;
