import type { FitResult, Reason, Summary } from "../../core/types.ts";
import type { Conversation, ConversationStore } from "../../stores/server-store.ts";
import type { ApiConversation, ApiSummary } from "../api.ts";
import type { Behalf } from "../compaction/on-behalf.ts";
import type { Busy } from "../telemetry/busy.ts";
import type { Live } from "../telemetry/live.ts";
import type { Log } from "../telemetry/log.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { isThrownAway, metaOf } from "./chat-settings.ts";

/** Pages hear of a conversation that grows at most this often (milliseconds). */
const ANNOUNCE_EVERY_MS = 300;

/** Tells pages how conversations of `/v1` stand. Costs nothing as long as nobody looks. */
export type Announcer = ReturnType<typeof createAnnouncer>;

export function createAnnouncer(
  live: Live,
  conversations: Pick<ConversationStore, "get">,
  busy: Pick<Busy, "of">,
  log: Log,
) {
  const waiting = new Set<string>();
  const announce = async (tenant: string, id: string): Promise<void> => {
    if (!live.hasListeners) return;
    try {
      const conversation = await conversations.get(tenant, id);
      if (!conversation || isThrownAway(conversation)) return;
      live.send(tenant, { type: "conversation", change: "changed", conversation: toApi(conversation, busy) });
    } catch (error) {
      log.warn({ err: error, conversation: id }, "pages could not be told about a conversation");
    }
  };
  return {
    /** Something in it began or ended. Never rejects. */
    now: announce,
    /** It grew; told within moments, once for all that came until then. */
    soon(tenant: string, id: string): void {
      const key = `${tenant} ${id}`;
      if (!live.hasListeners || waiting.has(key)) return;
      waiting.add(key);
      setTimeout(() => {
        waiting.delete(key);
        void announce(tenant, id);
      }, ANNOUNCE_EVERY_MS).unref();
    },
  };
}

/** A summary that is written while its conversation goes on. */
export interface SummaryUnderWay {
  readonly tenant: string;
  readonly conversation: string;
  /** Stops it. */
  readonly controller: AbortController;
  readonly ended: Promise<unknown>;
  /** A server that is told to end waits for it. */
  readonly isAwaited: boolean;
}

/** What pages are told as soon as it begins. */
export function announceBegun(
  { live }: Pick<Telemetry, "live">,
  tenant: string,
  conversation: string,
  reason: Reason,
): void {
  live.send(tenant, { type: "compacting", conversation, reason });
}

/** Pages see that it is being written, can stop it, and see that it is over. Resolves when it is. */
export async function followSummary(
  parts: Pick<Telemetry, "busy"> & { readonly announcer: Announcer; isDraining(): boolean },
  { tenant, conversation, controller, ended, isAwaited }: SummaryUnderWay,
): Promise<void> {
  const over = parts.busy.background(conversation, controller, ended, isAwaited);
  await parts.announcer.now(tenant, conversation);
  await over;
  // The store may be closed by then.
  if (isAwaited || !parts.isDraining()) await parts.announcer.now(tenant, conversation);
}

/** What `fit` has under way in the background: when it is written, the timeline says so. */
export async function noteSummaries(
  { noted }: Required<Pick<Behalf, "noted">>,
  fitted: Pick<FitResult<unknown>, "state" | "background">,
): Promise<void> {
  // The newer one first, because it is written in slices; the one before has nothing left to do then.
  const { summaries } = await fitted.background;
  const known = new Set(fitted.state.summaries.map(({ key }) => key));
  for (const summary of summaries)
    if (!known.has(summary.key)) noted({ type: "summary", summary: summaryToApi(summary) });
}

/** A conversation as the page knows it. */
export function toApi(conversation: Conversation, busy: Pick<Busy, "of">): ApiConversation {
  const meta = metaOf(conversation);
  const failure = meta.failures?.findLast(({ leaf }) => leaf === conversation.leaf)?.error;
  return {
    id: conversation.id,
    title: conversation.title,
    client: conversation.client,
    dialect: conversation.dialect ?? "openai-chat",
    model: meta.settings?.model ?? meta.model ?? conversation.model,
    session: conversation.session,
    messages: conversation.length,
    leaf: conversation.leaf,
    tokens: conversation.tokens,
    createdAt: conversation.createdAt,
    updatedAt: conversation.updatedAt,
    pinned: conversation.pinned,
    archived: conversation.archived,
    fork: meta.fork,
    settings: meta.settings ?? {},
    pins: meta.pins ?? [],
    busy: busy.of(conversation.id),
    ...(failure && { failure }),
  };
}

export function summaryToApi(summary: Summary): ApiSummary {
  const { key, text, covers, level, model, prompt, author, tokens, at } = summary;
  return { key, text, covers, level, model, prompt, author, tokens, at };
}
