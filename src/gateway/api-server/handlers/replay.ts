import { setImmediate as breathe } from "node:timers/promises";
import { BudgetImpossibleError } from "../../../core/errors.ts";
import type { CompactorOptions, Dialect, Measure, Prices } from "../../../core/types.ts";
import { dialectById } from "../../../dialects/index.ts";
import { createLogReader } from "../../../dialects/logs/index.ts";
import { createCompactor } from "../../../engine/create-compactor.ts";
import { profiles } from "../../../profiles/index.ts";
import { createMeasure, exactCounter, modelInfo } from "../../../tokens/index.ts";
import type { Policy, ReplayPoint, ReplayRun } from "../../api.ts";
import { RequestFault } from "../../wires/request-fault.ts";
import { createCachedPart } from "../cached-part.ts";
import type { ApiContext } from "../context.ts";
import { countAhead } from "../count-ahead.ts";
import type { Handlers } from "../create-api.ts";
import { load } from "../loaded.ts";
import { measureOf } from "../measure-of.ts";
import { schemas } from "../schemas.ts";

/** Where no policy and no model says: the window that files are replayed in (tokens). */
const DEFAULT_WINDOW = 128_000;
const MILLION = 1_000_000;
/** Replaying may keep other requests waiting this long (milliseconds). */
const SLICE_MS = 25;

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
}

export const replayHandlers = {
  async replay(context) {
    const input = await context.body(schemas.replay);
    const source = await sourceOf(context, input);
    const runs: ReplayRun[] = [];
    for (const policy of input.policies)
      runs.push(await run(source, policy as Policy, input.prices, context.signal));
    return { title: source.title, messages: source.messages.length, runs, warnings: source.warnings };
  },
} satisfies Partial<Handlers>;

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
      window: settings.window ?? gateway.windows.of(choice.upstream, model).window,
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

/** One `fit` before every answer of the model, as it happened. */
async function run(
  source: Source,
  policy: Policy,
  pricedAs: string | undefined,
  signal: AbortSignal,
): Promise<ReplayRun> {
  const { dialect, messages, system, tools } = source;
  const compactor = createCompactor<unknown>(optionsOf(source, policy));
  const prices = pricedAs === undefined ? undefined : modelInfo(pricedAs).prices;
  const roles = messages.map((message) => dialect.read(message).role);
  // Leading system messages aren't counted, as nowhere in the API.
  const lead = Math.max(
    0,
    roles.findIndex((role) => role !== "system"),
  );
  const cachedPart = createCachedPart(dialect, source.measure);
  const points: ReplayPoint[] = [];
  let whole = 0;
  let wholeCost = 0;
  let state: unknown;
  let impossible = 0;
  let started = performance.now();
  for (const [index, role] of roles.entries()) {
    if (role !== "assistant" || (index > 0 && roles[index - 1] === "assistant") || index === 0) continue;
    if (performance.now() - started >= SLICE_MS) {
      await breathe();
      started = performance.now();
    }
    signal.throwIfAborted();
    try {
      const fitted = await compactor.fit(messages.slice(0, index), { state, system, tools });
      const { report } = fitted;
      state = fitted.state;
      const transcript = report.tokens.transcript + report.budget.tools;
      const view = report.tokens.after + report.budget.tools;
      const share = cachedPart(fitted);
      const isFirst = points.length === 0;
      const cached = isFirst ? 0 : Math.round(share * report.tokens.after) + report.budget.tools;
      wholeCost += priced(prices, transcript, whole);
      whole = transcript;
      points.push({
        messages: index - lead,
        transcript,
        view,
        budget: report.budget.budget,
        compacted: report.outcome === "compacted",
        cached,
        ...(prices && { cost: priced(prices, view, cached) }),
      });
    } catch (error) {
      if (!(error instanceof BudgetImpossibleError)) throw error;
      impossible++;
    }
  }
  const sum = (of: (point: ReplayPoint) => number) => points.reduce((total, point) => total + of(point), 0);
  const most = (of: (point: ReplayPoint) => number) =>
    points.reduce((largest, point) => Math.max(largest, of(point)), 0);
  return {
    policy,
    requests: points.length + impossible,
    compactions: points.filter(({ compacted }) => compacted).length,
    impossible,
    tokens: { transcript: sum((point) => point.transcript), view: sum((point) => point.view) },
    peak: { transcript: most((point) => point.transcript), view: most((point) => point.view) },
    cost: prices && { transcript: wholeCost, view: sum((point) => point.cost ?? 0) },
    points,
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

/** US dollars of one request: what the provider's cache holds is read from it, the rest is written to it. */
function priced(prices: Prices | undefined, tokens: number, cached: number): number {
  if (!prices) return 0;
  const read = Math.min(cached, tokens);
  return (read * prices.cacheRead + (tokens - read) * prices.cacheWrite) / MILLION;
}
