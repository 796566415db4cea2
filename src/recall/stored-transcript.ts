import { dialectById } from "../apis/dialect-by-id.ts";
import { ConfigError } from "../core/errors.ts";
import { parseExact } from "../core/exact-json.ts";
import type { Dialect, DialectId } from "../core/types.ts";
import { readHead } from "./stored-head.ts";

/** What is needed of a store for servers to read a conversation back; every `ServerStore` has it. */
export interface TranscriptStore {
  readonly conversations: {
    get(
      tenant: string,
      id: string,
    ): Promise<{ readonly dialect: DialectId | undefined; readonly length: number } | undefined>;
    head(tenant: string, id: string): Promise<string | undefined>;
    read(
      tenant: string,
      id: string,
      range?: { readonly from?: number; readonly to?: number },
    ): Promise<readonly { readonly wire: string }[]>;
  };
}

/** A stored conversation that is read again as far as it has grown. */
export interface StoredTranscript {
  readonly dialect: Dialect<unknown>;
  /** Leading system messages, which count, and all that was said since. */
  read(): Promise<readonly unknown[]>;
}

export async function storedTranscript(
  { conversations }: TranscriptStore,
  tenant: string,
  id: string,
): Promise<StoredTranscript> {
  const found = await conversations.get(tenant, id);
  if (!found)
    throw new ConfigError({
      option: "conversation",
      message: `there is no conversation ${JSON.stringify(id)}.`,
      fix: "Give the id of a conversation of this tenant.",
    });
  const dialect = dialectById(found.dialect ?? "openai-chat");
  const { lead } = readHead(dialect, await conversations.head(tenant, id));
  const transcript: unknown[] = [...lead];
  return {
    dialect,
    async read() {
      const from = transcript.length - lead.length;
      for (const { wire } of await conversations.read(tenant, id, { from }))
        transcript.push(parseExact(wire));
      return transcript;
    },
  };
}
