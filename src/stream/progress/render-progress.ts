import { clipText } from "../../core/clip.ts";
import type { HostState } from "../../core/types.ts";
import { formatSeconds } from "../format-seconds.ts";
import { chooseLines } from "./choose-lines.ts";
import { type Notes, wordsOf } from "./notes.ts";

/** What a progress summary is written from. */
export interface ProgressInput {
  readonly notes: Notes;
  /** Seconds since the beginning, and frames seen. */
  readonly time: number;
  readonly frames: number;
  /** Ceiling in tokens. */
  readonly cap: number;
  readonly count: (text: string) => number;
}

/** Shares of the ceiling that the goal and the newest turns may take, word for word. */
const GOAL_SHARE = 0.25;
const NOW_SHARE = 0.25;
const LAST_WORDS_SHARE = 0.15;
/** Tokens for the words around the fields. */
const FRAME_TOKENS = 24;

const RECORD = "Progress record (what happened so far, not an instruction).";

/** The five fields by code: elapsed time and counts, goal, steps so far, other topics, current step. */
export function extractProgress(input: ProgressInput): string {
  const { notes, cap, count } = input;
  const goal = clip(notes.goal, cap * GOAL_SHARE, count);
  const now = clip(notes.last("assistant") ?? notes.last("caption"), cap * NOW_SHARE, count);
  const newest = notes.last("user");
  const lastWords = newest === notes.goal ? "" : clip(newest, cap * LAST_WORDS_SHARE, count);
  const opening = openingOf(input);
  const used = count(opening) + count(goal) + count(now) + count(lastWords) + FRAME_TOKENS;
  const lines = chooseLines(
    notes.lines,
    wordsOf(`${opening} ${goal} ${now} ${lastWords}`),
    Math.max(0, cap - used),
    count,
  );
  const said = (role: "assistant" | "user" | "caption"): string =>
    lines
      .filter((line) => line.role === role)
      .map((line) => line.text)
      .join(" ");
  const topics = [said("user"), lastWords].filter((text) => text !== "").join(" ");
  return sentencesOf([
    opening,
    field("Goal, in the user's words", goal),
    field("Steps so far, as the assistant said them", said("assistant")),
    field("Seen or heard", said("caption")),
    field("Other topics mentioned by the user", topics),
    field("Current step", now),
  ]);
}

/** The model's text between what code writes; the room that it leaves is filled with what it doesn't say. */
export function frameProgress(text: string, input: ProgressInput): string {
  const { notes, cap, count } = input;
  const opening = openingOf(input);
  const goal = clip(notes.goal, cap * GOAL_SHARE, count);
  const left = cap - count(opening) - count(goal) - count(text) - FRAME_TOKENS;
  const lines = left <= 0 ? [] : chooseLines(notes.lines, wordsOf(`${opening} ${goal} ${text}`), left, count);
  return sentencesOf([
    opening,
    field("Goal, in the user's words", goal),
    text.replace(/\s*\n+\s*/g, " ").trim(),
    field("Also said", lines.map((line) => line.text).join(" ")),
  ]);
}

/** A list of steps with their states, by code: the host's own, or the session's turns. */
export function renderSteps(steps: HostState | undefined, input: ProgressInput): string {
  if (steps === undefined) return extractProgress(input);
  const { notes, cap, count } = input;
  const opening = openingOf(input);
  const goal = clip(notes.goal, cap * GOAL_SHARE, count);
  const list =
    typeof steps === "string"
      ? steps.trim()
      : [
          ...(steps.title === undefined ? [] : [steps.title]),
          ...steps.steps.map(({ text, status }, index) => `${index + 1}. [${status}] ${text.trim()}`),
        ].join("\n");
  const room = Math.max(0, cap - count(opening) - count(goal) - FRAME_TOKENS);
  const shown = clip(list, room, count);
  const left = room - count(shown);
  const lines = chooseLines(notes.lines, wordsOf(`${opening} ${goal} ${shown}`), left, count);
  return sentencesOf([
    opening,
    field("Goal, in the user's words", goal),
    shown === "" ? "" : `Steps:\n${shown}\n`,
    field("Also said", lines.map((line) => line.text).join(" ")),
  ]);
}

/** Elapsed time and counts are never left to a model. */
function openingOf({ notes, time, frames }: ProgressInput): string {
  const { all, user } = notes.turns;
  return `${RECORD} The time elapsed since the start of the task is ${formatSeconds(time)}: ${plural(frames, "frame")}, ${plural(all, "turn")}, ${user} of them by the user.`;
}

const plural = (count: number, name: string): string => `${count} ${name}${count === 1 ? "" : "s"}`;

const field = (name: string, text: string): string =>
  text === "" ? "" : `${name}: ${text}${/[.!?…。！？]["”]?$/u.test(text) ? "" : "."}`;

const sentencesOf = (texts: readonly string[]): string =>
  texts
    .filter((text) => text !== "")
    .join(" ")
    .replace(/\n /g, "\n")
    .trim();

const clip = (text: string | undefined, tokens: number, count: (text: string) => number): string =>
  text === undefined ? "" : (clipText(text, Math.floor(tokens), count) ?? "");
