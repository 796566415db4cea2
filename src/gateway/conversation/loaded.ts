import type { GatewayConfig, HostedToolName } from "../../config/gateway-schema.ts";
import { givingWay } from "../../core/budget.ts";
import type { Dialect, Message, Profile } from "../../core/types.ts";
import { profiles } from "../../profiles/index.ts";
import { readHead } from "../../recall/stored-head.ts";
import type { Conversation, StoredMessage } from "../../stores/server-store.ts";
import { type ChatSettings, tuningOf } from "../api/settings.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import type { CompactorChoice } from "../compaction/compactors.ts";
import { notFound } from "../http/request-fault.ts";
import type { Wire } from "../wires/index.ts";
import { wireOfDialect } from "../wires/index.ts";
import { type ChatMeta, isThrownAway, metaOf, readGlobalSettings } from "./chat-settings.ts";
import type { Transcripts } from "./transcripts.ts";

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
  readonly pins: readonly number[];
  readonly choice: CompactorChoice;
  /** Tools of precis's own that its model gets. */
  readonly tools: readonly HostedToolName[];
}

export type LoadParts = Pick<CompactionParts, "config" | "store" | "upstreams"> & {
  readonly transcripts: Transcripts;
};

/** A conversation that is there and not deleted; with `thrownAway`, one that can still be brought back, too. */
export async function findConversation(
  { store }: Pick<CompactionParts, "store">,
  tenant: string,
  id: string,
  { thrownAway = false }: { readonly thrownAway?: boolean } = {},
): Promise<Conversation> {
  const conversation = await store.conversations.get(tenant, id);
  const isGone = !conversation || (isThrownAway(conversation) && !thrownAway);
  if (isGone) throw notFound(`conversation ${JSON.stringify(id)}`);
  return conversation;
}

/** Reads a conversation from the store, or its first messages. */
export async function load(parts: LoadParts, tenant: string, id: string, length?: number): Promise<Loaded> {
  const conversation = await findConversation(parts, tenant, id);
  const wire = wireOfDialect(conversation.dialect);
  const { dialect } = wire;
  const [{ stored, wires, messages }, head, global] = await Promise.all([
    parts.transcripts.read(tenant, conversation, dialect, length),
    parts.store.conversations.head(tenant, id),
    readGlobalSettings(parts, tenant),
  ]);
  const meta = metaOf(conversation);
  const settings: ChatSettings = { ...givingWay(global, meta.settings ?? {}), ...meta.settings };
  const { system, lead } = readHead(dialect, head);
  const model = meta.settings?.model ?? meta.model ?? conversation.model ?? settings.model ?? "";
  const choice = choiceOf(parts, { tenant, wire, model, settings });
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
    choice,
    tools: toolsOf(parts, choice, settings),
  };
}

/** What a person set goes before the config, as for requests of clients. A chat of the page has no tools that could be deferred. */
function toolsOf(
  { config }: { readonly config: Pick<GatewayConfig, "tools"> },
  { wire: { hosting }, upstream }: Pick<CompactorChoice, "wire" | "upstream">,
  { tools }: ChatSettings,
): readonly HostedToolName[] {
  const wanted = tools ?? upstream?.config.tools ?? config.tools ?? [];
  return hosting ? wanted.filter((tool) => tool !== "defer") : [];
}

/** Largest answer that a chat asks for; undefined if it leaves that to the provider. */
export function answerCap({ wire, settings }: Pick<Loaded, "wire" | "settings">): number | undefined {
  return settings.maxTokens ?? wire.chat.cap;
}

/** Which compactor serves a conversation of the page. */
export function choiceOf(
  { upstreams }: Pick<CompactionParts, "upstreams">,
  { tenant, wire, model, settings }: { tenant: string; wire: Wire; model: string; settings: ChatSettings },
): CompactorChoice {
  const upstream = upstreams.find((one) => one.takes(model, undefined));
  const { profile, strategy, budget, window, summarizer } = settings;
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
    tuning: tuningOf(settings),
  };
}
