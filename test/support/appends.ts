import type { Append, ServerStore } from "../../src/stores/server-store.ts";

export const TENANT = "default";
export const AT = 1_700_000_000_000;

/** A message that says this word. */
export const message = (name: string) => ({
  hash: `hash of ${name}`,
  role: "user" as const,
  wire: JSON.stringify({ role: "user", content: name }),
  tokens: 3,
  at: AT,
});

/** A new conversation whose messages say these words. */
export const first = (...names: string[]): Append => ({ messages: names.map(message), at: AT });

/** Messages behind the one that says `after`. */
export const next = (conversation: string, after: string, ...names: string[]): Append => ({
  ...first(...names),
  conversation,
  after: `hash of ${after}`,
});

/** What the messages of a conversation say. */
export const wordsOf = async (store: ServerStore, id: string) =>
  (await store.conversations.read(TENANT, id)).map(
    ({ wire }) => (JSON.parse(wire) as { content: string }).content,
  );

/** What all conversations say. */
export const everything = async (store: ServerStore) => {
  const { conversations } = await store.conversations.list(TENANT);
  return (await Promise.all(conversations.map(({ id }) => wordsOf(store, id)))).sort();
};
