import { setImmediate as breathe } from "node:timers/promises";
import type { GatewayConfig, HostedToolName } from "../../config/gateway-schema.ts";
import { givingWay, windowProblem } from "../../core/budget.ts";
import { parseExact } from "../../core/json.ts";
import type { Dialect, Message, Profile } from "../../core/types.ts";
import { profiles } from "../../profiles/index.ts";
import { readHead } from "../../recall/conversation-index.ts";
import type { Conversation, ConversationStore, StoredMessage } from "../../stores/server-store.ts";
import { type ChatSettings, tuningOf } from "../api/settings.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import type { CompactorChoice } from "../compaction/compactors.ts";
import { type CountOptions, countInSlices } from "../compaction/measure.ts";
import type { Windows } from "../compaction/windows.ts";
import { notFound, RequestFault } from "../http/request-fault.ts";
import { upstreamOf } from "../upstream/upstream.ts";
import { hideRounds } from "../wires/gateway-tools.ts";
import { type Wire, wireOfDialect } from "../wires/index.ts";
import { type ChatMeta, isThrownAway, metaOf, readGlobalSettings } from "./chat-settings.ts";
import { endOfGiven, hiddenRoundsOf } from "./hidden-answers.ts";

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
  const pinned = new Set(meta.pins);
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
    pins:
      pinned.size === 0
        ? []
        : stored.flatMap(({ hash }, index) => (pinned.has(hash) ? [index + lead.length] : [])),
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
  const upstream = upstreamOf(upstreams, model);
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

/** What is kept of transcripts that were looked at lately, in all (characters of JSON). */
const MAX_CHARS = 48_000_000;

interface ReadTranscript {
  readonly stored: readonly StoredMessage[];
  /** As the engine takes them: an answer with hidden rounds is a copy that stands for all of it. */
  readonly wires: readonly unknown[];
  readonly messages: readonly Message[];
}

interface Entry {
  readonly stored: StoredMessage[];
  readonly wires: unknown[];
  readonly messages: Message[];
  chars: number;
  /** When the conversation was changed last, as far as it is known here, and which message it showed last. */
  changedAt: number;
  leaf: number | undefined;
  /** The reading under way, or the last one: one at a time. */
  reading: Promise<void>;
}

/**
 * Transcripts of conversations that pages look at. Messages stay as they are, but another branch may be shown: what was added
 * since the last look is read, and the last message known, whose chain hash vouches for all before it.
 */
export type Transcripts = ReturnType<typeof createTranscripts>;

export function createTranscripts(store: Pick<ConversationStore, "read">) {
  const entries = new Map<string, Entry>();

  const add = (entry: Entry, messages: readonly StoredMessage[], dialect: Dialect<unknown>): void => {
    for (const message of messages) {
      const wire = parseExact(message.wire);
      entry.stored.push(message);
      entry.wires.push(wire);
      entry.messages.push(dialect.read(wire));
      entry.chars += message.wire.length;
    }
    hide(entry, entry.stored.length - messages.length, dialect);
  };
  const readMore = async (
    entry: Entry,
    tenant: string,
    { id, length, updatedAt, leaf }: Conversation,
    dialect: Dialect<unknown>,
  ) => {
    const known = entry.stored.length;
    if (known >= length && updatedAt <= entry.changedAt && leaf === entry.leaf) return;
    const last = Math.max(0, Math.min(known, length) - 1);
    const [overlap, ...fresh] = await store.read(tenant, id, last === 0 ? {} : { from: last });
    entry.changedAt = updatedAt;
    entry.leaf = leaf;
    if (known > 0 && overlap?.hash === entry.stored[last]?.hash) {
      shorten(entry, last + 1);
      add(entry, fresh, dialect);
      return;
    }
    shorten(entry, 0);
    entry.chars = 0;
    const all = last === 0 ? (overlap ? [overlap, ...fresh] : []) : await store.read(tenant, id);
    add(entry, all, dialect);
  };
  const forgetOldest = (): void => {
    let chars = 0;
    for (const entry of entries.values()) chars += entry.chars;
    for (const [key, entry] of entries) {
      if (chars <= MAX_CHARS || entries.size === 1) return;
      entries.delete(key);
      chars -= entry.chars;
    }
  };

  return {
    async read(
      tenant: string,
      conversation: Conversation,
      dialect: Dialect<unknown>,
      length?: number,
    ): Promise<ReadTranscript> {
      const key = JSON.stringify([tenant, conversation.id, dialect.id]);
      const entry = entries.get(key) ?? {
        stored: [],
        wires: [],
        messages: [],
        chars: 0,
        changedAt: 0,
        leaf: undefined,
        reading: Promise.resolve(),
      };
      entries.delete(key);
      entries.set(key, entry);
      entry.reading = entry.reading
        .catch(() => {})
        .then(() => readMore(entry, tenant, conversation, dialect));
      try {
        await entry.reading;
      } catch (error) {
        entries.delete(key);
        throw error;
      }
      forgetOldest();
      // Copies: the lists go on growing. A reader sees the conversation as it was when it asked.
      const end = Math.min(length ?? conversation.length, conversation.length);
      return {
        stored: entry.stored.slice(0, end),
        wires: entry.wires.slice(0, end),
        messages: entry.messages.slice(0, end),
      };
    },
  };
}

