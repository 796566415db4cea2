import { dialectById } from "../apis/dialect-by-id.ts";
import { isFields } from "../apis/logs/fields.ts";
import { editableParts } from "../core/edits.ts";
import { ConfigError } from "../core/errors.ts";
import { parseExact, stringifyDeep } from "../core/json.ts";
import type { Dialect, DialectId, Message, ToolCallPart } from "../core/types.ts";
import { readCall } from "../summaries/calls/read-call.ts";
import { isRefusal } from "../summaries/calls/refusals.ts";

/** Names of tools that change a file. */
const CHANGES = /edit|write|patch|replace|create|insert|update|apply|append|delete|remove|move|rename|save/i;

/** Tells the newest later message that changed the file which a part of a message is about: what it says may no longer hold. */
export function fileChanges(
  messages: readonly Message[],
): (index: number, part: number) => number | undefined {
  const calls = new Map<string, { readonly call: ToolCallPart; readonly index: number }>();
  const newest = new Map<string, number>();
  for (const [index, { parts }] of messages.entries())
    for (const part of parts) {
      if (part.type === "tool-call") calls.set(part.id, { call: part, index });
      const made = part.type === "tool-result" && !isRefusal(part) ? calls.get(part.id) : undefined;
      if (made === undefined || (readCall(made.call).kind !== "edit" && !CHANGES.test(made.call.name)))
        continue;
      for (const file of filesOf(made.call)) newest.set(file, made.index);
    }
  return (index, place) => {
    const part = editableParts(messages[index]!)[place];
    const call = part?.type === "tool-result" ? callBefore(messages, index, part.id) : part;
    const files = call?.type === "tool-call" ? filesOf(call) : [];
    const changed = files.reduce((last, file) => Math.max(last, newest.get(file) ?? -1), -1);
    return changed > index ? changed : undefined;
  };
}

/** The files that a call changes, or the one that it is about. */
function filesOf(call: ToolCallPart): readonly string[] {
  const { file = "", changes } = readCall(call);
  const named = changes.length > 0 ? changes.map((change) => change.file) : [file];
  return [...new Set(named.filter((path) => path !== ""))];
}

/** The newest call of an id before a message: ids may come again. */
function callBefore(messages: readonly Message[], index: number, id: string): ToolCallPart | undefined {
  for (let at = index; at >= 0; at--)
    for (const part of messages[at]!.parts) if (part.type === "tool-call" && part.id === id) return part;
  return undefined;
}

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
