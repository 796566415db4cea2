import type { CompactorOptions, Dialect, Measure } from "../../../core/types.ts";
import { dialectById } from "../../../dialects/index.ts";
import { createLogReader } from "../../../dialects/logs/index.ts";
import { createCompactor } from "../../../engine/create-compactor.ts";
import { profiles } from "../../../profiles/index.ts";
import { createMeasure, exactCounter, modelInfo } from "../../../tokens/index.ts";
import type { Policy, ReplayRun } from "../../api.ts";
import { measureOf } from "../../compaction/measure.ts";
import { countAhead } from "../../conversation/count-ahead.ts";
import { type Loaded, load } from "../../conversation/loaded.ts";
import { lookBack, type PastState } from "../../conversation/look-back.ts";
import { fitInput } from "../../conversation/view-of.ts";
import { RequestFault } from "../../http/request-fault.ts";
import type { ApiContext, Handlers } from "../context.ts";
import { type ReplayOptions, replayRun } from "../replay-run.ts";
import { schemas } from "../schemas.ts";

/** Where no policy and no model says: the window that files are replayed in (tokens). */
const DEFAULT_WINDOW = 128_000;

interface Source {
  readonly title: string;
  readonly dialect: Dialect<unknown>;
  readonly messages: readonly unknown[];
  readonly system: unknown;
  readonly tools: unknown;
  readonly warnings: readonly string[];
  /** The window that a policy gets which names none. */
  readonly window: number;
  readonly measure: Measure;
  /** Undefined for a file. */
  readonly loaded?: Loaded;
}

export const replayHandlers = {
  async replay(context) {
    const input = await context.body(schemas.replay);
    const source = await sourceOf(context, input);
    const prices = input.prices === undefined ? undefined : modelInfo(input.prices).prices;
    const { dialect, measure, messages, system, tools } = source;
    const shared = { dialect, measure, messages, prices, signal: context.signal };
    const runs: ReplayRun[] = [];
    for (const given of input.policies) {
      const policy = given as Policy;
      const run = input.asItWas
        ? await replayPast(context, source, shared)
        : await replayRun({
            ...shared,
            compactor: createCompactor<unknown>(optionsOf(source, policy)),
            input: { system, tools },
          });
      runs.push({ policy, ...run });
    }
    return { title: source.title, messages: source.messages.length, runs, warnings: source.warnings };
  },
} satisfies Partial<Handlers>;

/** With the compactions that there really were; others only where something wouldn't have fitted. */
async function replayPast(
  { gateway, tenant }: ApiContext,
  { loaded }: Source,
  shared: Omit<ReplayOptions, "compactor" | "input">,
): Promise<Omit<ReplayRun, "policy">> {
  if (!loaded) throw new RequestFault(400, "invalid", "asItWas: only a conversation has a past.");
  const past = await lookBack(gateway, tenant, loaded);
  const states: PastState[] = [];
  const run = await replayRun({
    ...shared,
    compactor: past.compactor,
    input: fitInput(loaded),
    onRequest: past.goTo,
    onState: (length, state) => states.push({ length, state }),
  });
  gateway.pastStates.keep(tenant, loaded.conversation.id, states);
  return run;
}

async function sourceOf(
  { gateway, tenant }: ApiContext,
  input: {
    conversation?: string | undefined;
    file?: { name: string; text: string } | undefined;
    pick?: number | undefined;
  },
): Promise<Source> {
  if (input.conversation !== undefined) {
    const loaded = await load(gateway, tenant, input.conversation);
    await countAhead(gateway, loaded);
    const { conversation, dialect, transcript, system, settings, choice, model } = loaded;
    return {
      loaded,
      window: settings.window ?? gateway.windows.of(choice.upstream, model, tenant).window,
      measure: await measureOf(gateway, choice),
      title: conversation.title,
      dialect,
      messages: transcript,
      system,
      tools: undefined,
      warnings: [],
    };
  }
  if (!input.file) throw new RequestFault(400, "invalid", "conversation or file: give one of them.");
  const reader = createLogReader({ name: input.file.name });
  for (const line of input.file.text.split("\n")) reader.push(line);
  const logs = reader.endAll();
  const log = logs[input.pick ?? 0];
  if (!log) throw new RequestFault(400, "invalid", `pick: the file holds ${logs.length} conversations.`);
  return {
    window: DEFAULT_WINDOW,
    measure: createMeasure({ counter: await exactCounter("o200k_base") }),
    title: log.title ?? input.file.name,
    dialect: dialectById(log.dialect),
    messages: log.messages,
    system: log.system,
    tools: log.tools,
    warnings: log.warnings,
  };
}

function optionsOf({ dialect, window }: Source, policy: Policy): CompactorOptions<unknown> {
  const { model, strategy, budget, startAt, landAt, reserve, placement, tail } = policy;
  return {
    dialect,
    ...(model !== undefined
      ? {
          window: { model },
          ...(policy.window !== undefined && { models: { [model]: { window: policy.window } } }),
        }
      : { window: policy.window ?? window }),
    profile: profiles[policy.profile ?? "agent"],
    ...(strategy !== undefined && { strategy }),
    ...(budget !== undefined && { budget }),
    ...(startAt !== undefined && { startAt }),
    ...(landAt !== undefined && { landAt }),
    ...(reserve !== undefined && { reserve }),
    ...(placement !== undefined && { placement }),
    ...(tail !== undefined && { tail: { share: tail } }),
  };
}
