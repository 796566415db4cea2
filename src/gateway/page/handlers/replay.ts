import type { z } from "zod";
import { leadLength } from "../../../core/rounds.ts";
import type { Compactor, CompactorOptions, Dialect, Measure } from "../../../core/types.ts";
import { dialectById } from "../../../dialects/index.ts";
import { readLogs } from "../../../dialects/logs/index.ts";
import { readyLog } from "../../../dialects/ready-log.ts";
import { createCompactor } from "../../../engine/create-compactor.ts";
import { modelCounting, windowOptions } from "../../../eval/replay/model-counting.ts";
import { type Replay, type SimulateOptions, simulate } from "../../../eval/replay/simulate.ts";
import { profiles } from "../../../profiles/index.ts";
import { modelInfo } from "../../../tokens/index.ts";
import type { Policy, ReplayAnswer, ReplayRun } from "../../api.ts";
import { measureOf } from "../../compaction/measure.ts";
import { countAhead } from "../../conversation/count-ahead.ts";
import { type Loaded, load, tuningOf } from "../../conversation/loaded.ts";
import { type ReplayedState, replayCompactor } from "../../conversation/replayed-plan.ts";
import { fitInput } from "../../conversation/view-of.ts";
import { RequestFault } from "../../http/request-fault.ts";
import type { ApiContext, Handlers } from "../context.ts";
import { progressStream } from "../progress-stream.ts";
import { replayRun } from "../replay-run.ts";
import { schemas } from "../schemas.ts";

/** Where no policy and no model says: the window that files are replayed in (tokens). */
const DEFAULT_WINDOW = 128_000;
/** Messages that all requests of a replay may have together: others wait for this server, too. */
const MAX_WORK = 250_000;

interface Source extends Omit<SimulateOptions, "compactor"> {
  readonly title: string;
  readonly dialect: Dialect<unknown>;
  readonly measure: Measure;
  readonly warnings: readonly string[];
  /** The model and the window of a policy that names none. */
  readonly model: string | undefined;
  readonly window: number;
  /** Undefined for a file. */
  readonly loaded?: Loaded;
}

type Input = z.output<typeof schemas.replay>;

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
  input: Input,
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
async function replayAsSet({ gateway, tenant }: ApiContext, source: Source): Promise<Replay> {
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

/** What is replayed: a stored conversation, or one in a file. */
export async function sourceOf(
  { gateway, tenant }: ApiContext,
  input: Pick<Input, "conversation" | "file" | "pick">,
): Promise<Source> {
  if (input.conversation !== undefined) {
    const loaded = await load(gateway, tenant, input.conversation);
    await countAhead(gateway, loaded);
    const { conversation, dialect, transcript, system, pins, lead, stored, settings, choice, model } = loaded;
    return {
      loaded,
      model: modelInfo(model).known ? model : undefined,
      window: settings.window ?? gateway.windows.of(choice.upstream, model, tenant).window,
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
export function optionsOf(source: Source, policy: Policy): CompactorOptions<unknown> {
  const { strategy, budget } = policy;
  const model = policy.model ?? source.model;
  return {
    dialect: source.dialect,
    ...(policy.model !== undefined && policy.window === undefined
      ? { window: { model: policy.model } }
      : windowOptions(model, policy.window ?? source.window)),
    profile: profiles[policy.profile ?? "agent"],
    ...(strategy !== undefined && { strategy }),
    ...(budget !== undefined && { budget }),
    ...tuningOf(policy),
  };
}
