import type { FitResult, Reason } from "../../core/types.ts";
import { onBehalfOf } from "../compaction/on-behalf.ts";
import { followSummary, noteSummaries, tellBegun } from "../conversation/follow-summary.ts";
import type { Turn, TurnParts } from "./turn.ts";

/** `fit` of a turn: pages see the summary that it may begin in the background, and can stop it. */
export async function watchedFit<R extends { readonly fitted: FitResult<unknown> }>(
  parts: Pick<TurnParts, "live" | "timeline" | "now" | "busy" | "announcer" | "isDraining">,
  { client: { tenant }, recording, told }: Pick<Turn, "client" | "recording" | "told">,
  fit: () => Promise<R>,
): Promise<R> {
  const controller = new AbortController();
  const isWatched = recording?.isWatched === true;
  let reason: Reason | undefined;
  const behalf = {
    tenant,
    conversation: () => recording?.known.id,
    signal: controller.signal,
    cause: () => ({ reason, request: told.id }),
    onStarted(why: Reason) {
      reason = why;
      const conversation = isWatched ? recording.known.id : undefined;
      if (conversation !== undefined) tellBegun(parts, tenant, conversation, why);
    },
  };
  const held = await onBehalfOf(behalf, fit);
  // States are made for whoever asks for one: here the store has all of it.
  if (reason === undefined || recording === undefined) return held;
  const result = held.fitted;
  const began = reason;
  let isOver = result.report.outcome === "compacted" && isWatched;
  const over = (): void => {
    isOver = true;
  };
  result.background.then(over, over);
  void recording.stored().then((conversation) => {
    // What was compacted within `fit` is over; so is a summary that came before there was a conversation to tell about.
    if (isOver || conversation === undefined) return;
    if (!isWatched) tellBegun(parts, tenant, conversation, began);
    const ended = noteSummaries(parts, { tenant, conversation }, result);
    void followSummary(parts, { tenant, conversation, controller, ended, isAwaited: isWatched });
  });
  return held;
}
