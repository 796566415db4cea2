import type { ClientKey, ServerStore } from "../../stores/server-store.ts";
import type { Io } from "../io.ts";
import { type CommandLine, type ParsedFlags, UsageError } from "../parse-flags.ts";
import { parseCount } from "../parse-tokens.ts";

/** Flags of `precis serve` that look after client keys and end. */
export const KEY_FLAGS: CommandLine["flags"] = {
  "new-key": { value: "NAME", help: "make a client key, print it and end" },
  limit: {
    value: "N",
    help: "requests per minute that the new key may send on one process (default: any number)",
  },
  keys: { help: "list the client keys of a tenant, without the keys, and end" },
  "revoke-key": { value: "NAME", help: "make the client keys of this name or id useless, and end" },
  tenant: { value: "T", help: "tenant of the keys (default: 'default')" },
};

const COMMANDS = ["new-key", "keys", "revoke-key"] as const;

/** Is a client key to be looked after, instead of a server to be started? */
export function isAboutKeys(flags: ParsedFlags): boolean {
  const given = COMMANDS.filter((name) => flags.has(name) || flags.value(name) !== undefined);
  if (given.length > 1) throw new UsageError(`--${given[0]} and --${given[1]} don't go together.`);
  if (given[0] !== "new-key" && flags.value("limit") !== undefined)
    throw new UsageError("--limit goes with --new-key.");
  if (given.length === 0 && flags.value("tenant") !== undefined)
    throw new UsageError("--tenant goes with --new-key, --keys or --revoke-key.");
  return given.length > 0;
}

export async function keysCommand(store: ServerStore, flags: ParsedFlags, io: Io): Promise<void> {
  const tenant = flags.value("tenant") ?? "default";
  const newName = flags.value("new-key");
  const revoked = flags.value("revoke-key");
  if (newName !== undefined) await make(store, tenant, newName, flags, io);
  else if (revoked !== undefined) await revoke(store, tenant, revoked, flags, io);
  else {
    const keys = await store.clientKeys.list(tenant);
    if (flags.has("json")) io.stdout.write(`${JSON.stringify(keys)}\n`);
    else
      io.stdout.write(
        keys.length === 0 ? `The tenant ${tenant} has no client keys.\n` : keys.map(line).join(""),
      );
  }
}

async function make(
  store: ServerStore,
  tenant: string,
  name: string,
  flags: ParsedFlags,
  io: Io,
): Promise<void> {
  if (store.kind === "memory" || flags.has("no-store"))
    throw new UsageError("--new-key needs a database to keep the key in: this one ends with the process.");
  const requestsPerMinute = flags.parsed("limit", parseCount);
  const { key, clientKey } = await store.clientKeys.create(tenant, {
    name,
    ...(requestsPerMinute !== undefined && { limits: { requestsPerMinute } }),
  });
  io.stdout.write(flags.has("json") ? `${JSON.stringify({ key, ...clientKey })}\n` : `${key}\n`);
  io.stderr.write("This key is shown once and stored only as a hash.\n");
}

async function revoke(
  store: ServerStore,
  tenant: string,
  name: string,
  flags: ParsedFlags,
  io: Io,
): Promise<void> {
  const keys = (await store.clientKeys.list(tenant)).filter(
    (key) => key.revokedAt === undefined && (key.name === name || key.id === name),
  );
  if (keys.length === 0)
    throw new UsageError(`the tenant ${tenant} has no client key ${name}. precis serve --keys lists them.`);
  for (const { id } of keys) await store.clientKeys.revoke(tenant, id);
  if (flags.has("json")) io.stdout.write(`${JSON.stringify({ revoked: keys.map(({ id }) => id) })}\n`);
  else io.stdout.write(keys.map((key) => `Revoked ${key.name} (${key.id}).\n`).join(""));
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
