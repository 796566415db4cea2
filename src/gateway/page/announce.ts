import type { Conversation } from "../../stores/server-store.ts";
import type { ApiConversation, ChatEvent } from "../api.ts";
import { toApi } from "../conversation/announcer.ts";
import { findConversation } from "../conversation/loaded.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
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

/** How often pages that didn't ask for an answer see it grow (milliseconds). */
const SHOW_EVERY_MS = 250;

/** Pages that didn't ask see so much of an answer before it is done (characters). All of it is sent each time. */
const MOST_SHOWN = 200_000;

/** Shows an answer while it is written to pages that didn't ask for it: other tabs, and the same one after a reload. */
export function showAnswer(
  { live }: Pick<Telemetry, "live">,
  tenant: string,
  conversation: string,
): { take(event: ChatEvent): void; end(): void } {
  const topic = `answer ${conversation}`;
  let text = "";
  let timer: NodeJS.Timeout | undefined;
  const show = (): void => {
    timer = undefined;
    live.show(tenant, topic, { type: "answer", conversation, text });
  };
  return {
    take(event) {
      if (event.type !== "text" || text.length >= MOST_SHOWN) return;
      text = (text + event.text).slice(0, MOST_SHOWN);
      timer ??= setTimeout(show, SHOW_EVERY_MS);
    },
    end() {
      clearTimeout(timer);
      live.endShow(tenant, topic);
    },
  };
}
