import type { z } from "zod";
import { leadLength } from "../../../core/rounds.ts";
import type { Compactor, Prices } from "../../../core/types.ts";
import { createCompactor } from "../../../engine/create-compactor.ts";
import { type Replay, simulate } from "../../../eval/replay/simulate.ts";
import { cachedOf, costsOf, largest, totalsOf } from "../../../eval/replay/totals.ts";
import { modelInfo } from "../../../tokens/index.ts";
import type { Policy, ReplayAnswer, ReplayRun } from "../../api.ts";
import { fitInput, type ReplayedState, replayCompactor } from "../../conversation/view-of.ts";
import { RequestFault } from "../../http/request-fault.ts";
import type { ApiContext, Handlers } from "../context.ts";
import { progressStream } from "../progress-stream.ts";
import { optionsOf, type ReplaySource, sourceOf } from "../replay-source.ts";
import { schemas } from "../schemas.ts";

/** Messages that all requests of a replay may have together: others wait for this server, too. */
const MAX_WORK = 250_000;

export const replayHandlers = {
  async replay(context) {
    return replayAll(context, await context.body(schemas.replay));
  },

  async followReplay(context) {
    const input = await context.body(schemas.replay);
    return progressStream(context, (onProgress) => replayAll(context, input, onProgress));
  },
} satisfies Partial<Handlers>;

async function replayAll(
  context: ApiContext,
  input: z.output<typeof schemas.replay>,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<ReplayAnswer> {
  const source = await sourceOf(context, input);
  const prices = input.prices === undefined ? undefined : modelInfo(input.prices).prices;
  const { title, messages, warnings, dialect } = source;
  const lead = leadLength(messages, (message) => dialect.read(message).role);
  const runs: ReplayRun[] = [];
  for (const given of input.policies) {
    const policy = given as Policy;
    const limits = {
      maxWork: MAX_WORK,
      signal: context.signal,
      onProgress: (done: number, total: number) =>
        onProgress(runs.length * total + done, input.policies.length * total),
    };
    const replay = input.asSet
      ? await replayAsSet(context, { ...source, ...limits })
      : await simulate({ ...source, ...limits, compactor: createCompactor(optionsOf(source, policy)) });
    runs.push({ policy, ...replayRun(replay, lead, prices) });
  }
  return { title, messages: messages.length, runs, warnings };
}

/** Under the conversation's own settings. What its requests stand on is kept, so that its views can be looked at. */
async function replayAsSet({ gateway, tenant }: ApiContext, source: ReplaySource): Promise<Replay> {
  const { loaded } = source;
  if (!loaded) throw new RequestFault(400, "invalid", "asSet: only a conversation has settings of its own.");
  const compactor = replayCompactor(gateway, loaded);
  const states: ReplayedState[] = [];
  let checkpoint: string | undefined;
  const fit: Compactor<unknown>["fit"] = async (messages, input) => {
    const fitted = await compactor.fit(messages, input);
    const { checkpoint: newest } = fitted.report;
    if (newest !== undefined && newest !== checkpoint)
      states.push({ length: messages.length, state: fitted.state });
    checkpoint = newest;
    return fitted;
  };
  const replay = await simulate({ ...source, input: fitInput(loaded), compactor: { fit } });
  gateway.replayedStates.keep(tenant, loaded.conversation.id, states);
  return replay;
}

/** A replay as the page shows it. Leading system messages aren't counted, as nowhere in the API. */
function replayRun(replay: Replay, lead: number, prices: Prices | undefined): Omit<ReplayRun, "policy"> {
  const { requests, every } = replay;
  const totals = totalsOf(replay, prices);
  const cached = cachedOf(requests);
  const costs = prices && costsOf(requests, prices);
  return {
    requests: totals.requests,
    compactions: totals.compactions,
    impossible: replay.impossible.length * every,
    ...(every > 1 && { every }),
    tokens: { transcript: totals.sentWithout, view: totals.sent },
    peak: { transcript: largest(requests, ({ full }) => full), view: totals.largest },
    cost: totals.cost && { transcript: totals.cost.without.total, view: totals.cost.with.total },
    ...(totals.survival && { survival: totals.survival }),
    points: requests.map(({ at, full, tokens, budget, compaction }, nth) => ({
      messages: at - lead,
      transcript: full,
      view: tokens,
      budget,
      compacted: compaction !== undefined,
      cached: cached[nth]!,
      ...(costs && { cost: costs[nth]!.with.total }),
    })),
  };
}
