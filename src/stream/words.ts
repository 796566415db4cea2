import type { StreamRole, StreamStrategyName, StreamTrace } from "./types.ts";

/** What a person reads for the names in a stream's timeline: page, command line and HTML reports take the words from here. */
export const STREAM_WORDS: {
  readonly strategies: Readonly<Record<StreamStrategyName, string>>;
  readonly reasons: Readonly<Record<StreamTrace["reason"], string>>;
  readonly actions: Readonly<Record<StreamTrace["action"], string>>;
} = {
  strategies: {
    "drop-all": "Keep only the last words",
    "drop-middle": "Keep start and end",
    "summarize-and-drop": "Summarise everything",
    "summarize-and-keep": "Summarise, keep the last seconds",
    state: "Keep a list of steps",
  },
  reasons: {
    full: "the cache was full",
    "next-input": "the next input wouldn't have fitted",
    asked: "it was asked for",
  },
  actions: {
    "old-frames": "Old pictures left",
    keep: "Parts were kept",
    restart: "Begun anew",
    nothing: "Nothing to do",
  },
};

/** How turns look in the text of a local model. Special tokens are written as their text. */
export interface TurnTemplate {
  open(role: StreamRole): string;
  readonly close: string;
}

/** What stands before a caption, so that the model doesn't take it for the user's words. */
const CAPTION = "[caption] ";

/** ChatML, which most small models speak. Captions come as the user's turn with a mark. */
export const chatMl: TurnTemplate = {
  open: (role) => (role === "caption" ? `<|im_start|>user\n${CAPTION}` : `<|im_start|>${role}\n`),
  close: "<|im_end|>\n",
};

/** A caption as text, for formats that have no place for it. */
export const captionText = (text: string): string => `${CAPTION}${text}`;

const MINUTE = 60;
const HOUR = 3_600;

/** 7.9 → `7.9 seconds`, 725 → `12 minutes 5 seconds`, 3600 → `1 hour`. */
export function formatSeconds(seconds: number): string {
  // The tenth is rounded first, so that 59.96 is a minute and not 60.0 seconds.
  const tenths = Math.round(Math.max(0, seconds) * 10) / 10;
  if (tenths < MINUTE) return plural(tenths, "second");
  const whole = Math.round(tenths);
  const parts: [number, string][] = [
    [Math.floor(whole / HOUR), "hour"],
    [Math.floor((whole % HOUR) / MINUTE), "minute"],
    [whole % MINUTE, "second"],
  ];
  return parts
    .filter(([count]) => count > 0)
    .map(([count, name]) => plural(count, name))
    .join(" ");
}

export const plural = (count: number, name: string): string => `${count} ${name}${count === 1 ? "" : "s"}`;
