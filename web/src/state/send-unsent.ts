import { routes } from "../../../src/gateway/api.ts";
import { ApiFailure, explain } from "./api-client.ts";
import type { ChatParts } from "./chat-state.ts";
import type { FollowAnswer, Followed } from "./follow-answer.ts";
import type { Obstacle, Outbox, Unsent } from "./outbox.ts";

/** What waits for an answer in another tab is tried again after this. */
const BUSY_AGAIN_MS = 2_000;

/** What keeps something typed from being sent. */
function obstacleOf(error: unknown): Obstacle {
  const code = error instanceof ApiFailure ? error.code : undefined;
  if (code === "offline" || code === "busy") return { type: code };
  return { type: "refused", ...explain(error) };
}

/** Sends what is unsent, the oldest first. By itself nothing is sent again that the server refused. */
export function createSendUnsent(
  { api, id, store }: ChatParts,
  options: {
    readonly outbox: Outbox;
    readonly follow: FollowAnswer;
    /** The model for a chat that has none yet. */
    readonly missingModel: () => Promise<{ readonly model?: string }>;
    /** Nothing is sent any more. */
    readonly closed: AbortSignal;
  },
): (by: "person" | "itself") => Promise<void> {
  const { outbox, follow, closed } = options;

  const deliver = async (item: Unsent): Promise<Followed> => {
    const { id: named, text, images } = item;
    const body = { id: named, text, ...(images && { images }), ...(await options.missingModel()) };
    return follow(api.stream(routes.chat, { params: { id }, body }), () => outbox.remove(named));
  };

  let isSending = false;
  const sendUnsent = async (by: "person" | "itself"): Promise<void> => {
    // What an answer that is still being written shows isn't to be thrown away.
    if (isSending || closed.aborted || store.get().answer !== undefined) return;
    isSending = true;
    try {
      for (let item = outbox.first(); item !== undefined; item = outbox.first()) {
        if (by === "itself" && item.why?.type === "refused") return;
        outbox.hold(item.id, undefined);
        const followed = await deliver(item);
        if (followed.isTaken) continue;
        const obstacle = obstacleOf(followed.error);
        outbox.hold(item.id, obstacle);
        // The event that says that the chat is free again may have come while this was on its way, or not at all.
        if (obstacle.type === "busy") setTimeout(() => void sendUnsent("itself"), BUSY_AGAIN_MS);
        return;
      }
    } finally {
      isSending = false;
    }
  };
  return sendUnsent;
}
