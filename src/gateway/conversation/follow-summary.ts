import type { FitResult, Reason } from "../../core/types.ts";
import { summaryToApi } from "./to-api.ts";
import type { Gateway } from "../gateway.ts";

/** A summary that is written while its conversation goes on. */
export interface SummaryUnderWay {
  readonly tenant: string;
  readonly conversation: string;
  /** Stops it. */
  readonly controller: AbortController;
  readonly ended: Promise<unknown>;
  /** A server that is told to end waits for it. */
  readonly isAwaited: boolean;
}

/** What pages are told as soon as it begins. */
export function tellBegun(
  gateway: Pick<Gateway, "live">,
  tenant: string,
  conversation: string,
  reason: Reason,
): void {
  gateway.live.send(tenant, { type: "compacting", conversation, reason });
}

/** Pages see that it is being written, can stop it, and see that it is over. Resolves when it is. */
export async function followSummary(
  gateway: Pick<Gateway, "busy" | "announcer" | "isDraining">,
  { tenant, conversation, controller, ended, isAwaited }: SummaryUnderWay,
): Promise<void> {
  const over = gateway.busy.background(conversation, controller, ended, isAwaited);
  await gateway.announcer.now(tenant, conversation);
  await over;
  // The store may be closed by then.
  if (isAwaited || !gateway.isDraining()) await gateway.announcer.now(tenant, conversation);
}

/** What `fit` has under way in the background: when it is written, the timeline tells. */
export async function noteSummaries(
  { timeline, now }: Pick<Gateway, "timeline" | "now">,
  { tenant, conversation }: Pick<SummaryUnderWay, "tenant" | "conversation">,
  { state, background }: Pick<FitResult<unknown>, "state" | "background">,
): Promise<void> {
  const known = new Set(state.summaries.map(({ key }) => key));
  for (const summary of (await background).summaries)
    if (!known.has(summary.key))
      await timeline.add(tenant, conversation, now(), { type: "summary", summary: summaryToApi(summary) });
}
