import type { GatewayConfig } from "../../config/gateway-schema.ts";
import { mergeTuning, pickTuning } from "../../config/tuning-schema.ts";
import { surelyFitting } from "../../core/budget.ts";
import { defined, keepNewest } from "../../core/collections.ts";
import { contentHash } from "../../core/hash.ts";
import type { Compactor, Dialect, Model, Profile, Store, StrategyName, Tuning } from "../../core/types.ts";
import { createCompactorWith } from "../../engine/create-compactor.ts";
import { createEngineMemory } from "../../engine/engine.ts";
import { profiles } from "../../profiles/index.ts";
import { memoryStore } from "../../stores/memory.ts";
import { exactCounter } from "../../tokens/index.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { Wire } from "../wires/index.ts";
import { markedRecords } from "./records.ts";
import { readingOf, redactingModel } from "./redact-secrets.ts";
import { engineInfo, NO_MODEL, type WarnGuess, type Windows } from "./windows.ts";

/** Compactors that are kept ready. One is used by all conversations of a tenant with the same model and options. */
const MAX_COMPACTORS = 500;

export type Compactors = ReturnType<typeof createCompactors>;

export function createCompactors(options: {
  readonly config: GatewayConfig;
  readonly windows: Windows;
  /** The records of the conversations, or those of requests with a wish of their own, by its mark. */
  records(tenant: string, mark: string | undefined): Store;
  summarizer(choice: CompactorChoice, window: number): Model | undefined;
  /** Called for each new compactor, to listen to its events. */
  listen(compactor: Compactor<unknown>, choice: CompactorChoice): void;
  readonly warnGuess: WarnGuess;
}) {
  const { config, windows } = options;
  const compactors = new Map<string, Compactor<unknown>>();
  /** Shared, because a client can make as many compactors as it names models. */
  const memory = createEngineMemory();

  const settle = createSettle(options);

  /** Names the records of requests with the same wish; undefined for those of the conversation itself. */
  const markOf = (choice: CompactorChoice): string | undefined => {
    if (!choice.usual) return undefined;
    const usual = { ...choice, ...choice.usual };
    // Options that the request doesn't name aren't in its mark.
    const { window, summarizer } = choice;
    const wish = wishOf(settle(choice), {
      ...(choice.tuning === usual.tuning ? {} : { tuning: choice.tuning }),
      ...(window === usual.window ? {} : { window }),
      ...(summarizer === usual.summarizer ? {} : { summarizer }),
    });
    return wish === wishOf(settle(usual)) ? undefined : contentHash(wish);
  };

  const make = (
    { wire, model, upstream, tenant, window: asked }: CompactorChoice,
    { info, window, profile, strategy, budget, tuning }: Settled,
    store: Store,
    summarizer?: Model,
  ): Compactor<unknown> => {
    const calibration = windows.calibration(upstream, model, tenant);
    const id = model || NO_MODEL;
    const compactor = createCompactorWith<unknown>(
      { ...memory, calibration },
      {
        ...tuning,
        dialect: alternating(readingOf(config, wire.dialect), upstream),
        window: { model: id },
        models: { [id]: { ...engineInfo(info), window, known: info.known || asked !== undefined } },
        profile,
        ...defined({ strategy, budget }),
        ...(summarizer && { summarizer: config.redact ? redactingModel(summarizer) : summarizer }),
        store,
      },
    );
    // People look at a server's numbers: they are exact for short requests, too.
    const fit: typeof compactor.fit = async (...request) => {
      await exactCounter(info.encoding);
      return compactor.fit(...request);
    };
    return { ...compactor, fit };
  };

  return {
    of(choice: CompactorChoice): Compactor<unknown> {
      const settled = settle(choice);
      const { window, profile, strategy, budget, tuning } = settled;
      const { tenant, wire, upstream, model } = choice;
      const mark = markOf(choice);
      const key = JSON.stringify([
        tenant,
        wire.api,
        upstream?.name,
        model,
        window,
        profile.name,
        strategy,
        budget,
        tuning,
        choice.summarizer,
        mark,
      ]);
      const known = compactors.get(key);
      if (known) {
        keepNewest(compactors, key, known, MAX_COMPACTORS);
        return known;
      }
      const summarizer = options.summarizer(choice, window);
      const compactor = make(choice, settled, options.records(tenant, mark), summarizer);
      options.listen(compactor, choice);
      keepNewest(compactors, key, compactor, MAX_COMPACTORS);
      return compactor;
    },

    /** A compactor on other records, which nobody else uses: for looking, without a model. */
    lookingAt: (choice: CompactorChoice, records: Store): Compactor<unknown> =>
      make(choice, settle(choice), records),

    strategyOf(choice: CompactorChoice): StrategyName {
      const { strategy, profile } = settle(choice);
      return strategy ?? profile.strategy ?? "summarize-oldest";
    },

    /** May a request be changed without anybody asking for it? */
    isAuto(choice: CompactorChoice): boolean {
      const { tuning, profile } = settle(choice);
      return tuning.auto ?? profile.auto ?? true;
    },

    /** Does the request ask for something else than its conversation has? Then nothing of its view may be used for others. */
    hasOwnWish: (choice: CompactorChoice): boolean => markOf(choice) !== undefined,

    /** Tokens that a request may surely have without anything being due; 0 where only the engine can tell. */
    surelyFits(choice: CompactorChoice): number {
      const { info, window, profile, budget = profile.budget, tuning } = settle(choice);
      const { reserve, safety, startAt, triggers, frames } = { ...profile, ...tuning };
      const wishes = { window, budget, reserve, safety, startAt, triggers, frames, maxAnswer: choice.cap };
      return Math.floor(surelyFitting(wishes) / Math.max(1, info.factor));
    },

    async settled(): Promise<void> {
      await Promise.all([...compactors.values()].map((one) => one.settled()));
    },
    async close(): Promise<void> {
      await Promise.all([...compactors.values()].map((one) => one.close()));
    },
  };
}

