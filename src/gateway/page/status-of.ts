import type { GatewayConfig, SummarizerConfig } from "../../config/gateway-schema.ts";
import { pickTuning, withoutUnset } from "../../config/tuning-schema.ts";
import { STRATEGY_NAMES } from "../../core/options.ts";
import { STRATEGY_WORDS } from "../../core/words.ts";
import { profiles } from "../../profiles/index.ts";
import {
  CHAT_SETTINGS,
  type ChatSettings,
  type ProfileName,
  type Setting,
  type SettingsAnswer,
  settingsOf,
} from "../api/settings.ts";
import type { Status } from "../api.ts";
import { shownAddress } from "../upstream/upstream.ts";
import type { PageParts } from "./context.ts";

/** What a page is told of the server before anything else. */
export function statusOf(
  parts: Pick<PageParts, "config" | "store" | "upstreams" | "version" | "ownUpstreams" | "canAddModels">,
): Status {
  const { config, store, upstreams, version, ownUpstreams, canAddModels } = parts;
  const { summarizer } = config;
  return {
    version,
    store: config.store ? store.kind : "memory",
    noStore: !config.store,
    observe: config.observe,
    hasUpstream: upstreams.length > 0,
    canAddModels,
    profile: config.profile ?? "agent",
    upstreams: upstreams.map(({ name, config: own, dialects }) => ({
      name,
      baseURL: shownAddress(own.baseURL),
      dialects,
      keys: own.apiKey !== undefined ? ("server" as const) : ("client" as const),
      isOwn: ownUpstreams.has(name),
    })),
    summarizer:
      upstreams.length === 0 || summarizer === "extractive"
        ? undefined
        : summarizer === "same"
          ? "the chat's own model"
          : summarizer.model,
  };
}

/** The defaults of the options. */
const BUILT_IN: ChatSettings = Object.fromEntries(
  Object.entries<Setting>(CHAT_SETTINGS).flatMap(([name, { kind }]) =>
    "default" in kind ? [[name, kind.default]] : [],
  ),
);

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
        ...BUILT_IN,
        profile: "agent",
        tools: [],
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
