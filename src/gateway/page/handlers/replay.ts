import type { z } from "zod";
import { dialectById } from "../../../apis/index.ts";
import { readLogs } from "../../../apis/logs/index.ts";
import { readyLog } from "../../../apis/ready-log.ts";
import { defined } from "../../../core/collections.ts";
import { leadLength } from "../../../core/rounds.ts";
import type { Compactor, CompactorOptions, Dialect, Measure, Prices, Sized } from "../../../core/types.ts";
import { createCompactor } from "../../../engine/create-compactor.ts";
import { modelCounting, windowOptions } from "../../../eval/replay/model-counting.ts";
import { type Replay, type SimulateOptions, simulate } from "../../../eval/replay/simulate.ts";
import { largest, totalsOf } from "../../../eval/replay/totals.ts";
import { profiles } from "../../../profiles/index.ts";
import { countingCache } from "../../../stream/caches/counting-cache.ts";
import { playRecording, readRecordings } from "../../../stream/recording.ts";
import { exactCounter, modelInfo } from "../../../tokens/index.ts";
import { spendOf } from "../../../tokens/model-info.ts";
import { schemas } from "../../api/schemas.ts";
import { tuningOf } from "../../api/settings.ts";
import type { Policy, ReplayAnswer, ReplayRun } from "../../api.ts";
import { createPace, measureOf } from "../../compaction/measure.ts";
import { engineInfo, NO_MODEL, NOBODYS_WINDOW } from "../../compaction/windows.ts";
import { countAhead, type Loaded, load } from "../../conversation/loaded.ts";
import { fitInput, type ReplayedState, replayCompactor } from "../../conversation/view-of.ts";
import { RequestFault } from "../../http/request-fault.ts";
import type { ApiContext, Handlers } from "../context.ts";
import { progressStream } from "../event-stream.ts";

/** Messages that all requests of a replay may have together, and frames of a stream that is played: others wait for this server, too. */
const MAX_WORK = 250_000;

export const replayHandlers = {
  async replay(context) {
    return replayAll(context, await context.body(schemas.replay));
  },

  async followReplay(context) {
    const input = await context.body(schemas.replay);
    return progressStream(context, (onProgress) => replayAll(context, input, onProgress));
  },

  async replayStream(context) {
    const { file, pick = 0, ...asked } = await context.body(schemas.replayStream);
    const recordings = readRecordings(file.text.split("\n"));
    const recording = recordings[pick];
    if (!recording)
      throw new RequestFault(
        400,
        "invalid",
        `pick: the file has no recording ${pick + 1}; recordings in it: ${recordings.length}.`,
      );
    const frames = recording.events.reduce(
      (sum, event) => sum + (event.type === "frames" ? (event.count ?? 1) : 1),
      0,
    );
    if (frames > MAX_WORK)
      throw new RequestFault(413, "too-large", `The recording has ${frames} frames, more than ${MAX_WORK}.`, {
        fix: "Play a part of it, or all of it with `precis stream`.",
      });
    const pace = createPace(context);
    const played = await playRecording(recording, {
      ...asked,
      cache: countingCache({ counter: await exactCounter("o200k_base") }),
      onEvent: pace.pause,
    });
    return { title: recording.title ?? file.name, recordings: recordings.length, ...played };
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
  return {
    requests: totals.requests,
    compactions: totals.compactions,
    impossible: replay.impossible.length * every,
    ...(every > 1 && { every }),
    tokens: { transcript: totals.sentWithout, view: totals.sent },
    peak: { transcript: largest(requests, ({ full }) => full), view: totals.largest },
    cost: totals.cost && { transcript: totals.cost.without.total, view: totals.cost.with.total },
    ...(totals.survival && { survival: totals.survival }),
    points: requests.map(({ at, full, tokens, tools, budget, compaction, usage }) => ({
      messages: at - lead,
      transcript: full,
      view: tokens,
      budget,
      compacted: compaction !== undefined,
      cached: Math.max(0, usage.cacheRead - tools),
      ...(prices && { cost: spendOf(usage, prices) }),
    })),
  };
}

/** Where no policy and no model says: the window that files are replayed in (tokens). */
const DEFAULT_WINDOW = 128_000;

/** A conversation with all that its replay needs. */
interface ReplaySource extends Omit<SimulateOptions, "compactor"> {
  readonly title: string;
  readonly dialect: Dialect<unknown>;
  readonly measure: Measure;
  readonly warnings: readonly string[];
  /** The model and the window of a policy that names none. */
  readonly model: string | undefined;
  readonly window: number;
  /** How the conversation's model counts. */
  readonly models?: CompactorOptions<unknown>["models"];
  /** Undefined for a file. */
  readonly loaded?: Loaded;
}

/** What is replayed: a stored conversation, or one in a file. */
async function sourceOf(
  { gateway, tenant }: ApiContext,
  input: Pick<z.output<typeof schemas.replay>, "conversation" | "file" | "pick">,
): Promise<ReplaySource> {
  if (input.conversation !== undefined) {
    const loaded = await load(gateway, tenant, input.conversation);
    await countAhead(gateway, loaded);
    const { conversation, dialect, transcript, system, pins, lead, stored, settings, choice, model } = loaded;
    const { upstream } = choice;
    const info = gateway.windows.of(upstream, model, tenant);
    return {
      loaded,
      model: model || NO_MODEL,
      models: {
        [model || NO_MODEL]: { ...engineInfo(info), factor: gateway.windows.factor(upstream, model, tenant) },
      },
      window: settings.window ?? (info.window === NOBODYS_WINDOW ? DEFAULT_WINDOW : info.window),
      measure: await measureOf(gateway, choice),
      title: conversation.title,
      dialect,
      messages: transcript,
      times: [...lead.map(() => undefined), ...stored.map(({ at }) => at)],
      input: { system, pins },
      warnings: [],
    };
  }
  if (!input.file) throw new RequestFault(400, "invalid", "conversation or file: give one of them.");
  const logs = readLogs(input.file.text, { name: input.file.name });
  const found = logs[input.pick ?? 0];
  if (!found) throw new RequestFault(400, "invalid", `pick: the file holds ${logs.length} conversations.`);
  const { title, dialect, messages, times, system, tools, model, warnings } = readyLog(found);
  const counting = await modelCounting(model);
  return {
    title: title ?? input.file.name,
    dialect: dialectById(dialect),
    messages,
    ...(times && { times }),
    input: { system, tools },
    warnings,
    ...counting,
    window: counting.window ?? DEFAULT_WINDOW,
  };
}

/** A policy as the engine takes it. */
function optionsOf(source: ReplaySource, policy: Policy): CompactorOptions<unknown> & Sized {
  const { strategy, budget } = policy;
  const model = policy.model ?? source.model;
  const { window, models } =
    policy.model !== undefined && policy.window === undefined
      ? { window: { model: policy.model } }
      : windowOptions(model, policy.window ?? source.window);
  const known = model === undefined ? undefined : { ...source.models?.[model], ...models?.[model] };
  return {
    dialect: source.dialect,
    window,
    ...(model !== undefined && known && { models: { [model]: known } }),
    profile: profiles[policy.profile ?? "agent"],
    ...defined({ strategy, budget }),
    ...tuningOf(policy),
  };
}
