import type { ApiContext } from "./context.ts";
import { announced } from "./handlers/conversations.ts";
import { findConversation } from "../conversation/loaded.ts";

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

/** Tells pages how a conversation stands now. */
export async function announce(context: ApiContext, id: string): Promise<void> {
  try {
    announced(context, await findConversation(context.gateway, context.tenant, id), "changed");
  } catch {
    // Deleted meanwhile: there is nothing to tell any more.
  }
}
