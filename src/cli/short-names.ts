import type { Conversation, ConversationStore } from "../stores/server-store.ts";
import { FileError } from "./read-lines.ts";

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
