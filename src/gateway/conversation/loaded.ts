import type { Dialect, Message, Profile, Select } from "../../core/types.ts";
import { profiles } from "../../profiles/index.ts";
import type { Conversation, StoredMessage } from "../../stores/server-store.ts";
import type { ChatSettings } from "../api.ts";
import type { CompactorChoice } from "../compaction/compactors.ts";
import type { Gateway } from "../gateway.ts";
import { SETTINGS_SESSION } from "./reserved-session.ts";
import { readHead } from "./stored-head.ts";
import { wireOfDialect } from "../wires/index.ts";
import { isJson } from "../http/json.ts";
import type { Wire } from "../wires/wire.ts";
import { notFound } from "../page/context.ts";
import { readGlobalSettings } from "./global-settings.ts";

/** What the page keeps with a conversation. */
export interface ChatMeta {
  readonly source?: "page" | "gateway";
  readonly settings?: ChatSettings;
  readonly pins?: readonly number[];
  readonly model?: string;
  readonly deletedAt?: number;
}

/** A conversation with all that the engine needs. */
export interface Loaded {
  readonly conversation: Conversation;
  readonly meta: ChatMeta;
  readonly settings: ChatSettings;
  readonly wire: Wire;
  readonly dialect: Dialect<unknown>;
  readonly stored: readonly StoredMessage[];
  /** The system prompt as JSON text, as stored. */
  readonly head: string | undefined;
  /** Leading system messages, where they stand among the messages. */
  readonly lead: readonly unknown[];
  readonly system: unknown;
  readonly transcript: readonly unknown[];
  readonly messages: readonly Message[];
  readonly model: string;
  readonly pins: Select<unknown>;
  readonly choice: CompactorChoice;
}

export function metaOf(conversation: Pick<Conversation, "meta">): ChatMeta {
  return isJson(conversation.meta) ? (conversation.meta as ChatMeta) : {};
}

/** A conversation that is there and not deleted. */
export async function findConversation(gateway: Gateway, tenant: string, id: string): Promise<Conversation> {
  const conversation = await gateway.store.conversations.get(tenant, id);
  if (!conversation || conversation.session === SETTINGS_SESSION)
    throw notFound(`conversation ${JSON.stringify(id)}`);
  return conversation;
}

export async function load(gateway: Gateway, tenant: string, id: string, length?: number): Promise<Loaded> {
  const conversation = await findConversation(gateway, tenant, id);
  const wire = wireOfDialect(conversation.dialect);
  const { dialect } = wire;
  const [{ stored, wires, messages }, head, global] = await Promise.all([
    gateway.transcripts.read(tenant, conversation, dialect, length),
    gateway.store.conversations.head(tenant, id),
    readGlobalSettings(gateway, tenant),
  ]);
  const meta = metaOf(conversation);
  const settings: ChatSettings = { ...global, ...meta.settings };
  const { system, lead } = readHead(dialect, head);
  const model = meta.settings?.model ?? meta.model ?? conversation.model ?? settings.model ?? "";
  return {
    conversation,
    meta,
    settings,
    wire,
    dialect,
    stored,
    head,
    lead,
    system,
    transcript: [...lead, ...wires],
    messages: [...lead.map((message) => dialect.read(message)), ...messages],
    model,
    pins: (meta.pins ?? []).map((index) => index + lead.length),
    choice: choiceOf(gateway, { tenant, wire, model, settings }),
  };
}

/** Which compactor serves a conversation of the page. */
export function choiceOf(
  gateway: Gateway,
  { tenant, wire, model, settings }: { tenant: string; wire: Wire; model: string; settings: ChatSettings },
): CompactorChoice {
  const upstream = gateway.upstreams.find((one) => one.takes(model, undefined));
  const { profile, strategy, budget, window, startAt, landAt, reserve, placement, auto } = settings;
  const { tail, summarizer, summaryCap } = settings;
  return {
    tenant,
    wire,
    upstream,
    model,
    profile: profile === undefined ? undefined : (profiles[profile] as Profile),
    strategy,
    budget,
    window,
    summarizer,
    tuning: {
      ...(startAt !== undefined && { startAt }),
      ...(landAt !== undefined && { landAt }),
      ...(reserve !== undefined && { reserve }),
      ...(placement !== undefined && { placement }),
      ...(auto !== undefined && { auto }),
      ...(tail !== undefined && { tail: { share: tail } }),
      ...(summaryCap !== undefined && { summary: { cap: summaryCap } }),
    },
  };
}
