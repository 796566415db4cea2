import type { ConversationStore } from "../../stores/server-store.ts";
import type { Log } from "../telemetry/log.ts";

/** How long a deleted conversation can be brought back (milliseconds). */
export const UNDO_MS = 30_000;

/** Conversations that a person deleted and can still bring back for a moment. */
export interface Deletions {
  /** Removes a conversation for good when its time is over, unless it was brought back. */
  schedule(tenant: string, id: string, deletedAt: number): void;
  /** Removes all of them now: whoever stops the server won't bring anything back. */
  finish(): Promise<void>;
}

export function createDeletions(conversations: ConversationStore, log: Log): Deletions {
  const waiting = new Map<NodeJS.Timeout, () => Promise<void>>();
  return {
    schedule(tenant, id, deletedAt) {
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
    async finish() {
      for (const [timer, remove] of waiting) {
        clearTimeout(timer);
        await remove();
      }
    },
  };
}
