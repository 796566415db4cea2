import { useState } from "react";
import {
  type ChatSettings,
  type GlobalSettings,
  inForce,
  type SettingInForce,
  type SettingLevels,
  type SettingsAnswer,
  type SettingsChange,
} from "../../../src/gateway/api.ts";
import type { Trouble } from "../state/api-client.ts";
import { count, percent } from "../state/format.ts";
import { inPercent, type NumberKind, readNumber, sayInPercent } from "../state/read-number.ts";
import { strings } from "../strings.ts";

export type FieldName = keyof GlobalSettings & keyof typeof strings.settings.fields;

type Kind = NumberKind | "choice" | "tools" | "text" | "switch";

const KINDS: Readonly<Record<FieldName, Kind>> = {
  strategy: "choice",
  profile: "choice",
  auto: "switch",
  startAt: "threshold",
  triggerMessages: "count",
  triggerTurns: "count",
  landAt: "percent",
  window: "tokens",
  budget: "tokens",
  reserve: "room",
  placement: "choice",
  tail: "percent",
  tailMessages: "count",
  tailTurns: "count",
  summarizer: "choice",
  summaryCap: "tokens",
  summaryTemperature: "number",
  summaryMode: "choice",
  preface: "text",
  cacheBreakpoints: "switch",
  model: "choice",
  temperature: "number",
  maxTokens: "tokens",
  tools: "tools",
  showMeter: "switch",
  theme: "choice",
};

export const GROUPS = {
  compaction: [
    "strategy",
    "profile",
    "auto",
    "startAt",
    "triggerMessages",
    "triggerTurns",
    "landAt",
    "tail",
    "tailMessages",
    "tailTurns",
    "summarizer",
    "summaryCap",
    "summaryTemperature",
    "summaryMode",
    "placement",
    "preface",
    "cacheBreakpoints",
  ],
  answers: ["model", "window", "budget", "reserve", "maxTokens", "temperature", "tools"],
  page: ["showMeter", "theme"],
} as const satisfies Record<string, readonly FieldName[]>;

type Value = string | number | boolean | readonly string[];

/** A list as one choice, and back. */
const asChoice = (value: unknown): string =>
  Array.isArray(value) ? (value.length === 0 ? NO_TOOLS : value.join(" ")) : String(value);
const ofChoice = (kind: Kind, text: string): Value =>
  kind === "tools" ? (text === NO_TOOLS ? [] : text.split(" ")) : text;
const NO_TOOLS = "none";

