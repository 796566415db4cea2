import { isGroup, type Kind, type Rows, TUNING } from "../../core/options.ts";
import type { StrategyName, Tuning } from "../../core/types.ts";
import type { profiles } from "../../profiles/index.ts";

export type ProfileName = keyof typeof profiles;

/** What a value of a setting may be: as an option of the library, or one of what only chats have. */
export type SettingKind = Kind | { readonly is: "name" | "profile" | "tools" };

/** One setting: what the page and `precis chat` say of it. `type` is never there: it carries the type of the value. */
export interface Setting<T = unknown> {
  readonly label: string;
  readonly help: string;
  readonly kind: SettingKind;
  /** The option that it sets. */
  readonly option?: string;
  /** What holds where nobody says anything: as a sentence says it, and in the few letters of a box. */
  readonly fallback?: readonly [string, string];
  /** A threshold that the page shows in percent, or where tokens are the rule. */
  readonly shows?: "percent" | "room";
  /** Shown first. The others are behind "More settings". */
  readonly everyday?: true;
  readonly type?: T;
}

type Words = Omit<Setting, "kind" | "option" | "type">;
type In<G> = NonNullable<G>;
type ValueAt<P extends string> = P extends `${infer G extends keyof Tuning & string}.${infer N}`
  ? N extends keyof In<Tuning[G]>
    ? In<In<Tuning[G]>[N]>
    : never
  : P extends keyof Tuning
    ? In<Tuning[P]>
    : never;

/** A setting that is an option of the library. */
function option<const P extends string>(
  path: ValueAt<P> extends never ? never : P,
  words: Words,
): Setting<ValueAt<P>> {
  const [name = "", inner] = path.split(".");
  const row = (TUNING as Rows)[name]!;
  return { ...words, option: path, kind: isGroup(row) ? row.rows[inner!]! : row };
}
const own =
  <T>(kind: SettingKind) =>
  (words: Words): Setting<T> => ({ ...words, kind });
const modelName = own<string>({ is: "name" });
const tokens = own<number>({ is: "tokens", least: 1 });
const BY_MODEL = ["the model's own", "model's"] as const;
const NO_LIMIT = ["no limit", "no limit"] as const;
const NEVER = ["never", "never"] as const;

