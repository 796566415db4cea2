import { clipText } from "../core/clip.ts";
import { firstCharacters } from "../core/first-characters.ts";
import type { HostState, ModelReply } from "../core/types.ts";
import { timeLimit } from "../models/shared/retry.ts";
import { acceptSummary } from "../summaries/accept/accept-summary.ts";
import { answerCap, PROMPTS } from "../summaries/prompts/index.ts";
import { select } from "../summaries/select/select.ts";
import type { SessionCore } from "./core.ts";
import { joinFrames, sliceFrames } from "./ledger.ts";
import type { CacheItem, StreamQuery, StreamRole, StreamRung, StreamRungReport } from "./types.ts";
import { captionText, formatSeconds, plural } from "./words.ts";

/** One sentence of a turn, with the words that it brings. */
interface NoteLine {
  readonly role: StreamRole;
  readonly text: string;
  readonly words: ReadonlySet<string>;
}

/** What was said in a stream, as the session remembers it. Frames are only counted. */
export interface Notes {
  add(role: StreamRole, text: string): void;
  /** The first words of the user, and the newest turn of a role. */
  readonly goal: string | undefined;
  last(role: StreamRole): string | undefined;
  readonly turns: { readonly all: number; readonly user: number };
  readonly lines: readonly NoteLine[];
  clear(): void;
}

/**
 * Sentences that are remembered: a whole day of talk, of which a summary holds a few dozen. Beyond that the least telling
 * ones are forgotten, so that neither memory nor the time of a management grows with the stream.
 */
const MAX_LINES = 2_000;
/** So much of one sentence is remembered (characters). */
const MAX_SENTENCE = 2_000;
/** The share that is left then, so that it happens seldom. */
const KEPT_SHARE = 0.75;

export function createNotes(): Notes {
  let lines: NoteLine[] = [];
  let goal: string | undefined;
  let last = new Map<StreamRole, string>();
  let turns = { all: 0, user: 0 };
  return {
    add(role, text) {
      if (role === "system" || text.trim() === "") return;
      if (role === "user") goal ??= text.trim();
      last.set(role, text.trim());
      turns = { all: turns.all + 1, user: turns.user + (role === "user" ? 1 : 0) };
      for (const whole of sentences(text).slice(-MAX_LINES)) {
        const sentence = firstCharacters(whole, MAX_SENTENCE);
        lines.push({ role, text: sentence, words: wordsOf(sentence) });
      }
      if (lines.length > MAX_LINES) lines = thinned(lines, Math.floor(MAX_LINES * KEPT_SHARE));
    },
    get goal() {
      return goal;
    },
    last: (role) => last.get(role),
    get turns() {
      return turns;
    },
    get lines() {
      return lines;
    },
    clear() {
      lines = [];
      goal = undefined;
      last = new Map();
      turns = { all: 0, user: 0 };
    },
  };
}

/**
 * Leaves out what was said again later, then the lines with the fewest words that stand nowhere else: those of the user
 * last, the oldest first.
 */
export function thinned(lines: readonly NoteLine[], most: number): NoteLine[] {
  const newest = new Map(lines.map((line) => [line.text, line]));
  const left = lines.filter((line) => newest.get(line.text) === line);
  if (left.length <= most) return left;
  const uses = new Map<string, number>();
  for (const { words } of left) for (const word of words) uses.set(word, (uses.get(word) ?? 0) + 1);
  const worth = ({ role, words }: NoteLine): number =>
    [...words].filter((word) => uses.get(word) === 1).length + (role === "user" ? USER_WORTH : 0);
  const leaving = left
    .map((line, index) => ({ index, worth: worth(line) }))
    .sort((a, b) => a.worth - b.worth || a.index - b.index)
    .slice(0, left.length - most);
  const gone = new Set(leaving.map(({ index }) => index));
  return left.filter((_, index) => !gone.has(index));
}

/** What the user said counts like this many words that stand nowhere else. */
const USER_WORTH = 5;

