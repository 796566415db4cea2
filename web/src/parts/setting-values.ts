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

/** What a person calls the values of a setting, where the server has short names for them. */
const NAMES: Partial<Record<FieldName, Readonly<Record<string, string>>>> = {
  strategy: Object.fromEntries(Object.entries(strings.strategies).map(([name, { label }]) => [name, label])),
  profile: strings.settings.profiles,
  placement: strings.settings.placements,
  summarizer: strings.settings.summarizers,
  summaryMode: strings.settings.modes,
  tools: strings.settings.toolChoices,
  theme: strings.sidebar.theme,
};

const nameOf = (setting: FieldName, value: string): string => NAMES[setting]?.[value] ?? value;

export function choicesOf(name: FieldName, answer: SettingsAnswer, models: ReadonlyMap<string, string>) {
  const { kind }: Setting = ALL_SETTINGS[name];
  const values =
    name === "strategy"
      ? answer.strategies.map((one) => one.name)
      : name === "profile"
        ? answer.profiles
        : name === "tools"
          ? Object.keys(strings.settings.toolChoices)
          : name === "summarizer"
            ? new Set(["same", "extractive", ...models.keys()])
            : kind.is === "choice"
              ? kind.names
              : models.keys();
  return [...values].map((value) => ({ value, text: NAMES[name]?.[value] ?? models.get(value) ?? value }));
}

/** What holds where nobody sets anything: as a sentence says it, and as short as a box shows it. */
export const fallback = (name: FieldName): readonly [string, string] =>
  (ALL_SETTINGS[name] as Setting).fallback ?? ["", ""];

export function fallbackText(name: FieldName): string {
  if (name === "theme") return strings.sidebar.theme.system;
  return fallback(name)[0];
}

export function valueText(name: FieldName, value: Value): string {
  if (name === "tools") return nameOf(name, asChoice(value));
  if (typeof value === "object") return value.join(", ");
  if (typeof value === "boolean") return value ? strings.settings.on : strings.settings.off;
  if (typeof value === "number") return isShare(kindOf(name), value) ? percent(value) : count(value);
  // Of a profile, what it is for is left out: "Agent: long tool work".
  return name === "profile" ? nameOf(name, value).split(":")[0]! : nameOf(name, value);
}
