import { setImmediate as breathe } from "node:timers/promises";
import { BudgetImpossibleError } from "../../../core/errors.ts";
import type { Dialect } from "../../../core/types.ts";
import { dialectById } from "../../../dialects/index.ts";
import { createLogReader } from "../../../dialects/logs/index.ts";
import { createCompactor } from "../../../engine/create-compactor.ts";
import { profiles } from "../../../profiles/index.ts";
import { modelInfo } from "../../../tokens/index.ts";
import type { Policy, ReplayPoint, ReplayRun } from "../../api.ts";
import { RequestFault } from "../../wires/request-fault.ts";
import type { ApiContext } from "../context.ts";
import type { Handlers } from "../create-api.ts";
import { load } from "../loaded.ts";
import { schemas } from "../schemas.ts";

/** Where no policy and no model says: the window that transcripts are replayed in (tokens). */
const DEFAULT_WINDOW = 128_000;
const MILLION = 1_000_000;

interface Source {
  readonly title: string;
  readonly dialect: Dialect<unknown>;
  readonly messages: readonly unknown[];
  readonly system: unknown;
  readonly tools: unknown;
  readonly warnings: readonly string[];
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
    const { conversation, dialect, transcript, system } = await load(gateway, tenant, input.conversation);
    return {
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
  prices: string | undefined,
  signal: AbortSignal,
): Promise<ReplayRun> {
  const { dialect, messages, system, tools } = source;
  const model = policy.model;
  const compactor = createCompactor<unknown>({
    dialect,
    ...(model !== undefined
      ? {
          window: { model },
          ...(policy.window !== undefined && { models: { [model]: { window: policy.window } } }),
        }
      : { window: policy.window ?? DEFAULT_WINDOW }),
    profile: profiles[policy.profile ?? "agent"],
    ...(policy.strategy !== undefined && { strategy: policy.strategy }),
    ...(policy.budget !== undefined && { budget: policy.budget }),
    ...(policy.startAt !== undefined && { startAt: policy.startAt }),
    ...(policy.landAt !== undefined && { landAt: policy.landAt }),
    ...(policy.reserve !== undefined && { reserve: policy.reserve }),
    ...(policy.placement !== undefined && { placement: policy.placement }),
  });
  const roles = messages.map((message) => dialect.read(message).role);
  const points: ReplayPoint[] = [];
  let state: unknown;
  let impossible = 0;
  for (const [index, role] of roles.entries()) {
    if (role !== "assistant" || (index > 0 && roles[index - 1] === "assistant") || index === 0) continue;
    await breathe();
    signal.throwIfAborted();
    try {
      const { report, state: next } = await compactor.fit(messages.slice(0, index), { state, system, tools });
      state = next;
      points.push({
        messages: index,
        transcript: report.tokens.transcript + report.budget.tools,
        view: report.tokens.after + report.budget.tools,
        budget: report.budget.budget,
        compacted: report.outcome === "compacted",
      });
    } catch (error) {
      if (!(error instanceof BudgetImpossibleError)) throw error;
      impossible++;
    }
  }
  const sum = (of: (point: ReplayPoint) => number) => points.reduce((total, point) => total + of(point), 0);
  const tokens = { transcript: sum((point) => point.transcript), view: sum((point) => point.view) };
  const price = prices === undefined ? undefined : modelInfo(prices).prices?.input;
  return {
    policy,
    requests: points.length + impossible,
    compactions: points.filter(({ compacted }) => compacted).length,
    impossible,
    tokens,
    peak: {
      transcript: Math.max(0, ...points.map((point) => point.transcript)),
      view: Math.max(0, ...points.map((point) => point.view)),
    },
    cost:
      price === undefined
        ? undefined
        : { transcript: (tokens.transcript * price) / MILLION, view: (tokens.view * price) / MILLION },
    points,
  };
}
