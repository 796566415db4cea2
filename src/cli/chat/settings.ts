import { HOSTED_TOOLS } from "../../config/gateway-schema.ts";
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
import { parseTokens, UsageError } from "../flags.ts";
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

/** `window 16k`, `auto off`, `strategy default`. What a value may be is checked by the server. */
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
    case "switch":
      if (/^(on|yes|true)$/i.test(text)) return true;
      if (/^(off|no|false)$/i.test(text)) return false;
      throw new UsageError(`${name} is on or off, not ${text}.`);
    case "size":
      return tokensOf(name, text);
    case "tokens":
      return tokensOf(name, text, 1);
    case "share":
    case "threshold":
      return shareOf(name, kind.is, text);
    case "count":
      // Whether there may be none, or so many, is for the server to say.
      if (/^(\d+|\d{1,3}([_,]\d{3})+)$/.test(text)) return Number(text.replace(/[_,]/g, ""));
      throw new UsageError(`${name} is a whole number such as 10, not ${text}.`);
    case "number":
      if (/^-?\d*[.,]?\d+$/.test(text)) return Number(text.replace(",", "."));
      throw new UsageError(`${name} is a number such as 0.7, not ${text}.`);
    default:
      return text;
  }
}

/** `0.8` and `80%` are shares; what is more than 1 is tokens, where the setting takes them. */
function shareOf(name: string, kind: "share" | "threshold", text: string): number {
  // A comma before three digits parts thousands: 1,500 are tokens, and 0,8 is a share.
  const [, digits, sign] = /^(?!\d{1,3},\d{3}$)(\d*[.,]?\d+)\s*(%?)$/.exec(text) ?? [];
  const number = digits === undefined ? Number.NaN : Number(digits.replace(",", "."));
  const fix = `Give a share, such as 0.8 or 80%${kind === "threshold" ? ", or tokens, such as 12k" : ""}.`;
  if (sign === "%") {
    if (number > 0 && number <= 100) return number / 100;
    throw new UsageError(`${name} ${text}: a share is more than 0% and at most 100%. ${fix}`);
  }
  if (number <= 1) return number;
  if (number < 100) throw new UsageError(`${name} ${text}: did you mean ${digits}%? ${fix}`);
  if (kind === "share") throw new UsageError(`${name} "${text}" is no share. ${fix}`);
  if (/^-|^\D*$|%/.test(text))
    throw new UsageError(`${name} "${text}" is neither a share nor tokens. ${fix}`);
  return tokensOf(name, text);
}

/** The parser of flags, without the dashes of a flag in what it says. How little it may be, the server knows. */
function tokensOf(name: string, text: string, least?: number): number {
  try {
    return parseTokens(name, text, least);
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(error.message.replace(/^--/, "")) : error;
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
