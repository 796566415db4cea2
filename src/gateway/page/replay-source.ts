import type { z } from "zod";
import { dialectById } from "../../apis/index.ts";
import { readLogs } from "../../apis/logs/index.ts";
import { readyLog } from "../../apis/ready-log.ts";
import type { CompactorOptions, Dialect, Measure, Sized } from "../../core/types.ts";
import { modelCounting, windowOptions } from "../../eval/replay/model-counting.ts";
import type { SimulateOptions } from "../../eval/replay/simulate.ts";
import { profiles } from "../../profiles/index.ts";
import { tuningOf } from "../api/settings.ts";
import type { Policy } from "../api.ts";
import { measureOf } from "../compaction/measure.ts";
import { NOBODYS_WINDOW } from "../compaction/windows.ts";
import { countAhead, type Loaded, load } from "../conversation/loaded.ts";
import { RequestFault } from "../http/request-fault.ts";
import type { ApiContext } from "./context.ts";
import type { schemas } from "./schemas.ts";

/** Where no policy and no model says: the window that files are replayed in (tokens). */
const DEFAULT_WINDOW = 128_000;

/** A conversation with all that its replay needs. */
export interface ReplaySource extends Omit<SimulateOptions, "compactor"> {
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
export async function sourceOf(
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
      model,
      models: { [model]: { ...info, factor: gateway.windows.factor(upstream, model, tenant) } },
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
export function optionsOf(source: ReplaySource, policy: Policy): CompactorOptions<unknown> & Sized {
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
    ...(strategy !== undefined && { strategy }),
    ...(budget !== undefined && { budget }),
    ...tuningOf(policy),
  };
}
