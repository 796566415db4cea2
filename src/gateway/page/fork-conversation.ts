import { load } from "../conversation/loaded.ts";
import { createConversation } from "../conversation/store-messages.ts";
import { RequestFault } from "../http/request-fault.ts";
import type { ApiContext } from "./context.ts";

/** A new conversation with the first messages of another. */
export async function forkConversation(
  { gateway, tenant }: ApiContext,
  id: string,
  length: number,
): Promise<string> {
  const loaded = await load(gateway, tenant, id, length);
  if (length > loaded.conversation.length)
    throw new RequestFault(
      400,
      "invalid",
      `length: the conversation has ${loaded.conversation.length} messages.`,
    );
  return createConversation(gateway, tenant, {
    dialect: loaded.dialect,
    transcript: loaded.transcript,
    head: loaded.head,
    title: loaded.conversation.title,
    model: loaded.model,
    times: [...loaded.lead.map(() => undefined), ...loaded.stored.map(({ at }) => at)],
    meta: {
      ...loaded.meta,
      source: "page",
      pins: (loaded.meta.pins ?? []).filter((index) => index < length),
    },
  });
}
