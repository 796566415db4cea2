import { dialectById } from "../apis/dialect-by-id.ts";
import { isFields } from "../apis/logs/fields.ts";
import { stringifyDeep } from "../core/deep-json.ts";
import { ConfigError } from "../core/errors.ts";
import { parseExact } from "../core/exact-json.ts";
import type { Dialect, DialectId } from "../core/types.ts";

/** What stands before a conversation's messages. */
interface Head {
  /** The system prompt, in a format that keeps it apart. */
  readonly system: unknown;
  /** Leading system messages; some clients send both. */
  readonly lead: readonly unknown[];
}

/** As JSON text, for the store. Undefined if there is none. */
export function writeHead(
  { rules }: Pick<Dialect<unknown>, "rules">,
  { system, lead }: Head,
): string | undefined {
  const isEmpty = system === undefined || system === null || (Array.isArray(system) && system.length === 0);
  if (rules.system === "message" || isEmpty) return lead.length === 0 ? undefined : stringifyDeep(lead);
  return stringifyDeep(lead.length === 0 ? system : { system, lead });
}

export function readHead({ rules }: Pick<Dialect<unknown>, "rules">, text: string | undefined): Head {
  const said: unknown = text === undefined ? undefined : parseExact(text);
  if (rules.system === "message") return { system: undefined, lead: Array.isArray(said) ? said : [] };
  if (isFields(said) && Array.isArray(said["lead"])) return { system: said["system"], lead: said["lead"] };
  // A system prompt may be a list of its parts, too; messages are those with a role.
  const isLead =
    Array.isArray(said) && said.length > 0 && said.every((one) => isFields(one) && "role" in one);
  return isLead ? { system: undefined, lead: said } : { system: said, lead: [] };
}

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
interface StoredTranscript {
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