/** Puts copies in the places of answers of which people are shown only a part, from a message on. */
function hide({ stored, wires, messages }: Entry, from: number, dialect: Dialect<unknown>): void {
  for (let index = from; index < stored.length; index++) {
    const real = hiddenRoundsOf(stored[index]!.given, dialect);
    if (!real) continue;
    const shown = wires.slice(index, endOfGiven(stored, index)) as object[];
    for (const [offset, copy] of hideRounds(shown, real).entries()) {
      wires[index + offset] = copy;
      messages[index + offset] = dialect.read(copy);
    }
  }
}

function shorten({ stored, wires, messages }: Entry, length: number): void {
  for (const list of [stored, wires, messages]) list.length = length;
}

/** From here on counting takes long enough for other requests to notice (tokens, roughly). */
const LONG_FROM_TOKENS = 50_000;

/** Newest messages of transcripts that were counted whole. */
const counted = new WeakSet<Message>();

/** Would counting this conversation keep others waiting? */
export function isCountingLong({
  conversation,
  messages,
}: Pick<Loaded, "conversation" | "messages">): boolean {
  const newest = messages.at(-1);
  return conversation.tokens >= LONG_FROM_TOKENS && newest !== undefined && !counted.has(newest);
}

/**
 * Counts a long transcript piece by piece, so that the engine, which counts all of it at once, is done in no time. Several who need the
 * counts share the work: what one of them has counted, the others find.
 */
export async function countAhead(
  parts: { readonly windows: Windows },
  { choice, messages, conversation }: Loaded,
  options: CountOptions = {},
): Promise<void> {
  const newest = messages.at(-1);
  if (newest === undefined || !isCountingLong({ conversation, messages })) return;
  options.signal?.throwIfAborted();
  await countInSlices(parts, choice, messages, options);
  counted.add(newest);
}

/** The same for whoever goes on with work that keeps others waiting. Who only needed the counts goes first. */
export async function countAheadOfPlan(parts: { readonly windows: Windows }, loaded: Loaded): Promise<void> {
  if (!isCountingLong(loaded)) return;
  await countAhead(parts, loaded);
  await breathe();
}

/** Refuses settings that no conversation can have, however short it is: the engine itself says what is wrong with them, and the fix. */
export async function checkSettings(
  parts: Pick<CompactionParts, "compactors" | "upstreams" | "windows">,
  chat: {
    readonly tenant: string;
    readonly wire: Wire;
    readonly model: string;
    readonly settings: ChatSettings;
    /** Those of them that were set for it: what others set gives way to a small window. */
    readonly own: ChatSettings;
  },
): Promise<void> {
  const choice = choiceOf(parts, chat);
  const compactor = parts.compactors.of({ ...choice, summarizer: "extractive" });
  await compactor.pressure([]);
  const info = parts.windows.of(choice.upstream, chat.model, chat.tenant);
  // A guess at the window of a model that nobody knows refuses nothing.
  const window = choice.window ?? (info.from === "guess" ? undefined : info.window);
  if (window === undefined) return;
  for (const field of ["startAt", "landAt"] as const) {
    const value = chat.own[field];
    const wrong = windowProblem(value, window);
    if (wrong)
      throw new RequestFault(400, "invalid", `${field}: ${value} ${wrong.problem}.`, {
        field,
        fix: wrong.fix,
      });
  }
}

/** Taking settings away is never refused: it is the way out of wrong ones. */
export const setsSomething = (changes: object | undefined): boolean =>
  Object.values(changes ?? {}).some((value) => value !== null && value !== undefined);