/** Sentences, one line each. A dot inside a number or a name doesn't end one. */
export function sentences(text: string): string[] {
  return text
    .split(/(?<=[.!?…])\s+|(?<=[。！？])|\n+/u)
    .map((sentence) => sentence.replace(/\s+/g, " ").trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

/** Words in lower case; of scripts without blanks, pairs of characters. */
export function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}\p{M}]+(?:['’]\p{L}+)?/gu)) {
    if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(word))
      for (let at = 0; at + 2 <= Math.max(2, word.length); at++) words.add(word.slice(at, at + 2));
    else words.add(word);
  }
  return words;
}

/** A newest line's words count this much more than an oldest one's. */
const RECENCY = 0.25;

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
const GOAL_SHARE = 0.3;
const NOW_SHARE = 0.25;
const LAST_WORDS_SHARE = 0.15;
/** What the user asked along the way is rarer than what the assistant said, and matters more. */
const USER_SHARE = 0.25;

const RECORD = "Progress record (what happened so far, not an instruction).";
const LABEL = {
  goal: "Goal, in the user's words",
  steps: "Steps so far, as the assistant said them",
  seen: "Seen or heard",
  topics: "Other topics mentioned by the user",
  now: "Current step",
  list: "Steps",
  also: "Also said",
} as const;

/** The five fields by code: elapsed time and counts, goal, steps so far, other topics, current step. */
export function extractProgress(input: ProgressInput): string {
  const { notes, cap } = input;
  const purse = openPurse(input);
  const goal = purse.take(LABEL.goal, notes.goal, cap * GOAL_SHARE);
  const now = purse.take(LABEL.now, notes.last("assistant") ?? notes.last("caption"), cap * NOW_SHARE);
  const newest = notes.last("user");
  const lastWords = newest === notes.goal ? "" : purse.take(LABEL.topics, newest, cap * LAST_WORDS_SHARE);
  const lines = purse.lines([LABEL.steps, LABEL.seen, LABEL.topics]);
  const said = (role: "assistant" | "user" | "caption"): string =>
    joined(lines.filter((line) => line.role === role));
  const topics = [said("user"), lastWords].filter((text) => text !== "").join(" ");
  return sentencesOf([
    purse.opening,
    field(LABEL.goal, goal),
    field(LABEL.steps, said("assistant")),
    field(LABEL.seen, said("caption")),
    field(LABEL.topics, topics),
    field(LABEL.now, now),
  ]);
}

/** The model's text between what code writes; the room that it leaves is filled with what it doesn't say. */
export function frameProgress(text: string, input: ProgressInput): string {
  const purse = openPurse(input);
  const goal = purse.take(LABEL.goal, input.notes.goal, input.cap * GOAL_SHARE);
  const story = purse.take("", onOneLine(text), input.cap);
  const also = field(LABEL.also, joined(purse.lines([LABEL.also])));
  return sentencesOf([purse.opening, field(LABEL.goal, goal), story, also]);
}

/** A list of steps with their states, by code: the host's own, or the session's turns. */
export function renderSteps(steps: HostState | undefined, input: ProgressInput): string {
  if (steps === undefined) return extractProgress(input);
  const purse = openPurse(input);
  const goal = purse.take(LABEL.goal, input.notes.goal, input.cap * GOAL_SHARE);
  const list =
    typeof steps === "string"
      ? steps.trim()
      : [
          ...(steps.title === undefined ? [] : [steps.title]),
          ...steps.steps.map(({ text, status }, index) => `${index + 1}. [${status}] ${text.trim()}`),
        ].join("\n");
  const shown = purse.take(LABEL.list, list, input.cap);
  return sentencesOf([
    purse.opening,
    field(LABEL.goal, goal),
    shown === "" ? "" : `${LABEL.list}:\n${shown}\n`,
    field(LABEL.also, joined(purse.lines([LABEL.also]))),
  ]);
}

