import type { ClientKey, ServerStore } from "../../stores/server-store.ts";
import { flagName, UsageError } from "../flags.ts";
import { DEFAULT_TENANT } from "../open-database.ts";
import type { RunOf } from "../run.ts";

const ACTIONS = ["newKey", "keys", "revokeKey"] as const;

/** Is a client key to be looked after, instead of a server to be started? */
export function isAboutKeys(options: RunOf<"serve">["options"]): boolean {
  const [first, second] = ACTIONS.filter((name) => name in options).map((name) => `--${flagName(name)}`);
  if (second !== undefined) throw new UsageError(`${first} and ${second} don't go together.`);
  if (first !== "--new-key" && options.limit !== undefined)
    throw new UsageError("--limit goes with --new-key.");
  if (first === undefined && options.tenant !== undefined)
    throw new UsageError("--tenant goes with --new-key, --keys or --revoke-key.");
  return first !== undefined;
}

export async function keysCommand(store: ServerStore, { io, options, print }: RunOf<"serve">): Promise<void> {
  const { newKey: name, revokeKey, limit, tenant = DEFAULT_TENANT } = options;
  if (name !== undefined) {
    if (store.kind === "memory" || options.noStore)
      throw new UsageError("--new-key needs a database to keep the key in: this one ends with the process.");
    const { key, clientKey } = await store.clientKeys.create(tenant, {
      name,
      ...(limit !== undefined && { limits: { requestsPerMinute: limit } }),
    });
    print({ key, ...clientKey }, () => `${key}\n`);
    io.stderr.write("This key is shown once and stored only as a hash.\n");
    return;
  }
  const keys = await store.clientKeys.list(tenant);
  if (revokeKey === undefined)
    return print(keys, () =>
      keys.length === 0 ? `The tenant ${tenant} has no client keys.\n` : keys.map(line).join(""),
    );
  const meant = keys.filter(
    (key) => key.revokedAt === undefined && (key.name === revokeKey || key.id === revokeKey),
  );
  if (meant.length === 0)
    throw new UsageError(
      `the tenant ${tenant} has no client key ${revokeKey}. precis serve --keys lists them.`,
    );
  for (const { id } of meant) await store.clientKeys.revoke(tenant, id);
  print({ revoked: meant.map(({ id }) => id) }, () =>
    meant.map((key) => `Revoked ${key.name} (${key.id}).\n`).join(""),
  );
  io.stderr.write("Servers that run take notice within 10 seconds.\n");
}

function line({ id, name, limits, createdAt, lastUsedAt, revokedAt, expiresAt }: ClientKey): string {
  const perMinute = limits["requestsPerMinute"];
  const facts = [
    id,
    name,
    `made ${day(createdAt)}`,
    lastUsedAt === undefined ? "never used" : `used ${day(lastUsedAt)}`,
    perMinute === undefined ? "no limit" : `${perMinute} requests per minute`,
    ...(expiresAt === undefined ? [] : [`until ${day(expiresAt)}`]),
    ...(revokedAt === undefined ? [] : [`revoked ${day(revokedAt)}`]),
  ];
  return `${facts.join("  ")}\n`;
}

const day = (at: number): string => new Date(at).toISOString().slice(0, "2026-01-01".length);
