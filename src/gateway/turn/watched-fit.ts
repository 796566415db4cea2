import type { FitResult, Reason } from "../../core/types.ts";
import { onBehalfOf } from "../compaction/on-behalf.ts";
import type { Gateway } from "../gateway.ts";
import { followSummary, noteSummaries, tellBegun } from "../conversation/follow-summary.ts";
import type { Exchange } from "../v1/exchange.ts";

/** `fit` for a request of a client: pages see the summary that it may begin in the background, and can stop it. */
export async function watchedFit(
  gateway: Gateway,
  { client, recording }: Pick<Exchange, "client" | "recording">,
  fit: () => Promise<FitResult<unknown>>,
): Promise<FitResult<unknown>> {
  const { tenant } = client;
  const controller = new AbortController();
  let reason: Reason | undefined;
  const behalf = {
    tenant,
    conversation: () => recording?.known.id,
    signal: controller.signal,
    onStarted(why: Reason) {
      reason = why;
    },
  };
  const result = await onBehalfOf(behalf, fit);
  result.background.catch(() => {});
  if (reason === undefined || recording === undefined) return result;
  const began = reason;
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  result.background.then(over, over);
  void recording.stored().then((conversation) => {
    // What was compacted within `fit` is over; so is a summary that came before there was a conversation to tell about.
    if (isOver || conversation === undefined) return;
    tellBegun(gateway, tenant, conversation, began);
    const ended = noteSummaries(gateway, { tenant, conversation }, result);
    void followSummary(gateway, { tenant, conversation, controller, ended, isAwaited: false });
  });
  return result;
}
