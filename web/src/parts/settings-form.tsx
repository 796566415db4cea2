import { useState } from "react";
import {
  ALL_SETTINGS,
  type ChatSettings,
  type GlobalSettings,
  inForce,
  SETTINGS,
  type Setting,
  type SettingLevels,
  type SettingsAnswer,
  type SettingsChange,
} from "../../../src/gateway/api.ts";
import type { Trouble } from "../state/api-client.ts";
import { modelTexts } from "../state/model-texts.ts";
import { type NumberKind, readNumber, sayInPercent } from "../state/read-number.ts";
import { strings } from "../strings.ts";
import { Button } from "./controls.tsx";
import {
  asChoice,
  boxText,
  choicesOf,
  type FieldName,
  fallback,
  fallbackText,
  isShare,
  kindOf,
  ofChoice,
  originText,
  type Value,
  valueText,
  withoutOwn,
} from "./setting-values.ts";
import { useApp, usePiece } from "./use-store.ts";

const words = strings.settings;

/** Where settings are shown: for all chats, or for one of them. */
interface SettingsPlace {
  readonly scope: "global" | "chat";
  readonly levels: SettingLevels & { readonly answer: SettingsAnswer };
  /** The largest window that the models themselves have, where it is known. */
  readonly modelWindow: number | undefined;
  /** Resolves with what the server has against it. */
  readonly onChange: (change: SettingsChange<GlobalSettings>) => Promise<Trouble | undefined>;
}

/** The everyday settings, and the others by subject behind "More settings". */
export function SettingsForm({
  groups,
  ...place
}: SettingsPlace & { groups: readonly (keyof typeof SETTINGS)[] }) {
  const models = usePiece(useApp().store, (state) => state.models);
  const texts = modelTexts(models);
  const Title = place.scope === "global" ? "h2" : "h3";
  const own: object = place.scope === "chat" ? (place.levels.chat ?? {}) : place.levels.answer.settings;
  const namesOf = (group: keyof typeof SETTINGS, everyday: boolean) =>
    (Object.keys(SETTINGS[group]) as FieldName[]).filter(
      (name) =>
        ((ALL_SETTINGS[name] as Setting).everyday ?? false) === everyday &&
        // A chat's own is chosen beside its title.
        !(place.scope === "chat" && name === "model"),
    );
  const fields = (names: readonly FieldName[]) =>
    names.map((name) => <SettingField key={name} name={name} models={texts} {...place} />);
  const others = groups.flatMap((group) => namesOf(group, false));
  return (
    <>
      <section className="settings-group" aria-label={words.everyday}>
        {fields(groups.flatMap((group) => namesOf(group, true)))}
      </section>
      <details className="more-settings">
        <summary>{words.more(others.filter((name) => name in own).length)}</summary>
        {groups.map((group) => (
          <section key={group} className="settings-group">
            <Title>{words.groups[group]}</Title>
            {fields(namesOf(group, false))}
          </section>
        ))}
      </details>
    </>
  );
}

/** One setting: its name, what it does, what it is and who says so, what it would be otherwise. */
function SettingField(props: SettingsPlace & { name: FieldName; models: ReadonlyMap<string, string> }) {
  const { name, models, ...place } = props;
  const [trouble, setTrouble] = useState<Trouble>();
  const { scope, levels } = place;
  const { label, help } = ALL_SETTINGS[name];
  const { answer, chat } = levels;
  const own = scope === "chat" ? chat?.[name as keyof ChatSettings & FieldName] : answer.settings[name];
  const { value: inherited, from } = withoutOwn(name, scope, levels);
  const shown = inherited === undefined ? fallbackText(name) : valueText(name, inherited);
  const origin = originText(from, levels);
  const id = `${scope}-${name}`;
  const kind = kindOf(name);
  const isChosen = kind === "choice" || kind === "tools";
  const change = (value: Value | null) => {
    // What was wrong with the last value says nothing about this one.
    setTrouble(undefined);
    void place
      .onChange({ [name]: value } as SettingsChange<GlobalSettings>)
      .then((found) => setTrouble(found && isShare(kind, Number(value)) ? sayInPercent(found) : found));
  };
  const reset = scope === "chat" ? words.resetChat : words.reset;
  return (
    <div className={`setting ${own === undefined ? "" : "own"}`}>
      <div className="setting-words">
        <label htmlFor={id}>{label}</label>
        <p id={`${id}-help`}>
          {help}{" "}
          <span className="default">
            {own !== undefined
              ? words.otherwise(shown, origin)
              : from !== "built-in"
                ? words.now(shown, origin)
                : isChosen
                  ? "" // The box itself says its default.
                  : words.byDefault(shown)}
          </span>
        </p>
        {choiceHelp(name, own ?? inherited)}
      </div>
      <div className="setting-value">
        {isChosen ? (
          <select
            id={id}
            aria-describedby={`${id}-help`}
            value={own === undefined ? "" : asChoice(own)}
            onChange={({ target: { value } }) => change(value === "" ? null : ofChoice(kind, value))}
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
            window={inForce("window", levels).value ?? place.modelWindow}
            onWrong={setTrouble}
          />
        )}
        {own === undefined ? null : (
          <Button look="link" onClick={() => change(null)} aria-label={`${label}: ${reset}`}>
            {reset}
          </Button>
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

/** What the value in force does, where names alone say little. */
function choiceHelp(name: FieldName, value: Value | undefined) {
  const help =
    name === "profile"
      ? words.profileHelp[value as "agent"]
      : name === "strategy"
        ? strings.strategies[value as "none"]?.help
        : undefined;
  return help === undefined ? null : <p className="choice-help">{help}</p>;
}

/** A number, or a line of text. What it may be is the server's business. */
function ValueInput(props: {
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
  const { id, kind, own, placeholder, isWrong, window, onChange, onWrong } = props;
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