/** Spends the ceiling: the opening first, then what is taken, in that order, each with its label. */
function openPurse(input: ProgressInput) {
  const { notes, cap, count } = input;
  const opening = openingOf(input);
  const cost = (label: string): number => (label === "" ? 1 : count(` ${label}: .`));
  let left = cap - count(opening);
  let shown = opening;
  return {
    opening,
    /** The text, or what fits of it. */
    take(label: string, text: string | undefined, most: number): string {
      const allowance = Math.floor(Math.min(most, left - cost(label)));
      const taken = text === undefined || allowance <= 0 ? "" : (clipText(text, allowance, count) ?? "");
      if (taken === "") return "";
      left -= count(taken) + cost(label);
      shown += ` ${taken}`;
      return taken;
    },
    /** Lines for the rest: some room is the user's, what is left is everybody's. */
    lines(labels: readonly string[]): readonly NoteLine[] {
      const room = left - labels.reduce((sum, label) => sum + cost(label), 0);
      if (room <= 0) return [];
      const isUsers = (line: NoteLine): boolean => line.role === "user";
      const share = Math.min(room, Math.floor(cap * USER_SHARE));
      const own = chooseLines(notes.lines.filter(isUsers), shown, share, count);
      const rest = room - own.reduce((sum, line) => sum + count(line.text), 0);
      const chosen = new Set(own);
      const others = notes.lines.filter((line) => !chosen.has(line));
      for (const line of chooseLines(others, `${shown} ${joined(own)}`, rest, count)) chosen.add(line);
      return notes.lines.filter((line) => chosen.has(line));
    },
  };
}

const joined = (lines: readonly NoteLine[]): string => lines.map((line) => line.text).join(" ");

/** Elapsed time and counts are never left to a model. */
function openingOf({ notes, time, frames }: ProgressInput): string {
  const { all, user } = notes.turns;
  return `${RECORD} The time elapsed since the start of the task is ${formatSeconds(time)}: ${plural(frames, "frame")}, ${plural(all, "turn")}, ${user} of them by the user.`;
}

const field = (name: string, text: string): string =>
  text === "" ? "" : `${name}: ${text}${/[.!?…。！？]["”]?$/u.test(text) ? "" : "."}`;

const sentencesOf = (texts: readonly string[]): string =>
  texts
    .filter((text) => text !== "")
    .join(" ")
    .replace(/\n /g, "\n")
    .trim();

function onOneLine(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
}

/**
 * The lines that bring the most new words per token, then, as far as there is room, the newest others: a step that was
 * done is worth telling even if all of its words stand elsewhere. In the order in which they were said, none twice.
 * `seen` is the text that stands beside them.
 */
function chooseLines(
  lines: readonly NoteLine[],
  seen: string,
  room: number,
  count: (text: string) => number,
): NoteLine[] {
  const covered = wordsOf(seen);
  const tokens = lines.map((line) => Math.max(1, count(line.text)));
  const gain = (line: NoteLine, index: number): number => {
    let fresh = 0;
    for (const word of line.words) if (!covered.has(word)) fresh++;
    return (fresh * (1 + (RECENCY * index) / lines.length)) / tokens[index]!;
  };
  const chosen = new Set<number>();
  let left = room;
  select(lines, {
    worth: gain,
    price: (_, index) => tokens[index]!,
    budget: room,
    onTake(line, index) {
      chosen.add(index);
      left -= tokens[index]!;
      for (const word of line.words) covered.add(word);
    },
  });
  const taken = new Set([...chosen].map((index) => lines[index]!.text));
  for (let index = lines.length - 1; index >= 0; index--) {
    const { text } = lines[index]!;
    if (taken.has(text) || tokens[index]! > left || seen.includes(text)) continue;
    chosen.add(index);
    taken.add(text);
    left -= tokens[index]!;
  }
  return [...chosen].sort((a, b) => a - b).map((index) => lines[index]!);
}

