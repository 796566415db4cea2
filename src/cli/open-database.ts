import { statSync } from "node:fs";
import type { GatewayConfig } from "../config/gateway-schema.ts";
import { defined } from "../core/collections.ts";
import { databaseKind } from "../stores/database-kind.ts";
import type { Conversation, ConversationStore, ServerStore } from "../stores/server-store.ts";
import { untilAborted, warnOn } from "./io.ts";
import { FileError } from "./read-lines.ts";
import type { Run } from "./run.ts";

/** Whose conversations these are where nobody says. */
export const DEFAULT_TENANT = "default";

/** Opens the database that flags, environment or config name, and closes it afterwards. */
export async function withDatabase<T>(
  { io, options }: Pick<Run, "io"> & { readonly options: { readonly db?: string; readonly config?: string } },
  {
    create,
    missing,
  }: {
    readonly create: boolean;
    /** What is said where there is no database of that name. */
    readonly missing?: (name: string) => string;
  },
  work: (store: ServerStore, name: string, config: GatewayConfig) => Promise<T>,
): Promise<T> {
  // Only these commands need them, and they take a while to load.
  const [{ loadConfig }, { openStore }] = await Promise.all([
    import("../config/load-config.ts"),
    import("../stores/open-store.ts"),
  ]);
  const config = await loadConfig({
    ...defined({ file: options.config }),
    env: io.env,
    flags: defined({ db: options.db }),
    warn: warnOn(io),
  });
  const name = withoutPassword(config.db);
  if (!create) needDatabase(config.db, missing);
  const store = openStore(config.db);
  const ready = store.ready().then(() => true);
  // A store that doesn't answer isn't closed: that would wait for it, too.
  if (!(await untilAborted(ready, io.signal).catch(() => true))) throw io.signal.reason;
  try {
    await ready;
    return await work(store, name, config);
  } finally {
    await store.close();
  }
}

/** Refuses a file that is no database yet: to open it would make one. */
export function needDatabase(db: string, missing?: (name: string) => string): void {
  if (databaseKind(db) === "postgres" || isThere(db)) return;
  const name = withoutPassword(db);
  throw new FileError(
    `${missing?.(name) ?? `there is no database ${name}.`} Name one with --db (a file, or postgres://…); precis serve, chat and import create one.`,
  );
}

/** An empty file is there, but no database is in it. */
function isThere(file: string): boolean {
  try {
    return statSync(file).size > 0;
  } catch {
    return false;
  }
}

/**
 * A screen is no place for a password; whoever gave it knows it. PostgreSQL takes addresses that no URL may have
 * (`postgres://user:password@/database?host=/tmp`), and a password in the query.
 */
export function withoutPassword(text: string): string {
  const scheme = /^\w+:\/\//.exec(text)?.[0];
  if (scheme === undefined) return text;
  if (!URL.canParse(text)) return `${scheme}…`;
  const url = new URL(text);
  if (url.password === "" && !url.searchParams.has("password")) return text;
  url.password = "";
  url.searchParams.delete("password");
  return url.href;
}

/** A session's name that a person can read and type; longer ones are ids. */
const LONGEST_NAME = 24;
/** The end of an id tells conversations apart: ids begin with the time. */
const SHORT_ID = 8;
/** A piece of a name that is shorter than this says too little. */
const LEAST_PIECE = 4;
/** Conversations among which a piece of a name is looked for, the newest. */
const LOOKED_AT = 500;

export const shortId = (id: string): string => id.slice(-SHORT_ID);

/** What a conversation is called in lists, and can be asked for by. */
export function shortName({ session, id }: Pick<Conversation, "session" | "id">): string {
  return session !== undefined && session.length <= LONGEST_NAME ? session : shortId(id);
}

/** The conversation of a session, an id, the end or the beginning of either, or a title. */
export async function findByName(
  store: Pick<ConversationStore, "findSession" | "get" | "list">,
  tenant: string,
  name: string,
): Promise<Conversation | undefined> {
  const named = (await store.findSession(tenant, name)) ?? (await store.get(tenant, name));
  if (named || name.length < LEAST_PIECE) return named;
  const { conversations } = await store.list(tenant, { limit: LOOKED_AT, archived: "all" });
  const matches = conversations.filter(
    ({ id, session, title }) =>
      title === name || [id, session].some((one) => one?.startsWith(name) || one?.endsWith(name)),
  );
  if (matches.length < 2) return matches[0];
  const list = matches.slice(0, 5).map((one) => `${shortName(one)} (${one.title || "no title"})`);
  throw new FileError(`several conversations are called ${name}: ${list.join(", ")}. Choose one of them.`);
}
