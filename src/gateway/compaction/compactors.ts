import type { GatewayConfig } from "../../config/gateway-schema.ts";
import { mergeTuning, pickTuning } from "../../config/tuning-schema.ts";
import { contentHash } from "../../core/hash.ts";
import { keepNewest } from "../../core/keep-newest.ts";
import type { Compactor, Dialect, Model, Store, StrategyName, Tuning } from "../../core/types.ts";
import { createCompactorWith } from "../../engine/create-compactor.ts";
import { createEngineMemory } from "../../engine/engine.ts";
import { profiles } from "../../profiles/index.ts";
import { exactCounter } from "../../tokens/index.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { CompactorChoice, Settle } from "./compactor-choice.ts";
import { readingOf, redactingModel } from "./redacting.ts";
import { createSurelyFits } from "./surely-fits.ts";
import type { WarnGuess, Windows } from "./windows.ts";

/** Compactors that are kept ready. One is used by all conversations of a tenant with the same model and options. */
const MAX_COMPACTORS = 500;

export interface Compactors {
  of(choice: CompactorChoice): Compactor<unknown>;
  /** A compactor on other records, which nobody else uses: for looking, without a model. */
  lookingAt(choice: CompactorChoice, records: Store): Compactor<unknown>;
  strategyOf(choice: CompactorChoice): StrategyName;
  /** Does the request ask for something else than its conversation has? Then nothing of its view may be used for others. */
  hasOwnWish(choice: CompactorChoice): boolean;
  /** Tokens that a request may surely have without anything being due; 0 where only the engine can tell. */
  surelyFits(choice: CompactorChoice): number;
  settled(): Promise<void>;
  close(): Promise<void>;
}

export function createCompactors(options: {
  readonly config: GatewayConfig;
  readonly windows: Windows;
  /** The records of the conversations, or those of requests with a wish of their own, by its mark. */
  records(tenant: string, mark: string | undefined): Store;
  summarizer(choice: CompactorChoice, window: number): Model | undefined;
  /** Called for each new compactor, to listen to its events. */
  listen(compactor: Compactor<unknown>, choice: CompactorChoice): void;
  readonly warnGuess: WarnGuess;
}): Compactors {
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
    { info, window, profile, strategy, budget, tuning }: ReturnType<Settle>,
    store: Store,
    summarizer?: Model,
  ): Compactor<unknown> => {
    const calibration = windows.calibration(upstream, model, tenant);
    const compactor = createCompactorWith<unknown>(
      { ...memory, calibration },
      {
        ...tuning,
        dialect: alternating(readingOf(config, wire.dialect), upstream),
        window: { model },
        models: { [model]: { ...info, window, known: info.known || asked !== undefined } },
        profile,
        ...(strategy !== undefined && { strategy }),
        ...(budget !== undefined && { budget }),
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
    of(choice) {
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

    lookingAt: (choice, records) => make(choice, settle(choice), records),

    strategyOf(choice) {
      const { strategy, profile } = settle(choice);
      return strategy ?? profile.strategy ?? "summarize-oldest";
    },

    hasOwnWish: (choice) => markOf(choice) !== undefined,

    surelyFits: createSurelyFits(windows, settle),

    async settled() {
      await Promise.all([...compactors.values()].map((one) => one.settled()));
    },
    async close() {
      await Promise.all([...compactors.values()].map((one) => one.close()));
    },
  };
}

/** Settles what holds for requests. */
function createSettle(
  parts: Pick<Parameters<typeof createCompactors>[0], "config" | "windows" | "warnGuess">,
): Settle {
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
  return (wished) => {
    const { upstream } = wished;
    const info = windows.of(upstream, wished.model, wished.tenant);
    if (info.from === "guess" && upstream && wished.window === undefined) warnGuess(info, upstream.name);
    const own = upstream?.config;
    const tuning = configuredFor(own);
    return {
      info,
      window: wished.window ?? info.window,
      profile: wished.profile ?? profiles[config.profile ?? "agent"],
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
  { profile, strategy, budget }: ReturnType<Settle>,
  named: Pick<CompactorChoice, "tuning" | "window" | "summarizer"> = {},
): string {
  return JSON.stringify([profile.name, strategy ?? profile.strategy, budget, named]);
}
