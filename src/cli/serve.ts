import cluster from "node:cluster";
import { resolve } from "node:path";
import { setFlagsFromString } from "node:v8";
import type { GatewayConfig } from "../config/gateway-schema.ts";
import { version } from "../config/version.ts";
import { defined } from "../core/collections.ts";
import { shownAddress } from "../gateway/upstream/upstream.ts";
import { databaseKind } from "../stores/database-kind.ts";
import type { ClientKey, ServerStore } from "../stores/server-store.ts";
import { flagName, UsageError } from "./flags.ts";
import { aborted, untilAborted, warnOn } from "./io.ts";
import { DEFAULT_TENANT, withDatabase, withoutPassword } from "./open-database.ts";
import type { RunOf } from "./run.ts";

/**
 * V8 learns which objects live long and then makes their like old from the start. A server that waits for its upstream teaches it
 * wrong: whenever few requests were begun since the last collection, all of their objects are still in use. Once it has learnt
 * that, an old object of every request that is long answered holds the young ones that it names, texts included, until the
 * whole heap is looked through: three times the work for 2 KB, four times for streams, and it never unlearns.
 */
const KEEP_REQUESTS_YOUNG = "--no-allocation-site-pretenuring";

export async function serve(run: RunOf<"serve">): Promise<void> {
  const { io, options } = run;
  if (isAboutKeys(options)) {
    const create = options.newKey !== undefined;
    return withDatabase(run, { create }, (store) => keysCommand(store, run));
  }
  // Only this command needs them, and they take a while to load.
  const [{ loadConfig }, { createGateway }, { serveWorkers }, { summarizerNotes }] = await Promise.all([
    import("../config/load-config.ts"),
    import("../gateway/create-gateway.ts"),
    import("../gateway/serve-workers.ts"),
    import("../gateway/compaction/summarizer.ts"),
  ]);
  setFlagsFromString(KEEP_REQUESTS_YOUNG);
  const { port, window, workers, host, profile, db, upstream, grace } = options;
  const loaded = await loadConfig({
    ...defined({ file: options.config }),
    env: io.env,
    flags: {
      ...defined({ port, window, workers, host, profile, db, upstream }),
      ...defined({ graceMs: grace === "0" ? 0 : grace }),
      ...(options.noStore && { store: false }),
      ...(options.observe && { observe: true }),
    },
    // Each worker reads the config again: the first process has said it for all of them.
    ...(cluster.isPrimary && { warn: warnOn(io) }),
  });
  const config = options.noSummaryModel ? withoutModel(loaded) : loaded;
  const announce = (address: string, upstreams: readonly Named[] = config.upstreams) => {
    if (options.json) io.stdout.write(`${JSON.stringify({ address })}\n`);
    else io.stderr.write(banner(address, upstreams, storedIn(config), summarizerNotes(config)));
  };
  const hungUp = new AbortController();
  io.onHangUp?.(() => hungUp.abort());
  const signal = AbortSignal.any([io.signal, hungUp.signal]);
  if (config.workers > 1) {
    const ends = { signal, ...(io.interrupted && { interrupted: io.interrupted }) };
    await serveWorkers(config, version(), ends, (address) => announce(address));
    return;
  }
  // A store may not answer: who is told to end meanwhile has nothing to finish.
  const server = await untilAborted(createGateway(config, { version: version() }), signal);
  if (!server) return;
  const address = await server.listen();
  // Those that were added on the page, too: the config doesn't know them.
  announce(
    address,
    server.gateway.upstreams.map(({ config }) => config),
  );
  await aborted(signal);
  await server.leave(io.interrupted);
  await server.close();
}

/** An upstream, as far as it is told when the server starts. */
interface Named {
  readonly name: string;
  readonly baseURL: string;
}

/** No upstream of the config asks a model for summaries, either. */
function withoutModel(config: GatewayConfig): GatewayConfig {
  const upstreams = config.upstreams.map(({ summarizer: _, ...upstream }) => upstream);
  return { ...config, upstreams, summarizer: "extractive" };
}

function storedIn({ db, store }: Pick<GatewayConfig, "db" | "store">): string {
  if (!store) return "Conversations are not stored.";
  const kind = databaseKind(db);
  if (kind === "memory") return "Conversations are stored in memory, until this process ends.";
  return `Conversations are stored in ${kind === "postgres" ? withoutPassword(db) : resolve(db)}`;
}

function banner(
  address: string,
  upstreams: readonly Named[],
  stored: string,
  { line, problems }: { readonly line: string; readonly problems: readonly string[] },
): string {
  const where =
    upstreams.length === 0
      ? "No upstream yet: the page works, and /v1 explains how to add one."
      : `Upstreams: ${upstreams.map(({ name, baseURL }) => `${name} (${shownAddress(baseURL)})`).join(", ")}`;
  return [
    `precis is listening at ${address}`,
    `  page       ${address}/`,
    `  OpenAI     base URL ${address}/v1`,
    `  Anthropic  base URL ${address}`,
    `  Google     base URL ${address}`,
    `  Ollama     host ${address}/ollama`,
    `  ${where}`,
    `  ${stored}`,
    `  ${line}`,
    ...problems.map((problem) => `  ${problem}`),
    "",
  ].join("\n");
}

const ACTIONS = ["newKey", "keys", "revokeKey"] as const;

/** Is a client key to be looked after, instead of a server to be started? */
function isAboutKeys(options: RunOf<"serve">["options"]): boolean {
  const [first, second] = ACTIONS.filter((name) => name in options).map((name) => `--${flagName(name)}`);
  if (second !== undefined) throw new UsageError(`${first} and ${second} can't be combined.`);
  if (first !== "--new-key" && options.limit !== undefined) throw new UsageError("--limit needs --new-key.");
  if (first === undefined && options.tenant !== undefined)
    throw new UsageError("--tenant needs --new-key, --keys or --revoke-key.");
  return first !== undefined;
}

async function keysCommand(store: ServerStore, { io, options, print }: RunOf<"serve">): Promise<void> {
  const { newKey: name, revokeKey, limit, tenant = DEFAULT_TENANT } = options;
  if (name !== undefined) {
    if (store.kind === "memory" || options.noStore)
      throw new UsageError("--new-key needs a database that outlives the process, not memory.");
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
  io.stderr.write("Running servers notice within 10 seconds.\n");
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
