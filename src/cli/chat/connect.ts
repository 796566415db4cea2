import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { version } from "../../config/version.ts";
import { defined } from "../../core/collections.ts";
import {
  type ApiClient,
  type ApiConversation,
  createApiClient,
  type LiveEvent,
  type NewConversation,
  routes,
  type Status,
} from "../../gateway/api.ts";
import { databaseKind } from "../../stores/database-kind.ts";
import { flagName, UsageError } from "../flags.ts";
import { untilAborted, warnOn } from "../io.ts";
import { needDatabase, shortId, withoutPassword } from "../open-database.ts";
import type { RunOf } from "../run.ts";

/** A server to talk to: one that runs elsewhere, or one inside of this process. */
export interface Connection {
  readonly api: ApiClient;
  /** Where conversations are kept, for people. */
  readonly where: string;
  /** False: conversations end with this process. */
  readonly isKept: boolean;
  close(): Promise<void>;
}

/** How long answers under way may take to end when a chat is left (milliseconds). */
const DRAIN_MS = 1_000;
const KEY_BYTES = 24;

/** Flags that only make sense for a server inside of this process. */
const OWN_FLAGS = ["db", "upstream", "config"] as const;

export const connect = async (run: RunOf<"chat">): Promise<Connection> =>
  run.options.server === undefined ? openOwn(run) : openOther(run.options.server, run);

function openOther(server: string, { io, options }: RunOf<"chat">): Connection {
  for (const name of OWN_FLAGS)
    if (name in options)
      throw new UsageError(`--${name} can't be used with --server: it is a setting of that server.`);
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol))
    throw new UsageError(`--server ${server}: give its address, such as http://127.0.0.1:8787.`);
  const { keyEnv: name } = options;
  const key = name === undefined ? undefined : io.env[name];
  if (name !== undefined && !key) throw new UsageError(`--key-env ${name}: that variable isn't set.`);
  return { api: apiAt(server, key), where: server, isKept: true, close: async () => {} };
}

/** The same server as `precis serve`, on the same database, for this chat alone. */
async function openOwn({ io, options }: RunOf<"chat">): Promise<Connection> {
  if (options.keyEnv) throw new UsageError("--key-env needs --server.");
  // Only this command and serve need them, and they take a while to load.
  const [{ loadConfig }, { createGateway }] = await Promise.all([
    import("../../config/load-config.ts"),
    import("../../gateway/create-gateway.ts"),
  ]);
  const config = await loadConfig({
    ...defined({ file: options.config }),
    env: io.env,
    flags: defined({ db: options.db, upstream: options.upstream }),
    warn: warnOn(io),
  });
  const isKept = databaseKind(config.db) !== "memory";
  if (isKept && (options.list || options.resume)) needDatabase(config.db);
  // Other people on this machine can reach a loopback port; without this key it answers them nothing.
  const key = randomBytes(KEY_BYTES).toString("base64url");
  const starting = createGateway(
    {
      ...config,
      host: "127.0.0.1",
      port: 0,
      workers: 1,
      store: true,
      observe: false,
      log: "silent",
      auth: { mode: "keys", keys: [{ name: "chat", key, tenant: "default" }] },
      limits: { ...config.limits, drainMs: DRAIN_MS },
    },
    { version: version() },
  );
  const running = await untilAborted(starting, io.signal);
  if (!running) throw io.signal.reason;
  const url = await running.listen();
  return {
    api: apiAt(url, key),
    where: withoutPassword(config.db),
    isKept,
    close: () => running.close(),
  };
}

const apiAt = (url: string, key: string | undefined): ApiClient =>
  createApiClient({
    url,
    ...(key && { key }),
    unreachable: {
      message: `The server at ${url} can't be reached.`,
      fix: "Check that precis serve is running there.",
    },
    brokenOff: {
      message: `The connection to ${url} was lost.`,
      fix: "No earlier message is lost. Send this one again when the server can be reached.",
    },
  });

/** Flags that tell where the conversation is and who answers. */
const SAID_AGAIN = ["db", "config", "upstream", "server", "keyEnv"] as const;

