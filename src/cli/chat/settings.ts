import { HOSTED_TOOLS } from "../../config/gateway-schema.ts";
import { typed } from "../../config/sizes.ts";
import { faultOf } from "../../core/check.ts";
import { nearest } from "../../core/nearest.ts";
import {
  CHAT_SETTINGS,
  type ChatSettings,
  inForce,
  SETTINGS,
  type Setting,
  type SettingOrigin,
  type SettingsAnswer,
} from "../../gateway/api.ts";
import { UsageError } from "../flags.ts";
import { twoColumns } from "../help.ts";
import { wrap } from "../wrap.ts";

type Value = string | number | boolean | readonly string[];

/** Settings of all chats that matter in a terminal. */
const GLOBAL = { showMeter: SETTINGS.page.showMeter };
const ALL: Readonly<Record<string, Setting>> = { ...CHAT_SETTINGS, ...GLOBAL };

/** The value by which a person takes a setting back to its default. */
const DEFAULT_WORD = "default";
/** The value by which a person sets an empty list. */
const NONE_WORD = "none";

export interface SettingChange {
  readonly scope: "chat" | "global";
  readonly name: string;
  /** Null: back to the default. */
  readonly value: Value | null;
}

/** `window 16k`, `auto off`, `strategy default`. */
export function parseSetting(name: string, text: string): SettingChange {
  const setting = Object.hasOwn(ALL, name) ? ALL[name] : undefined;
  if (setting === undefined) {
    const close = nearest(name, Object.keys(ALL));
    throw new UsageError(
      `there is no setting ${name}. ${close === undefined ? `The settings are ${Object.keys(ALL).join(", ")}.` : `Did you mean ${close}?`}`,
    );
  }
  const scope = Object.hasOwn(GLOBAL, name) ? "global" : "chat";
  const value = text === DEFAULT_WORD ? null : parseValue(name, setting, text);
  return { scope, name, value };
}

function parseValue(name: string, { kind }: Setting, text: string): Value {
  switch (kind.is) {
    case "tools":
      return text === NONE_WORD ? [] : text.split(/[\s,]+/);
    case "name":
    case "profile":
    case "prompt":
      return text;
    default: {
      const value = typed(kind, text);
      const fault = faultOf(kind, value, true);
      if (!fault) return value as Value;
      const fix = kind.is === "switch" ? "Say on or off." : fault.fix;
      throw new UsageError(`${name} ${text}: this ${fault.problem}. ${fix}`);
    }
  }
}

/** Each setting with its value, and where that comes from. */
export function settingsText(chat: ChatSettings, answer: SettingsAnswer, columns: number): string {
  const labels = new Map<unknown, string>(answer.strategies.map(({ name, label }) => [name, label]));
  const nameWidth = Math.max(...Object.keys(ALL).map((name) => name.length)) + 2;
  const rows = Object.entries(ALL).map(([name, { help, kind }]) => {
    const { value, from } = Object.hasOwn(GLOBAL, name)
      ? { value: answer.settings[name as keyof typeof GLOBAL], from: "page" as const }
      : inForce(name as keyof ChatSettings, { answer, chat });
    const origin = value === undefined ? "" : ORIGINS[from];
    const choices = labels.has(value) ? `Now: ${labels.get(value)}.` : choicesOf(kind);
    return [`${name.padEnd(nameWidth)}${shown(value)}${origin}`, `${help} ${choices}`.trim()] as const;
  });
  return [
    ...twoColumns(rows, columns),
    ...wrap(
      `/settings NAME VALUE changes one for this chat; ${DEFAULT_WORD} as its value takes that back.`,
      columns,
    ),
  ].join("\n");
}

/** What may be given, where that isn't plain. */
function choicesOf(kind: Setting["kind"]): string {
  if (kind.is === "choice") return `One of ${kind.names.join(", ")}.`;
  if (kind.is === "number") return `From ${kind.least} to ${kind.most}.`;
  return kind.is === "tools" ? `One or more of ${HOSTED_TOOLS.join(", ")}, or ${NONE_WORD}.` : "";
}

/** Who says so; what is built in needs no name. */
const ORIGINS: Readonly<Record<SettingOrigin, string>> = {
  chat: " (this chat)",
  page: " (all chats)",
  upstream: " (config)",
  config: " (config)",
  profile: " (profile)",
  "built-in": "",
};

function shown(value: unknown): string {
  if (value === undefined) return "–";
  if (Array.isArray(value)) return value.length === 0 ? NONE_WORD : value.join(",");
  return typeof value === "boolean" ? (value ? "on" : "off") : String(value);
}
