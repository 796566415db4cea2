import { nearest } from "../../core/nearest.ts";
import { type ChatSettings, inForce, type SettingOrigin, type SettingsAnswer } from "../../gateway/api.ts";
import { twoColumns } from "../help.ts";
import { UsageError } from "../parse-flags.ts";
import { parseTokens } from "../parse-tokens.ts";
import { wrap } from "../wrap.ts";

type Value = string | number | boolean | readonly string[];

/** How a setting is written and what it is good for. */
interface Setting {
  readonly kind:
    | "text"
    | "tokens"
    | "number"
    | "count"
    | "share"
    | "threshold"
    | "switch"
    | "choice"
    | "list";
  readonly help: string;
}

/** Every setting that the server takes for a chat. */
const SETTINGS = {
  model: { kind: "text", help: "the model that answers" },
  strategy: { kind: "choice", help: "what happens to old messages" },
  auto: { kind: "switch", help: "compact by itself" },
  window: { kind: "tokens", help: "the model's window" },
  budget: { kind: "tokens", help: "most that the view may use" },
  startAt: { kind: "threshold", help: "how full when a compaction starts" },
  landAt: { kind: "threshold", help: "how full after it" },
  reserve: { kind: "threshold", help: "kept free for the answer" },
  profile: { kind: "choice", help: "the set of defaults" },
  placement: { kind: "choice", help: "where the summary goes: user, system or merged" },
  maxTokens: { kind: "tokens", help: "largest answer, in tokens" },
  temperature: { kind: "number", help: "0 to 2" },
  tools: {
    kind: "list",
    help: "tools of precis's own that the model gets: recall, compact, both (recall,compact), or none",
  },
  tail: { kind: "share", help: "share of the landing that the newest messages get, word for word" },
  tailMessages: { kind: "count", help: "at most this many of the newest messages, word for word" },
  tailTurns: { kind: "count", help: "at most this many of the newest turns, word for word" },
  triggerMessages: { kind: "count", help: "compact after so many messages, whatever their size" },
  triggerTurns: { kind: "count", help: "compact after so many turns, whatever their size" },
  summarizer: { kind: "text", help: "who writes summaries: extractive, same, or a model" },
  summaryCap: { kind: "tokens", help: "longest narrative of a compaction" },
  summaryTemperature: { kind: "number", help: "0 to 2, for summaries" },
  summaryMode: {
    kind: "text",
    help: "how summaries are asked for: continuation, full, simple or extractive",
  },
  preface: { kind: "text", help: "your own words before the summary" },
  cacheBreakpoints: { kind: "switch", help: "mark system prompt and summary for the provider's cache" },
} as const satisfies Readonly<Record<string, Setting>>;

/** Settings of all chats that matter in a terminal. */
const GLOBAL = {
  showMeter: { kind: "switch", help: "show the meter (all chats)" },
} as const satisfies Readonly<Record<string, Setting>>;

const ALL: Readonly<Record<string, Setting>> = { ...SETTINGS, ...GLOBAL };

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
  switch (kind) {
    case "text":
    case "choice":
      return text;
    case "list":
      return text === NONE_WORD ? [] : text.split(/[\s,]+/);
    case "switch":
      if (/^(on|yes|true)$/i.test(text)) return true;
      if (/^(off|no|false)$/i.test(text)) return false;
      throw new UsageError(`${name} is on or off, not ${text}.`);
    case "tokens":
      return tokensOf(name, text);
    case "share":
    case "threshold":
      return shareOf(name, kind, text);
    case "count":
      // Whether there may be none, or so many, is for the server to say.
      if (/^(\d+|\d{1,3}([_,]\d{3})+)$/.test(text)) return Number(text.replace(/[_,]/g, ""));
      throw new UsageError(`${name} is a whole number such as 10, not ${text}.`);
    case "number":
      if (/^-?\d*[.,]?\d+$/.test(text)) return Number(text.replace(",", "."));
      throw new UsageError(`${name} is a number such as 0.7, not ${text}.`);
    default:
      return kind satisfies never;
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

/** Settings that may be less than any window; the server knows how little. */
const FEW_TOKENS: readonly string[] = ["summaryCap", "maxTokens"];

/** The parser of flags, without the dashes of a flag in what it says. */
function tokensOf(name: string, text: string): number {
  try {
    return FEW_TOKENS.includes(name) ? parseTokens(name, text, 1) : parseTokens(name, text);
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(error.message.replace(/^--/, "")) : error;
  }
}

/** Each setting with its value, and where that comes from. */
export function settingsText(chat: ChatSettings, answer: SettingsAnswer, columns: number): string {
  const labels = new Map<unknown, string>(answer.strategies.map(({ name, label }) => [name, label]));
  const nameWidth = Math.max(...Object.keys(ALL).map((name) => name.length)) + 2;
  const rows = Object.entries(ALL).map(([name, { help }]) => {
    const { value, from } = Object.hasOwn(GLOBAL, name)
      ? { value: answer.settings[name as keyof typeof GLOBAL], from: "page" as const }
      : inForce(name as keyof typeof SETTINGS, { answer, chat });
    const origin = value === undefined ? "" : ORIGINS[from];
    const label = name === "strategy" && labels.has(value) ? `: ${labels.get(value)}` : "";
    return [`${name.padEnd(nameWidth)}${shown(value)}${origin}`, `${help}${label}`] as const;
  });
  return [
    ...twoColumns(rows, columns),
    ...wrap(
      `/settings NAME VALUE changes one for this chat; ${DEFAULT_WORD} as its value takes that back.`,
      columns,
    ),
  ].join("\n");
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