/** The command that goes on with a conversation: with the flags without which it wouldn't be found. */
export function resumeLine(
  id: string,
  options: { readonly [K in (typeof SAID_AGAIN)[number]]?: string },
): string {
  const again = SAID_AGAIN.flatMap((name) => {
    const value = options[name];
    return value === undefined ? [] : [`--${flagName(name)}`, quoted(withoutPassword(value))];
  });
  return ["precis chat --resume", shortId(id), ...again].join(" ");
}

/** As a shell takes it for one word. */
const quoted = (text: string): string =>
  /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Between two tries to reach a server that went away (milliseconds). */
const RETRY_MS = 2_000;

/** Hears what happens on the server until `signal` ends it; after a lost connection goes on where it was. */
export async function followEvents(
  api: ApiClient,
  signal: AbortSignal,
  onEvent: (event: LiveEvent) => void,
): Promise<void> {
  let lastId: string | undefined;
  while (!signal.aborted) {
    try {
      const headers = lastId === undefined ? {} : { "last-event-id": lastId };
      for await (const { id, event } of api.stream(routes.events, { signal, headers })) {
        // The greeting's id only counts the events of this connection.
        if (event.type !== "hello") lastId = id ?? lastId;
        onEvent(event);
      }
    } catch {
      // What failed is said by the next request that a person makes; this one only listens.
    }
    await wait(RETRY_MS, undefined, { signal }).catch(() => {});
  }
}

/** Conversations that are looked through for a part of an id: `inspect` and `recall` name older ones, too. */
const LOOKED_AT = 500;

export async function newest(api: ApiClient, limit = 50): Promise<readonly ApiConversation[]> {
  const { conversations } = await api.call(routes.conversations, { query: { limit } });
  return [...conversations].sort((a, b) => b.updatedAt - a.updatedAt);
}

/** The conversation that `--resume` means: by id, by the beginning or the end of one, by session, or the newest. */
async function resumed(api: ApiClient, wanted: string | undefined): Promise<ApiConversation> {
  if (wanted === undefined) {
    const [first] = await newest(api);
    if (first === undefined) throw new UsageError("there is no conversation to resume yet.");
    return first;
  }
  const listed = await newest(api, LOOKED_AT);
  const exact = await api
    .call(routes.conversation, { params: { id: wanted } })
    .catch(() => listed.find(({ session }) => session === wanted));
  if (exact !== undefined) return exact;
  const found = listed.filter(({ id }) => id.startsWith(wanted) || id.endsWith(wanted));
  if (found.length === 1) return found[0]!;
  throw new UsageError(
    found.length === 0
      ? `conversation ${wanted} doesn't exist. precis chat --list shows all conversations.`
      : `${found.length} ids start with ${wanted}. Give more characters.`,
  );
}

/** The model for a new chat: the one that is set, that was used last, or that the server names first. */
async function chooseModel(
  api: ApiClient,
  status: Status,
  wanted: string | undefined,
): Promise<string | undefined> {
  if (wanted !== undefined || !status.hasUpstream) return wanted;
  const { settings } = await api.call(routes.settings);
  if (settings.model !== undefined) return settings.model;
  const { models, problems } = await api.call(routes.models);
  const last = (await newest(api)).find(({ model }) => models.some(({ id }) => id === model))?.model;
  const chosen = last ?? (models.find(({ windowFrom }) => windowFrom !== "guess") ?? models[0])?.id;
  if (chosen !== undefined) return chosen;
  const why = problems.map(({ upstream, message }) => ` ${upstream}: ${message}`).join("");
  throw new UsageError(`chat needs a model: --model NAME.${why}`);
}

/** The conversation that is resumed, with what the flags change of it; or what a new one begins with. */
export async function beginning(
  api: ApiClient,
  status: Status,
  { args, options }: RunOf<"chat">,
): Promise<NewConversation & { readonly conversation?: ApiConversation }> {
  const { window, system } = options;
  const settings = window === undefined ? undefined : { window };
  const conversation = options.resume ? await resumed(api, args[0]) : undefined;
  const model =
    conversation?.model === undefined ? await chooseModel(api, status, options.model) : options.model;
  if (conversation !== undefined && (model !== undefined || settings !== undefined))
    await api.call(routes.changeConversation, {
      params: { id: conversation.id },
      body: { ...defined({ model }), settings: { ...settings, ...defined({ model }) } },
    });
  if (conversation !== undefined && system !== undefined)
    throw new UsageError("--system only applies to a new conversation.");
  return defined({ conversation, model, system, settings });
}
