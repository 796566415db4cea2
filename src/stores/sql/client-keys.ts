import type { ClientKey, ClientKeyStore, NewClientKey } from "../server-store.ts";
import { checkName, cleanTitle } from "../shared/texts.ts";
import { firstRow, putRow, type RowOf, rows, type Script } from "./script.ts";
import type { SqlContext } from "./sql-context.ts";

export function sqlClientKeys({ now, newId, read, write }: SqlContext): ClientKeyStore {
  return {
    async create(tenant, wanted) {
      checkName("clientKeys.create", "tenant", tenant);
      const of = { id: newId(), tenant, createdAt: now() };
      const { key, hash, clientKey } = await newClientKey(wanted, of);
      await write("clientKeys.create", () => insertClientKey(hash, clientKey));
      return { key, clientKey };
    },

    async verify(key) {
      const hash = await hashClientKey(key);
      const row = await read("clientKeys.verify", () =>
        firstRow<ClientKeyRow>("select * from precis_client_keys where hash = ?", hash),
      );
      const found = row && clientKeyOf(row);
      const shown = shownKey(found, now());
      if (shown && shown !== found)
        await write("clientKeys.verify", () =>
          rows("update precis_client_keys set last_used_at = ? where hash = ?", shown.lastUsedAt, hash),
        );
      return shown;
    },

    list: (tenant) =>
      read("clientKeys.list", function* () {
        const found = yield* rows<ClientKeyRow>(
          "select * from precis_client_keys where tenant = ? order by created_at, id",
          tenant,
        );
        return found.map(clientKeyOf);
      }),

    revoke: (tenant, id) =>
      write("clientKeys.revoke", function* () {
        const revoked = yield* rows(
          "update precis_client_keys set revoked_at = coalesce(revoked_at, ?) where tenant = ? and id = ? returning id",
          now(),
          tenant,
          id,
        );
        return revoked.length > 0;
      }),
  };
}

export const KEY_COLUMNS = {
  tenant: "text not null",
  id: "text not null",
  /** SHA-256 of the key. */
  hash: "text not null unique",
  name: "text not null",
  limits: "text not null",
  created_at: "bigint not null",
  expires_at: "bigint",
  revoked_at: "bigint",
  last_used_at: "bigint",
} as const;
export type ClientKeyRow = RowOf<typeof KEY_COLUMNS>;

/** False if there is one with this id or hash already, and that may be. */
export function insertClientKey(
  hash: string,
  key: ClientKey,
  other: "fails" | "stays" = "fails",
): Script<boolean> {
  const { tenant, id, name, limits, createdAt, expiresAt, revokedAt, lastUsedAt } = key;
  const row = {
    tenant,
    id,
    hash,
    name,
    limits: JSON.stringify(limits),
    created_at: createdAt,
    expires_at: expiresAt ?? null,
    revoked_at: revokedAt ?? null,
    last_used_at: lastUsedAt ?? null,
  };
  return putRow("precis_client_keys", row, other);
}

/** A row as the outside sees it. */
export function clientKeyOf(row: ClientKeyRow): ClientKey {
  return {
    id: row.id,
    tenant: row.tenant,
    name: row.name,
    limits: JSON.parse(row.limits) as Record<string, number>,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}

/** Marks a key as one of precis, so that people and secret scanners know it. */
const PREFIX = "precis_";
/** Random bytes of a key: beyond guessing, so a plain hash protects it. */
const KEY_BYTES = 32;
/** `lastUsedAt` is written at most this often. */
const LAST_USED_ACCURACY_MS = 60_000;

/** Makes a key, with what is stored of it. */
async function newClientKey(
  { name, limits = {}, expiresAt }: NewClientKey,
  of: Pick<ClientKey, "id" | "tenant" | "createdAt">,
): Promise<{ readonly key: string; readonly hash: string; readonly clientKey: ClientKey }> {
  const key = PREFIX + hex(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
  const clientKey = {
    ...of,
    name: cleanTitle(name),
    limits,
    expiresAt: expiresAt === undefined ? undefined : Math.round(expiresAt),
    revokedAt: undefined,
    lastUsedAt: undefined,
  };
  return { key, hash: await hashClientKey(key), clientKey };
}

/** A key that is shown, with the time of that; the same object where it isn't worth writing. Undefined for one that no longer holds. */
function shownKey(key: ClientKey | undefined, at: number): ClientKey | undefined {
  if (!key || key.revokedAt !== undefined || (key.expiresAt ?? Number.POSITIVE_INFINITY) <= at)
    return undefined;
  return at - (key.lastUsedAt ?? 0) < LAST_USED_ACCURACY_MS ? key : { ...key, lastUsedAt: at };
}

/** SHA-256, as it is stored. */
async function hashClientKey(key: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key))));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
