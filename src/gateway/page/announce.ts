import type { Conversation } from "../../stores/server-store.ts";
import type { ApiConversation } from "../api.ts";
import { toApi } from "../conversation/announcer.ts";
import { findConversation } from "../conversation/loaded.ts";
import type { ApiContext } from "./context.ts";

/** Tells other pages, and returns what it told. */
export function announced(
  { gateway, tenant, busy }: ApiContext,
  conversation: Conversation,
  change: "created" | "changed",
): ApiConversation {
  const shown = toApi(conversation, busy);
  gateway.live.send(tenant, { type: "conversation", change, conversation: shown });
  return shown;
}

/** Tells pages what a conversation is like now. */
export async function announce(context: ApiContext, id: string): Promise<void> {
  try {
    announced(context, await findConversation(context.gateway, context.tenant, id), "changed");
  } catch {
    // Deleted meanwhile: there is nothing to tell any more.
  }
}

/** Runs work that nothing else may run beside, and tells pages that it has begun and, whatever came of it, ended. */
export async function exclusive<T>(
  context: ApiContext,
  id: string,
  kind: "answering" | "compacting",
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await context.busy.run(id, kind, async (signal) => {
      await announce(context, id);
      return work(signal);
    });
  } finally {
    await announce(context, id);
  }
}
