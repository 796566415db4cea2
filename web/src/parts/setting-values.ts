import {
  type GlobalSettings,
  inForce,
  type SettingInForce,
  type SettingLevels,
  type SettingsAnswer,
} from "../../../src/gateway/api.ts";
import { count, percent } from "../state/format.ts";
import { inPercent, type NumberKind } from "../state/read-number.ts";
import { strings } from "../strings.ts";

export type FieldName = keyof GlobalSettings & keyof typeof strings.settings.fields;

export type Kind = NumberKind | "choice" | "tools" | "text" | "switch";

/** Every setting with the kind of its value: by subject, in the order in which people see them. */
export const GROUPS = {
  compaction: {
    strategy: "choice",
    profile: "choice",
    auto: "switch",
    startAt: "threshold",
    triggerMessages: "count",
    triggerTurns: "count",
    landAt: "percent",
    tail: "percent",
    tailMessages: "count",
    tailTurns: "count",
    summarizer: "choice",
    summaryCap: "tokens",
    summaryTemperature: "number",
    summaryMode: "choice",
    placement: "choice",
    preface: "text",
    cacheBreakpoints: "switch",
  },
  answers: {
    model: "choice",
    window: "tokens",
    budget: "tokens",
    reserve: "room",
    maxTokens: "tokens",
    temperature: "number",
    tools: "tools",
  },
  page: { showMeter: "switch", theme: "choice" },
} as const satisfies Record<string, Partial<Record<FieldName, Kind>>>;

export const KINDS: Readonly<Record<FieldName, Kind>> = {
  ...GROUPS.compaction,
  ...GROUPS.answers,
  ...GROUPS.page,
};

export type Value = string | number | boolean | readonly string[];

/** A list as one choice, and back. */
export const asChoice = (value: unknown): string =>
  Array.isArray(value) ? (value.length === 0 ? NO_TOOLS : value.join(" ")) : String(value);
export const ofChoice = (kind: Kind, text: string): Value =>
  kind === "tools" ? (text === NO_TOOLS ? [] : text.split(" ")) : text;
const NO_TOOLS = "none";

/** What holds if nothing is set here. */
export function withoutOwn(
  name: FieldName,
  scope: "global" | "chat",
  { answer, chat, upstream }: SettingLevels,
): { readonly value: Value | undefined; readonly from: SettingInForce["from"] } {
  if (name === "showMeter" || name === "theme") return { value: undefined, from: "built-in" };
  const without = <S extends object>(settings: S | undefined): S =>
    ({ ...settings, [name]: undefined }) as unknown as S;
  const found = inForce(
    name,
    scope === "chat"
      ? { answer, chat: without(chat), upstream }
      : { answer: { ...answer, settings: without(answer.settings) } },
  );
  return { value: found.value as Value | undefined, from: found.from };
}

export function originText(from: SettingInForce["from"], levels: SettingLevels): string {
  const words = strings.settings;
  if (from === "profile") {
    const { value: profile } = inForce("profile", levels);
    return words.origins.profile(valueText("profile", profile ?? ""));
  }
  return from === "chat" ? "" : words.origins[from];
}

/** Is the value a share, and no number of tokens? */
export const isShare = (kind: Kind, value: number | string | undefined): boolean =>
  (kind === "percent" && (value === undefined || Number(value) <= 1)) ||
  ((kind === "threshold" || kind === "room") && Number(value) <= 1);

/** A value as it stands in its box. A share among tokens has its sign with it. */
export const boxText = (kind: Kind, own: number | string | undefined): string => {
  if (own === undefined) return "";
  if (!isShare(kind, own)) return String(own);
  return kind === "room" ? `${inPercent(Number(own))} %` : inPercent(Number(own));
};

export function choicesOf(name: FieldName, answer: SettingsAnswer, models: readonly string[]) {
  const words = strings.settings;
  const of = (values: readonly string[], text: (value: string) => string = (value) => value) =>
    values.map((value) => ({ value, text: text(value) }));
  if (name === "strategy")
    return answer.strategies.map((one) => ({ value: one.name, text: strings.strategies[one.name].label }));
  if (name === "profile") return answer.profiles.map((value) => ({ value, text: words.profiles[value] }));
  if (name === "placement")
    return of(["user", "system", "merged"], (value) => words.placements[value as "user"]);
  if (name === "summaryMode")
    return of(["continuation", "full", "simple", "extractive"], (value) => words.modes[value as "full"]);
  if (name === "theme")
    return of(["system", "light", "dark"], (value) => strings.sidebar.theme[value as "light"]);
  if (name === "tools")
    return of(Object.keys(words.toolChoices), (value) => words.toolChoices[value as "none"]);
  if (name === "summarizer")
    return of([...new Set(["same", "extractive", ...models])], (value) => summarizerText(value));
  return of(models);
}

const summarizerText = (value: string): string => strings.settings.summarizers[value as "same"] ?? value;

/** What holds where nobody sets anything: as a sentence says it, and as short as a box shows it. */
export function fallback(name: FieldName): readonly [string, string] {
  const { fallbacks } = strings.settings;
  return (fallbacks as Partial<Record<FieldName, readonly [string, string]>>)[name] ?? ["", ""];
}

export function fallbackText(name: FieldName): string {
  if (name === "showMeter") return strings.settings.on;
  if (name === "theme") return strings.sidebar.theme.system;
  return fallback(name)[0];
}

export function valueText(name: FieldName, value: Value): string {
  const words = strings.settings;
  if (name === "tools") return words.toolChoices[asChoice(value) as "none"] ?? asChoice(value);
  if (typeof value !== "string" && typeof value === "object") return value.join(", ");
  if (typeof value === "boolean") return value ? words.on : words.off;
  if (typeof value === "number") return isShare(KINDS[name], value) ? percent(value) : count(value);
  if (name === "strategy") return strings.strategies[value as "none"]?.label ?? value;
  if (name === "profile") return words.profiles[value as "agent"]?.split(":")[0] ?? value;
  if (name === "placement") return words.placements[value as "user"] ?? value;
  if (name === "summarizer") return summarizerText(value);
  if (name === "summaryMode") return words.modes[value as "full"] ?? value;
  if (name === "theme") return strings.sidebar.theme[value as "light"] ?? value;
  return value;
}