/** A progress summary, and how it came about. */
export interface Progress {
  readonly text: string;
  readonly rungs: readonly StreamRungReport[];
  /** The question, if the cache was asked. */
  readonly query: StreamQuery | undefined;
}

export function progressInput(core: SessionCore, cap: number): ProgressInput {
  const { notes, time, frames, count } = core;
  return { notes, time, frames, cap, count };
}

/**
 * Writes a summary by the first rung that succeeds: asked of the live cache, asked of a model of its own, or put
 * together from the session's turns. Leaves question and answer in the cache: reset or restore it.
 */
export async function writeProgress(core: SessionCore, cap: number): Promise<Progress> {
  const { settings } = core;
  const input = progressInput(core, cap);
  const rungs: StreamRungReport[] = [];
  const attempt = async (rung: StreamRung, ask: () => Promise<ModelReply>): Promise<string | undefined> => {
    try {
      const accepted = acceptSummary({
        reply: await ask(),
        cap,
        sourceTokens: core.ledger.length,
        mustKeep: [],
        count: input.count,
        source: core.notes.lines.map((line) => line.text).join("\n"),
      });
      if (accepted.ok) {
        rungs.push({ rung, result: "used" });
        return frameProgress(accepted.text, input);
      }
      rungs.push({ rung, result: "rejected", note: accepted.reason });
    } catch (error) {
      rungs.push({ rung, result: "failed", note: error instanceof Error ? error.message : String(error) });
    }
    return undefined;
  };
  const { summarizer } = settings;
  let text = await attempt("continuation", () => askCache(core, cap));
  if (text === undefined && summarizer !== undefined)
    text = await attempt("full", () => summarizer.complete(fullRequest(core, cap)));
  if (text === undefined) {
    text = extractProgress(input);
    rungs.push({ rung: "extractive", result: "used" });
  }
  return { text: clipText(text, cap, input.count) ?? text, rungs, query: settings.query };
}

/** The question behind what the cache holds, together with the newest frame. */
async function askCache(core: SessionCore, cap: number): Promise<ModelReply> {
  const { cache, settings, ledger, lastFrame, time } = core;
  const { role, text } = settings.query;
  const question: CacheItem = { type: "turn", role, text, at: time };
  const frame = lastFrame === undefined ? [] : [sliceFrames(lastFrame, lastFrame.count - 1, lastFrame.count)];
  const withFrame = joinFrames([...frame, question], ledger.last);
  const roomBehind = (items: readonly CacheItem[]): number =>
    settings.window - cache.length - items.reduce((sum, item) => sum + cache.count(item), 0);
  // A picture may cost more than the reserve has for a frame: then the question stands alone.
  const items = roomBehind(withFrame) >= cap ? withFrame : [question];
  const room = Math.min(cap, roomBehind(items));
  if (room < cap) throw new Error(`only ${Math.max(0, room)} tokens are left for the answer`);
  const signal = timeLimit(settings.deadlineMs);
  await cache.feed(items, signal);
  const generated = await cache.generate({
    name: "stream-summary",
    cap: room,
    temperature: 0,
    at: time,
    signal,
  });
  return generated.silent
    ? { text: "", stop: "end", usage: { input: cache.length } }
    : { text: generated.item.text, stop: generated.stop, usage: { input: cache.length } };
}

/** The turns as text, for a model that hasn't seen the stream. */
function fullRequest({ notes, time, settings }: SessionCore, cap: number) {
  const transcript = notes.lines
    .map(({ role, text }) => (role === "caption" ? captionText(text) : `${role}: ${text}`))
    .join("\n");
  const rendered = PROMPTS.progress.render({ transcript, target: cap, elapsed: formatSeconds(time) });
  return {
    name: "stream-summary-full",
    ...(rendered.system === undefined ? {} : { system: rendered.system }),
    messages: [{ role: "user" as const, text: rendered.user }],
    cap: answerCap(PROMPTS.progress, cap),
    temperature: 0,
    signal: timeLimit(settings.deadlineMs),
  };
}
