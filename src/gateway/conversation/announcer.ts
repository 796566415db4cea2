import type { ConversationStore } from "../../stores/server-store.ts";
import type { Busy } from "../telemetry/busy.ts";
import type { Live } from "../telemetry/live.ts";
import type { Log } from "../telemetry/log.ts";
import { isThrownAway } from "./chat-meta.ts";
import { toApi } from "./to-api.ts";

/** Pages hear of a conversation that grows at most this often (milliseconds). */
const TELL_EVERY_MS = 300;

/** Tells pages how conversations of `/v1` stand. Costs nothing as long as nobody looks. */
export interface Announcer {
  /** It grew; told within moments, once for all that came until then. */
  soon(tenant: string, conversation: string): void;
  /** Something in it began or ended. Never rejects. */
  now(tenant: string, conversation: string): Promise<void>;
}

export function createAnnouncer(
  live: Live,
  conversations: Pick<ConversationStore, "get">,
  busy: Pick<Busy, "of">,
  log: Log,
): Announcer {
  const waiting = new Set<string>();
  const tell = async (tenant: string, id: string): Promise<void> => {
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
    now: tell,
    soon(tenant, id) {
      const key = `${tenant} ${id}`;
      if (!live.hasListeners || waiting.has(key)) return;
      waiting.add(key);
      setTimeout(() => {
        waiting.delete(key);
        void tell(tenant, id);
      }, TELL_EVERY_MS).unref();
    },
  };
}
