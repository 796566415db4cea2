import { textOrArgs } from "../../core/message-text.ts";
import type { HostState, Message, Run } from "../../core/types.ts";
import type { Frame } from "../frames/frames.ts";
import type { MustKeep } from "../keep/must-keep.ts";
import {
  type Narrated,
  renderNarrative,
  renderState,
  type ShownRecord,
} from "../records/render-narrative.ts";
import { repairRecord } from "../records/repair-record.ts";
import { newestTerms, newestWords } from "../select/select.ts";
import { type CitedSources, citedSources } from "../sources/citations.ts";
import { readStates } from "../states/read-states.ts";
import { showStates } from "../states/show-states.ts";
import type { SectionEntry } from "../write/sections.ts";
import type { WriterOptions } from "../write/write-message.ts";
import { type Line, type TranscriptLines, transcriptLines } from "./lines.ts";
import type { IsOurs } from "./user-words.ts";

/** What the working set is chosen from, and what needn't be shown because it is shown elsewhere. */
interface Candidates {
  readonly lines: Line[];
  /** 1 for each term that the view shows elsewhere. */
  readonly covered: Uint8Array;
  /** For each term the ordinal of the last candidate that has it. */
  readonly lastLine: Int32Array;
}

export interface SummaryMessageInput extends WriterOptions {
  /** The whole transcript in core form. */
  readonly messages: readonly Message[];
  /** Messages that the view hides and this message speaks for. */
  readonly hidden: readonly Run[];
  /** Is message i shown elsewhere in the view (kept or edited)? What is visible there needn't be said again. */
  readonly visible: (index: number) => boolean;
  /** For shown messages that were shortened: the text that is really shown (undefined: all of it). */
  readonly shownText?: (index: number) => string | undefined;
  /** Ceiling for the whole text, in tokens by `count`. Never exceeded. */
  readonly cap: number;
  readonly hostState?: HostState;
  readonly focus?: string;
  /** Model-written segment summaries, oldest first. */
  readonly narrative?: readonly Narrated[];
  /** Tokens that they may take together. Default: half of `cap`. */
  readonly narrativeRoom?: number;
  /** Tokens that those of a model may take of it. Default: all. */
  readonly narrativeCap?: number;
  /** What the narrative lacks and the messages behind it use: a line shows each. */
  readonly missed?: readonly MustKeep[];
  /** Which texts that look like summary messages are known to be ours. Left out: none. */
  readonly isOurs?: IsOurs;
}

/** What the parts of a summary message are chosen from. */
export interface MessageMaterial {
  readonly input: SummaryMessageInput;
  /** The transcript; of very long texts only their beginnings and ends. */
  readonly messages: readonly Message[];
  readonly isHidden: (index: number) => boolean;
  readonly transcript: TranscriptLines;
  readonly candidates: Candidates;
  /** Estimated tokens of what tools and files say, and of a line. */
  readonly cost: (text: string) => number;
  readonly lineCost: (line: Line) => number;
  /** Characters of transcript behind a message. */
  readonly age: (message: number) => number;
  /** The newest words of the conversation, and the terms that they name with what showing each is worth. */
  readonly newest: string;
  readonly named: ReadonlyMap<number, number>;
  /** What stands in the message whatever is chosen: the records of a model or a person, the host's state, what is done and open. */
  readonly narrative: readonly ShownRecord[];
  readonly state: readonly SectionEntry[];
  readonly states: readonly SectionEntry[];
  readonly sources: CitedSources;
}

const NARRATIVE_SHARE = 0.5;
/** Of a summary message, at most so much says what is done and open: with a tenth, other names lost half a point at 5 %. */
const STATES_SHARE = 0.06;

/** Reads the transcript for a summary message. */
export function readMaterial(
  input: SummaryMessageInput,
  messages: readonly Message[],
  isHidden: (index: number) => boolean,
  frame: Frame,
): MessageMaterial {
  const { cap, count } = input;
  const transcript = transcriptLines(messages);
  const shownText = (index: number) => input.shownText?.(index);
  const candidates = candidateLines(transcript, isHidden, input.visible, shownText);
  const cost = estimateTokens(
    candidates.lines.map(({ text }) => text),
    count,
  );
  const costs = new Float64Array(transcript.lines.length);
  const newest = newestWords(messages);
  const sources = citedSources(messages, (index) =>
    isHidden(index) || !input.visible(index)
      ? undefined
      : (shownText(index) ?? messages[index]!.parts.map(textOrArgs).join("\n")),
  );
  const states = readStates(input.messages);
  const records = (input.narrative ?? []).map((one) => {
    const text = sources.inRecord(one.text, one.covers.to);
    return { ...one, text: one.isOwn ? text : repairRecord(text, one.covers, states, frame) };
  });
  return {
    input,
    messages,
    isHidden,
    transcript,
    candidates,
    cost,
    lineCost: ({ text, first }) => (costs[first] ||= cost(text) + 1),
    age: ageIn(transcript),
    newest,
    named: newestTerms(newest, transcript.table),
    narrative: renderNarrative(records, {
      room: input.narrativeRoom ?? cap * NARRATIVE_SHARE,
      ...(input.narrativeCap !== undefined && { cap: input.narrativeCap }),
      count,
    }).map((one) => ({ ...one, text: inLanguage(one.text, frame) })),
    state: renderState(input.hostState, cap, count),
    states: showStates(states, { isHidden, room: cap * STATES_SHARE, count, words: frame.states }),
    sources,
  };
}

