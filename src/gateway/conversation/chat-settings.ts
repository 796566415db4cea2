import { isJson } from "../../apis/shared/fields.ts";
import { landingProblem, type StartAndLanding } from "../../core/budget.ts";
import type { Summary } from "../../core/types.ts";
import type { Conversation, ConversationStore, ServerStore } from "../../stores/server-store.ts";
import { isConversationNotFound } from "../../stores/shared/not-found.ts";
import type { ApiError, ChatSettings, GlobalSettings } from "../api.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import { RequestFault } from "../http/request-fault.ts";
import type { Log } from "../telemetry/log.ts";

/** What the page keeps with a conversation. */
export interface ChatMeta {
  readonly settings?: ChatSettings;
  /** Hashes of messages, of any branch. */
  readonly pins?: readonly string[];
  /** It was given a title as it was made: no model writes another one. */
  readonly isNamed?: true;
  /** A person had it compacted, so a view stands for it however short its transcript is. */
  readonly isCompacted?: true;
  /** The last compaction of all of it that a person asked for: its checkpoint, and how many messages and what budget there were. */
  readonly byHand?: { readonly checkpoint: string; readonly messages: number; readonly budget: number };
  /** Summaries that a person cleared, and the checkpoint that stood then, until the next compaction by hand. */
  readonly cleared?: { readonly summaries: readonly Summary[]; readonly checkpoint?: string };
  readonly model?: string;
  /** What it was forked from by a person, who may have renamed or deleted that since. */
  readonly fork?: { readonly of: string; readonly length: number; readonly title: string };
  /** Why messages have no (whole) answer, the newest last. What `leaf` ends was shown as it failed. */
  readonly failures?: readonly FailedAnswer[];
  /** Ids of what the page said last, so that the same thing is never said twice. */
  readonly said?: readonly string[];
  /** Keys of answers that a client deleted: nobody goes on from them. */
  readonly deletedAnswers?: readonly string[];
  /** The file that it was imported from by `precis import`. */
  readonly imported?: ImportedFile;
  /** Other files that hold the same: they needn't be read again. */
  readonly copies?: readonly ImportedFile[];
}

interface FailedAnswer {
  /** Chain hash of the message that should have been answered. */
  readonly message: string | undefined;
  readonly leaf: number | undefined;
  readonly error: ApiError["error"];
}

export interface ImportedFile {
  readonly file: string;
  readonly bytes: number;
  /** In milliseconds. */
  readonly modified: number;
}

export function metaOf(conversation: Pick<Conversation, "meta">): ChatMeta {
  return isJson(conversation.meta) ? (conversation.meta as ChatMeta) : {};
}

/** A person has thrown it away, and may bring it back for a moment: nobody goes on with it. */
export function isThrownAway({ deletedAt }: Pick<Conversation, "deletedAt">): boolean {
  return deletedAt !== undefined;
}

type Parts = { readonly store: Pick<ServerStore, "conversations"> };

/** Changes what the page keeps with a conversation, as it stands in the store right now. */
export async function changeMeta(
  { store }: Parts,
  tenant: string,
  id: string,
  change: (meta: ChatMeta) => ChatMeta,
): Promise<void> {
  try {
    await store.conversations.update(tenant, id, (found) => ({ meta: change(metaOf(found)) }));
  } catch (error) {
    if (!isConversationNotFound(error)) throw error;
  }
}

/** Ids of things said that are kept: an outbox is sent again within minutes. */
const MAX_SAID = 20;

export const withSaid = (meta: ChatMeta, id: string): ChatMeta => ({
  ...meta,
  said: [...(meta.said ?? []), id].slice(-MAX_SAID),
});

/** Failures that are kept: each is a sentence or two. */
const MAX_FAILURES = 20;

/** What became of the answer to a message: without an error, it is there. */
export function withAnswer(
  { failures = [], ...meta }: ChatMeta,
  message: string | undefined,
  failed?: Omit<FailedAnswer, "message">,
): ChatMeta {
  const others = failures.filter((one) => one.message !== message);
  const kept = failed ? [...others, { message, ...failed }].slice(-MAX_FAILURES) : others;
  return kept.length === 0 ? meta : { ...meta, failures: kept };
}

export async function readGlobalSettings(
  { store }: Pick<CompactionParts, "store">,
  tenant: string,
): Promise<GlobalSettings> {
  return settingsOf(await store.settings.read(tenant));
}

/** Changes the settings of all chats by what they are at that moment. */
export async function changeGlobalSettings(
  { store }: Pick<CompactionParts, "store">,
  tenant: string,
  change: (settings: GlobalSettings) => GlobalSettings,
): Promise<GlobalSettings> {
  return settingsOf(await store.settings.change(tenant, (stored) => change(settingsOf(stored))));
}

const settingsOf = (stored: unknown): GlobalSettings => (isJson(stored) ? (stored as GlobalSettings) : {});

/** Settings with changes: `null` takes a value away. A start and a landing that can't work together are refused. */
export function changed<S extends StartAndLanding>(settings: S, changes: object): S {
  const result: Record<string, unknown> = { ...(settings as object) };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete result[name];
    else if (value !== undefined) result[name] = value;
  }
  const wrong = landingProblem(result as S);
  if (wrong)
    throw new RequestFault(400, "invalid", `landAt: ${result["landAt"]} ${wrong.problem}.`, {
      field: "landAt",
      fix: wrong.fix,
    });
  return result as S;
}

/** How long a deleted conversation can be brought back (milliseconds). */
export const UNDO_MS = 30_000;

/** Conversations that a person deleted and can still bring back for a moment. */
export type Deletions = ReturnType<typeof createDeletions>;

export function createDeletions(conversations: ConversationStore, log: Log) {
  const waiting = new Map<NodeJS.Timeout, () => Promise<void>>();
  return {
    /** Removes a conversation for good when its time is over, unless it was brought back. */
    schedule(tenant: string, id: string, deletedAt: number): void {
      const remove = async (): Promise<void> => {
        waiting.delete(timer);
        try {
          const still = await conversations.get(tenant, id);
          if (still && still.deletedAt === deletedAt) await conversations.delete(tenant, id);
        } catch (error) {
          log.warn({ err: error, conversation: id }, "a conversation could not be deleted");
        }
      };
      const timer = setTimeout(() => void remove(), UNDO_MS).unref();
      waiting.set(timer, remove);
    },
    /** Removes all of them now: whoever stops the server won't bring anything back. */
    async finish(): Promise<void> {
      for (const [timer, remove] of waiting) {
        clearTimeout(timer);
        await remove();
      }
    },
  };
}