/** One setting: its name, what it does, what it is and who says so, what it would be otherwise. */
export function SettingField({
  name,
  scope,
  levels,
  models,
  modelWindow,
  onChange,
}: {
  name: FieldName;
  scope: "global" | "chat";
  levels: SettingLevels & { readonly answer: SettingsAnswer };
  models: readonly string[];
  /** The largest window that the models themselves have, where it is known. */
  modelWindow: number | undefined;
  /** Resolves with what the server has against it. */
  onChange: (change: SettingsChange<GlobalSettings>) => Promise<Trouble | undefined>;
}) {
  const [trouble, setTrouble] = useState<Trouble>();
  const words = strings.settings;
  const { label, help } = words.fields[name];
  const { answer, chat } = levels;
  const own = scope === "chat" ? chat?.[name as keyof ChatSettings & FieldName] : answer.settings[name];
  const { value: inherited, from } = withoutOwn(name, scope, levels);
  const shown = inherited === undefined ? fallbackText(name) : valueText(name, inherited);
  const origin = originText(from, levels);
  const id = `${scope}-${name}`;
  const kind = KINDS[name];
  const change = (value: Value | null) => {
    // What was wrong with the last value says nothing about this one.
    setTrouble(undefined);
    void onChange({ [name]: value } as SettingsChange<GlobalSettings>).then((found) =>
      setTrouble(found && isShare(kind, Number(value)) ? sayInPercent(found) : found),
    );
  };
  return (
    <div className={`setting ${own === undefined ? "" : "own"}`}>
      <div className="setting-words">
        <label htmlFor={id}>{label}</label>
        <p id={`${id}-help`}>
          {help}{" "}
          <span className="default">
            {own === undefined ? words.now(shown, origin) : words.otherwise(shown, origin)}
          </span>
        </p>
        {choiceHelp(name, own ?? inherited)}
      </div>
      <div className="setting-value">
        {kind === "choice" || kind === "tools" ? (
          <select
            id={id}
            aria-describedby={`${id}-help`}
            value={own === undefined ? "" : asChoice(own)}
            onChange={(event) =>
              change(event.target.value === "" ? null : ofChoice(kind, event.target.value))
            }
          >
            <option value="">{words.notSet(shown)}</option>
            {choicesOf(name, answer, models).map(({ value, text }) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        ) : kind === "switch" ? (
          <input
            id={id}
            type="checkbox"
            role="switch"
            className="switch"
            aria-describedby={`${id}-help`}
            checked={Boolean(own ?? inherited ?? true)}
            aria-checked={Boolean(own ?? inherited ?? true)}
            onChange={(event) => change(event.target.checked)}
          />
        ) : (
          <ValueInput
            key={String(own)}
            id={id}
            kind={kind}
            own={own as number | string | undefined}
            placeholder={inherited === undefined ? fallback(name)[1] : shown.replace(" %", "")}
            isWrong={trouble !== undefined}
            onChange={change}
            window={inForce("window", levels).value ?? modelWindow}
            onWrong={setTrouble}
          />
        )}
        {own === undefined ? null : (
          <button
            type="button"
            className="link"
            onClick={() => change(null)}
            aria-label={`${label}: ${scope === "chat" ? words.resetChat : words.reset}`}
          >
            {scope === "chat" ? words.resetChat : words.reset}
          </button>
        )}
      </div>
      {trouble === undefined ? null : (
        <small className="wrong" role="alert">
          {trouble.message} {trouble.fix}
        </small>
      )}
    </div>
  );
}

/** What holds if nothing is set here. */
function withoutOwn(
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

function originText(from: SettingInForce["from"], levels: SettingLevels): string {
  const words = strings.settings;
  if (from === "profile") {
    const { value: profile } = inForce("profile", levels);
    return words.origins.profile(valueText("profile", profile ?? ""));
  }
  return from === "chat" ? "" : words.origins[from];
}

/** What the value in force does, where names alone say little. */
function choiceHelp(name: FieldName, value: Value | undefined) {
  const words =
    name === "profile"
      ? strings.settings.profileHelp[value as "agent"]
      : name === "strategy"
        ? strings.strategies[value as "none"]?.help
        : undefined;
  return words === undefined ? null : <p className="choice-help">{words}</p>;
}

/** Is the value a share, and no number of tokens? */
const isShare = (kind: Kind, value: number | string | undefined): boolean =>
  (kind === "percent" && (value === undefined || Number(value) <= 1)) ||
  ((kind === "threshold" || kind === "room") && Number(value) <= 1);

/** A value as it stands in its box. A share among tokens has its sign with it. */
const boxText = (kind: Kind, own: number | string | undefined): string => {
  if (own === undefined) return "";
  if (!isShare(kind, own)) return String(own);
  return kind === "room" ? `${inPercent(Number(own))} %` : inPercent(Number(own));
};

/** A number, or a line of text. What it may be is the server's business. */
function ValueInput({
  id,
  kind,
  own,
  placeholder,
  isWrong,
  window,
  onChange,
  onWrong,
}: {
  id: string;
  kind: NumberKind | "text";
  own: number | string | undefined;
  placeholder: string;
  isWrong: boolean;
  onChange: (value: number | string | null) => void;
  /** The tokens that a start can't be above. */
  window: number | undefined;
  /** What was typed can't be meant. */
  onWrong: (trouble: Trouble) => void;
}) {
  const [text, setText] = useState(boxText(kind, own));
  const take = () => {
    const typed = text.trim();
    // A box shows a share rounded: leaving it as it was changes nothing.
    if (!isWrong && typed === boxText(kind, own)) return;
    if (typed === "") return onChange(null);
    if (kind === "text") return onChange(typed);
    const read = readNumber(kind, typed, window);
    if ("wrong" in read) onWrong(read.wrong);
    else if (isWrong || read.value !== own) onChange(read.value);
  };
  return (
    <span className="number">
      <input
        id={id}
        inputMode={kind === "text" ? "text" : "decimal"}
        value={text}
        placeholder={placeholder}
        aria-describedby={`${id}-help`}
        aria-invalid={isWrong}
        onChange={(event) => setText(event.target.value)}
        onBlur={take}
        onKeyDown={(event) => {
          if (event.key === "Enter") take();
        }}
      />
      {kind !== "room" && isShare(kind, own) ? " %" : null}
    </span>
  );
}

function choicesOf(name: FieldName, answer: SettingsAnswer, models: readonly string[]) {
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

/** What holds where nobody says anything; the second is for a box. */
function fallback(name: FieldName): readonly [string, string] {
  const { fallbacks } = strings.settings;
  return (fallbacks as Partial<Record<FieldName, readonly [string, string]>>)[name] ?? ["", ""];
}

function fallbackText(name: FieldName): string {
  if (name === "showMeter") return strings.settings.on;
  if (name === "theme") return strings.sidebar.theme.system;
  return fallback(name)[0];
}

function valueText(name: FieldName, value: Value): string {
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