/** A record with its headings in the language of what stands below them: a model is asked for the English ones. */
function inLanguage(text: string, { headings }: Frame): string {
  if (headings.size === 0) return text;
  return text.replace(/^(#{1,6} )(.+)$/gm, (line, marks: string, title: string) => {
    const heading = headings.get(title.trim().toLowerCase());
    return heading === undefined ? line : `${marks}${heading}`;
  });
}

/** The age of a message is told by its newest line. */
function ageIn({ lines, length }: TranscriptLines): MessageMaterial["age"] {
  const last = new Map<number, number>();
  for (const { message, position } of lines) last.set(message, position);
  return (message) => length - (last.get(message) ?? 0);
}

/** Lines of hidden messages, and lines that shortened messages no longer show. */
export function candidateLines(
  transcript: TranscriptLines,
  isHidden: (index: number) => boolean,
  isVisible: (index: number) => boolean,
  shownText: (index: number) => string | undefined,
): Candidates {
  const size = transcript.table.terms.length;
  const covered = new Uint8Array(size);
  const lastLine = new Int32Array(size).fill(-1);
  const lines: Line[] = [];
  let current = -1;
  let state: "hidden" | "visible" | "neither" = "neither";
  let shown: string | undefined;
  for (const line of transcript.lines) {
    if (line.message !== current) {
      current = line.message;
      state = isHidden(current) ? "hidden" : isVisible(current) ? "visible" : "neither";
      shown = state === "visible" ? shownText(current) : undefined;
    }
    if (state === "neither") continue;
    if (state === "hidden" || (shown !== undefined && !shown.includes(line.text))) {
      if (line.spent) continue;
      lines.push(line);
      for (const term of line.terms) lastLine[term] = line.order;
    } else for (const term of line.terms) covered[term] = 1;
  }
  return { lines, covered, lastLine };
}

/** The sample on which the estimate is fitted: so many texts, so many characters of each. */
const SAMPLE_TEXTS = 160;
const SAMPLE_LENGTH = 400;
/** A large prime, because lines often come in turns (a key, a value): an even step would see only one kind. */
const STRIDE = 7_919;
/** Where length and units hardly differ over the sample, the fit would say nothing about other texts. */
const LEAST_SPREAD = 0.01;
/** Tokens per character where there is nothing to measure. */
const USUAL = 0.25;

/** Kinds of characters. */
const SPACE = 1;
const LOWER = 2;
const UPPER = 3;
const DIGIT = 4;
const SIGN = 5;
/** Outside of ASCII: about a token each. */
const OTHER = 6;
/** The longest run of each kind that is about one token. */
const LONGEST = [0, 16, 7, 2, 3, 3, 1];
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/\s/.test(character)) return SPACE;
  if (/[a-z]/.test(character)) return LOWER;
  if (/[A-Z]/.test(character)) return UPPER;
  return /\d/.test(character) ? DIGIT : SIGN;
});

/**
 * Estimates tokens of a text from its length and its units, fitted to the counter on a sample: counting every line would
 * take longer than choosing among them, and by length alone a line full of numbers looks as cheap as prose.
 */
export function estimateTokens(
  texts: readonly string[],
  count: (text: string) => number,
): (text: string) => number {
  let ll = 0;
  let lu = 0;
  let uu = 0;
  let lt = 0;
  let ut = 0;
  let length = 0;
  let tokens = 0;
  for (let one = 0; one < Math.min(texts.length, SAMPLE_TEXTS); one++) {
    const text = texts[(one * STRIDE) % texts.length]!.slice(0, SAMPLE_LENGTH);
    const l = text.length;
    const u = unitsOf(text);
    const t = count(text);
    ll += l * l;
    lu += l * u;
    uu += u * u;
    lt += l * t;
    ut += u * t;
    length += l;
    tokens += t;
  }
  const byLength = length === 0 ? USUAL : tokens / length;
  const spread = ll * uu - lu * lu;
  const perCharacter = (lt * uu - ut * lu) / spread;
  const perUnit = (ll * ut - lu * lt) / spread;
  // A counter that goes by length alone, or a sample that says nothing.
  if (!(spread > LEAST_SPREAD * ll * uu && perUnit > 0 && perCharacter >= -perUnit))
    return (text) => text.length * byLength;
  return (text) => Math.max(1, perCharacter * text.length + perUnit * unitsOf(text));
}

/** About what tokenizers of byte pairs cut a text into: pieces of words, numbers by threes, signs. */
function unitsOf(text: string): number {
  let units = 0;
  let run = 0;
  let before = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const kind = code < 128 ? KINDS[code]! : OTHER;
    if (kind === before && kind !== OTHER) {
      run++;
      if (run > LONGEST[kind]!) {
        units++;
        run = 1;
      }
      continue;
    }
    // A capital letter and the small ones after it are one word; so are a space and what follows it.
    if (!(before === UPPER && kind === LOWER && run === 1) && kind !== SPACE) units++;
    run = 1;
    before = kind;
  }
  return units;
}