/** Settles what holds for requests. */
function createSettle(
  parts: Pick<Parameters<typeof createCompactors>[0], "config" | "windows" | "warnGuess">,
) {
  const { config, windows, warnGuess } = parts;
  /** Options of the config file, by the settings of the upstream that they are for. They don't change: each request asks for them. */
  const configured = new WeakMap<object, Tuning>();
  const configuredFor = (own: Upstream["config"] | undefined): Tuning => {
    const key = own ?? config;
    const known = configured.get(key);
    if (known) return known;
    const made = mergeTuning(pickTuning(config), pickTuning(own ?? {}));
    configured.set(key, made);
    return made;
  };
  return (wished: CompactorChoice) => {
    const { upstream } = wished;
    const info = windows.of(upstream, wished.model, wished.tenant);
    if (info.from === "guess" && upstream && wished.window === undefined) warnGuess(info, upstream.name);
    const own = upstream?.config;
    const tuning = configuredFor(own);
    return {
      info,
      window: wished.window ?? info.window,
      profile: wished.profile ?? (profiles[config.profile ?? "agent"] as Profile),
      strategy: wished.strategy ?? config.strategy,
      budget: wished.budget ?? config.budget,
      tuning: wished.tuning ? mergeTuning(tuning, wished.tuning) : tuning,
    };
  };
}

/** The dialect with the rule of an upstream whose template refuses two messages of one role in a row. */
function alternating(dialect: Dialect<unknown>, upstream: Upstream | undefined): Dialect<unknown> {
  if (upstream?.config.alternation !== "strict") return dialect;
  return { ...dialect, rules: { ...dialect.rules, alternation: "strict" } };
}

function wishOf(
  { profile, strategy, budget }: Settled,
  named: Pick<CompactorChoice, "tuning" | "window" | "summarizer"> = {},
): string {
  return JSON.stringify([profile.name, strategy ?? profile.strategy, budget, named]);
}

/** What decides which compactor serves a request. */
export interface CompactorChoice {
  readonly tenant: string;
  readonly wire: Wire;
  readonly upstream: Upstream | undefined;
  readonly model: string;
  /** Largest answer that the request asks for, in tokens. */
  readonly cap?: number | undefined;
  readonly profile?: Profile | undefined;
  readonly strategy?: StrategyName | undefined;
  readonly budget?: number | undefined;
  readonly window?: number | undefined;
  /** Who writes summaries, by name: a model, `same` or `extractive`. Left out: as configured. */
  readonly summarizer?: string | undefined;
  /** More options, of the page's settings. */
  readonly tuning?: Tuning | undefined;
  /** What would hold without the request's own headers. What they ask for is for that request alone. */
  readonly usual?: Pick<
    CompactorChoice,
    "profile" | "strategy" | "budget" | "window" | "summarizer" | "tuning"
  >;
}

/** How long a prompt is kept, as somebody set it. */
export const cacheMsOf = (
  { tuning, upstream }: Pick<CompactorChoice, "tuning" | "upstream">,
  config: Pick<GatewayConfig, "cache">,
): number | undefined => tuning?.cache?.ttlMs ?? upstream?.config.cache?.ttlMs ?? config.cache?.ttlMs;

/** What holds for a request: its own wishes, the upstream's settings, the config's, the profile's. */
type Settled = ReturnType<ReturnType<typeof createSettle>>;

/** Compactions that are remembered before those of conversations not seen for longest are forgotten. */
const MAX_RECORDS = 5_000;

/**
 * The compactors of `observe`: they do what the others would, so that what they report is what would have happened, but
 * ask no model, keep what they did in memory alone, and tell nobody on the way. Their views are for reports.
 */
export function createObserving(options: {
  readonly config: GatewayConfig;
  readonly windows: Windows;
  readonly warnGuess: WarnGuess;
}): Compactors {
  const all = memoryStore({ maxRecords: MAX_RECORDS });
  return createCompactors({
    ...options,
    records: (tenant, mark) => markedRecords(all, contentHash(JSON.stringify([tenant, mark ?? ""]))),
    summarizer: () => undefined,
    listen() {},
  });
}
