import {
  ALL_SETTINGS,
  type GlobalSettings,
  inForce,
  type Setting,
  type SettingInForce,
  type SettingLevels,
  type SettingsAnswer,
} from "../../../src/gateway/api.ts";
import { count, percent } from "../state/format.ts";
import { inPercent, type NumberKind } from "../state/read-number.ts";
import { strings } from "../strings.ts";

export type FieldName = keyof GlobalSettings;

export type Kind = NumberKind | "choice" | "tools" | "text" | "switch";

/** How the page shows a setting. */
export const kindOf = (name: FieldName): Kind => {
  const { kind, shows }: Setting = ALL_SETTINGS[name];
  if (shows) return shows;
  switch (kind.is) {
    case "size":
      return "tokens";
    case "share":
      return "percent";
    case "name":
    case "profile":
      return "choice";
    case "prompt":
    case "time":
    case "choice or count":
      return "text";
    default:
      return kind.is;
  }
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
  if (name === "showMeter" || name === "modelTitles" || name === "theme")
    return { value: undefined, from: "built-in" };
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
  const { kind }: Setting = ALL_SETTINGS[name];
  if (kind.is === "choice") return of(kind.names, (value) => valueText(name, value));
  if (name === "tools")
    return of(Object.keys(words.toolChoices), (value) => words.toolChoices[value as "none"]);
  if (name === "summarizer")
    return of([...new Set(["same", "extractive", ...models])], (value) => summarizerText(value));
  return of(models);
}

const summarizerText = (value: string): string => strings.settings.summarizers[value as "same"] ?? value;

/** What holds where nobody sets anything: as a sentence says it, and as short as a box shows it. */
export const fallback = (name: FieldName): readonly [string, string] =>
  (ALL_SETTINGS[name] as Setting).fallback ?? ["", ""];

export function fallbackText(name: FieldName): string {
  if (name === "theme") return strings.sidebar.theme.system;
  return fallback(name)[0];
}

export function valueText(name: FieldName, value: Value): string {
  const words = strings.settings;
  if (name === "tools") return words.toolChoices[asChoice(value) as "none"] ?? asChoice(value);
  if (typeof value !== "string" && typeof value === "object") return value.join(", ");
  if (typeof value === "boolean") return value ? words.on : words.off;
  if (typeof value === "number") return isShare(kindOf(name), value) ? percent(value) : count(value);
  if (name === "strategy") return strings.strategies[value as "none"]?.label ?? value;
  if (name === "profile") return words.profiles[value as "agent"]?.split(":")[0] ?? value;
  if (name === "placement") return words.placements[value as "user"] ?? value;
  if (name === "summarizer") return summarizerText(value);
  if (name === "summaryMode") return words.modes[value as "full"] ?? value;
  if (name === "theme") return strings.sidebar.theme[value as "light"] ?? value;
  return value;
}