/** Every setting, by subject, in the order in which people see them. Schemas, page, `precis chat` and the reference are made from this. */
export const SETTINGS = {
  compaction: {
    strategy: option("strategy", {
      label: "Strategy",
      help: "What happens to older messages when the view is nearly full.",
    }),
    profile: own<ProfileName>({ is: "profile" })({
      label: "Profile",
      everyday: true,
      help: "Settings that go together, for one kind of conversation.",
    }),
    auto: option("auto", {
      label: "Compact automatically",
      help: "Off: only “Compact now” and a full window trigger a compaction.",
    }),
    startAt: option("startAt", {
      label: "Compact at",
      everyday: true,
      help: "How full the view may get before it is compacted: percent of the budget (80 %), or tokens (12k).",
      fallback: ["80 %, or 95 % in a budget below 32,000 where no model summarises", "80"],
    }),
    triggerMessages: option("triggers.messages", {
      label: "Compact after messages",
      help: "Compacts after this many messages, whatever their size.",
      fallback: NEVER,
    }),
    triggerTurns: option("triggers.turns", {
      label: "Compact after turns",
      help: "Compacts after this many turns: your message and everything up to your next one.",
      fallback: NEVER,
    }),
    landAt: option("landAt", {
      label: "Shrink to",
      help: "How full the view is after a compaction, in percent.",
      fallback: ["30 to 40 %, by the size of the window", "30–40"],
      shows: "percent",
    }),
    tail: option("tail.share", {
      label: "Newest messages",
      help: "Share of the compacted view that keeps the newest messages word for word, in percent.",
    }),
    tailMessages: option("tail.messages", {
      label: "Newest messages, at most",
      help: "How many of them stay word for word.",
      fallback: NO_LIMIT,
    }),
    tailTurns: option("tail.turns", {
      label: "Newest turns, at most",
      help: "How many turns stay word for word: your message and everything up to your next one.",
      fallback: NO_LIMIT,
    }),
    summarizer: modelName({
      label: "Summarizer",
      everyday: true,
      help: "Who writes summaries: no model (extractive), the chat's own (same), or a model by name. A small, cheap one is often enough.",
    }),
    summaryCap: option("summary.cap", {
      label: "Longest summary",
      help: "In tokens, for all summaries of a view together.",
    }),
    summaryTemperature: option("summary.temperature", {
      label: "Temperature of summaries",
      help: "0 is plain, 1 is lively.",
      fallback: BY_MODEL,
    }),
    summaryMode: option("summary.mode", {
      label: "How summaries are asked for",
      help: "Ask only in this way, and in no other where it fails.",
      fallback: ["the best way that works", "best"],
    }),
    placement: option("placement", {
      label: "Where the summary goes",
      help: "As a message of its own, or in the system prompt.",
    }),
    preface: option("summary.preface", {
      label: "Words before the summary",
      help: "A sentence of your own at the beginning of the summary, such as “Ask before you change files”.",
      fallback: ["none", "none"],
    }),
    cacheBreakpoints: option("cacheBreakpoints", {
      label: "Cache breakpoints",
      help: "Adds cache breakpoints after the system prompt and the summary, in formats that have them.",
    }),
  },
  answers: {
    model: modelName({
      label: "Model",
      everyday: true,
      help: "The default model of chats.",
      fallback: ["the first one found", "first"],
    }),
    temperature: own<number>({ is: "number", what: "temperature", least: 0, most: 2 })({
      label: "Temperature",
      everyday: true,
      help: "How freely the model answers: 0 is plain, 1 is lively.",
      fallback: BY_MODEL,
    }),
    maxTokens: tokens({ label: "Longest answer", everyday: true, help: "In tokens.", fallback: BY_MODEL }),
    window: own<number>({ is: "size" })({
      label: "Window",
      everyday: true,
      help: "The model's context size in tokens, if precis doesn't know it or you want a smaller one.",
      fallback: BY_MODEL,
    }),
    budget: option("budget", {
      label: "Most tokens",
      help: "The most tokens to send, whatever the window.",
      fallback: NO_LIMIT,
    }),
    reserve: option("reserve", {
      label: "Room for the answer",
      help: "Tokens kept free for the answer (2000), or a share of the window (20 %).",
      fallback: ["what answers take; at first an eighth of the window, at most 8,192", "by answers"],
      shows: "room",
    }),
    tools: own<readonly ("recall" | "compact" | "defer")[]>({ is: "tools" })({
      label: "Built-in tools",
      help: "What the model may do itself: look up what the view hides, ask for a compaction, or load the tools that it needs instead of getting all of them.",
    }),
  },
  page: {
    showMeter: own<boolean>({ is: "switch" })({
      label: "Show tokens",
      help: "The meter at the top of every chat.",
      fallback: ["On", "On"],
    }),
    modelTitles: own<boolean>({ is: "switch" })({
      label: "Titles by the model",
      help: "After the first answer the chat's model writes its title: one request of at most about 1,000 tokens. Off: the first words.",
      fallback: ["On", "On"],
    }),
    theme: own<"system" | "light" | "dark">({
      is: "choice",
      what: "theme",
      names: ["system", "light", "dark"],
    })({ label: "Appearance", everyday: true, help: "Light, dark, or the system's choice." }),
  },
} as const satisfies Record<string, Record<string, Setting>>;

/** Settings that a chat can have of its own. */
export const CHAT_SETTINGS = { ...SETTINGS.compaction, ...SETTINGS.answers };
/** All of them. */
export const ALL_SETTINGS = { ...CHAT_SETTINGS, ...SETTINGS.page };

