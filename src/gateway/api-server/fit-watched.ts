import type { FitResult, Reason, State } from "../../core/types.ts";
import { onBehalfOf } from "../compaction/on-behalf.ts";
import { withClientKeys } from "../compaction/summarizer.ts";
import type { ApiContext } from "./context.ts";
import { announce } from "./exclusive.ts";
import type { Loaded } from "./loaded.ts";
import { summaryToApi } from "./to-api.ts";
import { fitInput } from "./view-of.ts";

/** `fit` for a chat of the page: pages see the summary that it may begin in the background, and can stop it. */
export async function fitWatched(
  context: ApiContext,
  loaded: Loaded,
  rejected: { readonly tokens: number } | true | undefined,
): Promise<FitResult<unknown>> {
  const { gateway, tenant, headers, client, busy } = context;
  const { id } = loaded.conversation;
  const controller = new AbortController();
  let began = false;
  const behalf = {
    tenant,
    conversation: () => id,
    signal: controller.signal,
    onStarted(reason: Reason) {
      began = true;
      gateway.live.send(tenant, { type: "compacting", conversation: id, reason });
    },
  };
  const result = await onBehalfOf(behalf, () =>
    withClientKeys(headers, client.keyIsOurs, () =>
      gateway.compactors.of(loaded.choice).fit(loaded.transcript, {
        ...fitInput(loaded),
        now: gateway.now(),
        ...(rejected && { rejected }),
      }),
    ),
  );
  if (began && result.report.outcome !== "compacted") {
    const written = result.background.then((state) => noteSummaries(context, id, result.state, state));
    void busy.background(id, controller, written).then(() => announce(context, id));
  } else result.background.catch(() => {});
  return result;
}

async function noteSummaries(
  { gateway, tenant }: ApiContext,
  id: string,
  before: State,
  after: State,
): Promise<void> {
  const known = new Set(before.summaries.map(({ key }) => key));
  for (const summary of after.summaries)
    if (!known.has(summary.key))
      await gateway.timeline.add(tenant, id, gateway.now(), {
        type: "summary",
        summary: summaryToApi(summary),
      });
}
