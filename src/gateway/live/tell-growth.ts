import type { ConversationStore } from "../../stores/server-store.ts";
import { toApi } from "../api-server/to-api.ts";
import type { Log } from "../ops/log.ts";
import type { Live } from "./live.ts";

/** Pages hear of a conversation that grows at most this often (milliseconds). */
const TELL_EVERY_MS = 300;

/** Tells pages about conversations that grow through `/v1`. Costs nothing as long as nobody looks. */
export function createTellGrowth(
  live: Live,
  conversations: Pick<ConversationStore, "get">,
  log: Log,
): (tenant: string, conversation: string) => void {
  const waiting = new Set<string>();
  const tell = async (tenant: string, id: string): Promise<void> => {
    const conversation = await conversations.get(tenant, id);
    if (!conversation) return;
    live.send(tenant, {
      type: "conversation",
      change: "changed",
      conversation: toApi(conversation, { of: () => undefined }),
    });
  };
  return (tenant, id) => {
    const key = `${tenant} ${id}`;
    if (!live.hasListeners || waiting.has(key)) return;
    waiting.add(key);
    setTimeout(() => {
      waiting.delete(key);
      tell(tenant, id).catch((error: unknown) =>
        log.warn({ err: error, conversation: id }, "pages could not be told about a conversation"),
      );
    }, TELL_EVERY_MS).unref();
  };
}
