import type { FitResult, Reason } from "../../core/types.ts";
import type { Behalf } from "../compaction/on-behalf.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { Announcer } from "./announcer.ts";
import { summaryToApi } from "./to-api.ts";

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
  { live }: Pick<Telemetry, "live">,
  tenant: string,
  conversation: string,
  reason: Reason,
): void {
  live.send(tenant, { type: "compacting", conversation, reason });
}

/** Pages see that it is being written, can stop it, and see that it is over. Resolves when it is. */
export async function followSummary(
  parts: Pick<Telemetry, "busy"> & { readonly announcer: Announcer; isDraining(): boolean },
  { tenant, conversation, controller, ended, isAwaited }: SummaryUnderWay,
): Promise<void> {
  const over = parts.busy.background(conversation, controller, ended, isAwaited);
  await parts.announcer.now(tenant, conversation);
  await over;
  // The store may be closed by then.
  if (isAwaited || !parts.isDraining()) await parts.announcer.now(tenant, conversation);
}

/** What `fit` has under way in the background: when it is written, the timeline says so. */
export async function noteSummaries(
  { noted }: Required<Pick<Behalf, "noted">>,
  fitted: Pick<FitResult<unknown>, "state" | "background">,
): Promise<void> {
  // The newer one first, because it is written in slices; the one before has nothing left to do then.
  const { summaries } = await fitted.background;
  const known = new Set(fitted.state.summaries.map(({ key }) => key));
  for (const summary of summaries)
    if (!known.has(summary.key)) noted({ type: "summary", summary: summaryToApi(summary) });
}
