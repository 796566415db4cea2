import type { FitResult, Reason } from "../../core/types.ts";
import { onBehalfOf } from "../compaction/on-behalf.ts";
import { withClientKeys } from "../compaction/summarizer.ts";
import { followSummary, noteSummaries, tellBegun } from "../conversation/follow-summary.ts";
import type { ApiContext } from "./context.ts";
import type { Loaded } from "../conversation/loaded.ts";
import { fitInput } from "../conversation/view-of.ts";

/** `fit` for a chat of the page: pages see the summary that it may begin in the background, and can stop it. */
export async function fitWatched(
  context: ApiContext,
  loaded: Loaded,
  rejected: { readonly tokens: number } | true | undefined,
): Promise<FitResult<unknown>> {
  const { gateway, tenant, headers, client } = context;
  const { id } = loaded.conversation;
  const controller = new AbortController();
  let began = false;
  const behalf = {
    tenant,
    conversation: () => id,
    signal: controller.signal,
    onStarted(reason: Reason) {
      began = true;
      tellBegun(gateway, tenant, id, reason);
    },
  };
  const result = await onBehalfOf(behalf, () =>
    withClientKeys({ headers, keyIsOurs: client.keyIsOurs, upstream: loaded.choice.upstream }, () =>
      gateway.compactors.of(loaded.choice).fit(loaded.transcript, {
        ...fitInput(loaded),
        now: gateway.now(),
        ...(rejected && { rejected }),
      }),
    ),
  );
  if (began && result.report.outcome !== "compacted") {
    const ended = noteSummaries(gateway, { tenant, conversation: id }, result);
    void followSummary(gateway, { tenant, conversation: id, controller, ended, isAwaited: true });
  } else result.background.catch(() => {});
  return result;
}
