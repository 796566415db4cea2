import { createCompactor } from "../../engine/create-compactor.ts";
import { profiles } from "../../profiles/index.ts";
import { readHead } from "../../recall/stored-head.ts";
import { storedTranscript } from "../../recall/stored-transcript.ts";
import type { Conversation } from "../../stores/server-store.ts";
import type { PastStore } from "../conversation/past.ts";

/** Such a text changes nothing about the conversation, so no budget limits it. */
const UNCAPPED = 1_000_000_000;

/** What a text about a conversation is for: a goal makes it a hand-over. */
export interface TextWish {
  readonly goal?: string | undefined;
  readonly focus?: string | undefined;
  readonly cap?: number | undefined;
  readonly signal?: AbortSignal;
}

/** A summary or a hand-over of a stored conversation, made by code alone: nothing is sent to a model. */
export async function writeText(
  store: PastStore,
  tenant: string,
  { id }: Conversation,
  { goal, focus, cap, signal }: TextWish,
): Promise<string> {
  const { dialect, read } = await storedTranscript(store, tenant, id);
  const { system } = readHead(dialect, await store.conversations.head(tenant, id));
  const compactor = createCompactor({ dialect, profile: profiles.agent, budget: UNCAPPED });
  const input = {
    ...(system !== undefined && { system }),
    ...(cap !== undefined && { cap }),
    ...(signal && { signal }),
  };
  try {
    const transcript = await read();
    const { text } =
      goal === undefined
        ? await compactor.summarize(transcript, { ...input, ...(focus !== undefined && { focus }) })
        : await compactor.handover(transcript, { ...input, goal });
    return text;
  } finally {
    await compactor.close();
  }
}
