import type { GatewayConfig, SummarizerConfig } from "../../config/gateway-schema.ts";
import { pickTuning, withoutUnset } from "../../config/tuning-schema.ts";
import { STRATEGY_NAMES } from "../../core/strategy-names.ts";
import type { Tuning } from "../../core/types.ts";
import { STRATEGY_WORDS } from "../../core/words.ts";
import { DEFAULT_SUMMARY_CAP, DEFAULT_TAIL_SHARE } from "../../engine/settings.ts";
import { profiles } from "../../profiles/index.ts";
import type { ChatSettings, ProfileName, SettingsAnswer } from "../api.ts";
import type { PageParts } from "./context.ts";

/** The settings of all chats, and what holds where they say nothing. */
export function settingsAnswer(
  { config, upstreams }: Pick<PageParts, "config" | "upstreams">,
  settings: SettingsAnswer["settings"],
): SettingsAnswer {
  const hasModels = upstreams.length > 0;
  return {
    settings,
    given: {
      upstreams: Object.fromEntries(
        upstreams.map(({ name, config: own }) => [name, configured(own, own.summarizer)]),
      ),
      config: {
        ...configured(config, hasModels && config.summarizer !== "same" ? config.summarizer : undefined),
        ...(config.window !== undefined && { window: config.window }),
      },
      profiles: Object.fromEntries(
        Object.entries(profiles).map(([name, profile]) => [name, settingsOf(profile)]),
      ) as Record<ProfileName, ChatSettings>,
      builtIn: {
        profile: "agent",
        strategy: "summarize-oldest",
        auto: true,
        placement: "user",
        cacheBreakpoints: false,
        tools: [],
        tail: DEFAULT_TAIL_SHARE,
        summaryCap: DEFAULT_SUMMARY_CAP,
        // Without a model nobody else can write them.
        summarizer: hasModels ? "same" : "extractive",
      },
    },
    profiles: Object.keys(profiles) as SettingsAnswer["profiles"][number][],
    strategies: STRATEGY_NAMES.map((name) => ({ name, ...STRATEGY_WORDS[name] })),
  };
}

/** What a config, or one of its upstreams, sets. */
function configured(
  from: Pick<GatewayConfig, "profile" | "strategy" | "budget" | "tools"> & Parameters<typeof pickTuning>[0],
  summarizer: SummarizerConfig | undefined,
): ChatSettings {
  const { profile, strategy, budget, tools } = from;
  const set = withoutUnset({
    ...settingsOf(pickTuning(from)),
    profile,
    strategy,
    budget,
    summarizer: typeof summarizer === "object" ? summarizer.model : summarizer,
  }) as ChatSettings;
  return { ...set, ...(tools && { tools }) };
}

/** Options of the engine under the names that they have for a chat: the way back from `tuningOf`. */
function settingsOf(options: Tuning): ChatSettings {
  const { strategy, budget, startAt, landAt, reserve, placement, auto, cacheBreakpoints } = options;
  const { tail, triggers, summary } = options;
  return withoutUnset({
    strategy,
    budget,
    startAt,
    landAt,
    reserve,
    placement,
    auto,
    cacheBreakpoints,
    tail: tail?.share,
    tailMessages: tail?.messages,
    tailTurns: tail?.turns,
    triggerMessages: triggers?.messages,
    triggerTurns: triggers?.turns,
    summaryCap: summary?.cap,
    summaryTemperature: summary?.temperature,
    summaryMode: summary?.mode,
    preface: summary?.preface,
  }) as ChatSettings;
}