type Values<T> = { readonly [K in keyof T]?: T[K] extends Setting<infer V> ? V : never };
/** What a person may set for all chats and, partly or wholly, for one. Left out: the level above decides. */
export type ChatSettings = Values<typeof CHAT_SETTINGS>;
/** Settings of the page and of chats that have none of their own. */
export type GlobalSettings = Values<typeof ALL_SETTINGS>;

/** What changes. Left out: stays as it is. `null`: back to the default. */
export type SettingsChange<S> = { readonly [K in keyof S]?: S[K] | null };

/** Settings that are options of the library, each with the path of its option. */
const OPTIONS = Object.entries<Setting>(CHAT_SETTINGS).flatMap(([name, { option: path }]) =>
  path === undefined ? [] : [[name, path.split(".") as [string, string?]] as const],
);

/** What a person set for a chat, as the engine takes it. Budget and strategy have places of their own. */
export function tuningOf(settings: ChatSettings): Tuning {
  const tuning: Record<string, unknown> = {};
  for (const [name, [group, inner]] of OPTIONS) {
    const value = settings[name as keyof ChatSettings];
    if (value === undefined || name === "budget" || name === "strategy") continue;
    tuning[group] = inner === undefined ? value : { ...(tuning[group] as object), [inner]: value };
  }
  return tuning;
}

/** Options of the engine under the names that they have for a chat: the way back. */
export function settingsOf(options: Tuning): ChatSettings {
  return Object.fromEntries(
    OPTIONS.flatMap(([name, [group, inner]]) => {
      const outer: unknown = options[group as keyof Tuning];
      const value = inner === undefined ? outer : (outer as Record<string, unknown> | undefined)?.[inner];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** A strategy as a person reads it. */
interface StrategyChoice {
  readonly name: StrategyName;
  readonly label: string;
  readonly help: string;
}

/** Everything that a settings page needs. */
export interface SettingsAnswer {
  readonly settings: GlobalSettings;
  /** What holds where nothing is set, by who says it. `inForce` looks it up. */
  readonly given: {
    /** By the name of the upstream. */
    readonly upstreams: Readonly<Record<string, ChatSettings>>;
    /** The config file, environment and flags of the server. */
    readonly config: ChatSettings;
    readonly profiles: Readonly<Record<ProfileName, ChatSettings>>;
    /** Where nobody says anything. What depends on the conversation is left out. */
    readonly builtIn: ChatSettings;
  };
  readonly profiles: readonly ProfileName[];
  readonly strategies: readonly StrategyChoice[];
}

/** Who says what a setting is: nearest first, and the first that says something wins. */
export type SettingOrigin = "chat" | "page" | "upstream" | "config" | "profile" | "built-in";

/** A setting as it holds. */
export interface SettingInForce<K extends keyof ChatSettings = keyof ChatSettings> {
  /** Undefined: nobody says anything, and precis decides by the conversation. */
  readonly value: ChatSettings[K] | undefined;
  readonly from: SettingOrigin;
}

/** Where a setting is looked for. */
export interface SettingLevels {
  readonly answer: Pick<SettingsAnswer, "settings" | "given">;
  /** Of one chat; left out: what holds for chats that have none of their own. */
  readonly chat?: ChatSettings | undefined;
  /** The upstream that the chat's model is at. */
  readonly upstream?: string | undefined;
}

/** What a setting is, and who says so. */
export function inForce<K extends keyof ChatSettings>(name: K, levels: SettingLevels): SettingInForce<K> {
  const { answer, chat, upstream } = levels;
  const { given } = answer;
  const profile = name === "profile" ? undefined : inForce("profile", levels).value;
  const sets: readonly (readonly [SettingOrigin, ChatSettings | undefined])[] = [
    ["chat", chat],
    ["page", answer.settings],
    ["upstream", upstream === undefined ? undefined : given.upstreams[upstream]],
    ["config", given.config],
    ["profile", profile && given.profiles[profile]],
  ];
  const found = sets.find(([, settings]) => settings?.[name] !== undefined);
  return found
    ? { value: found[1]?.[name], from: found[0] }
    : { value: given.builtIn[name], from: "built-in" };
}
