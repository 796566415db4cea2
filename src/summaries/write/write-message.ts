import { lastTrue } from "../../core/collections.ts";
import type { Frame } from "../frames/frames.ts";
import { pointerTo } from "../records/pointers.ts";
import { escapeText } from "../text/escape.ts";
import { SECTION_NAMES, type SectionName, TRUSTED_SECTIONS } from "./section-titles.ts";
import { type SectionEntry, type Sections, sectionEntryText, writeSections } from "./sections.ts";

/** A summary message. */
export interface MadeMessage {
  readonly text: string;
  /** What it quotes, in a message of the user's role. */
  readonly quotes?: string;
  /** What text and quotes take together. */
  readonly tokens: number;
}

/** How a message is counted, and whether what it quotes stands in a second one. */
export interface WriterOptions {
  readonly count: (text: string) => number;
  /**
   * The message goes into the system prompt: then what it quotes from tools, files and answers stands in a message of its
   * own, which this counts whole. `always`: there is one even if it quotes nothing.
   */
  readonly quotesBeside?: { readonly count: (text: string) => number; readonly always: boolean };
  /** The host's own words behind the introduction. */
  readonly preface?: string;
}

/** Puts sections into one message, or into two where the first goes into the system prompt. */
export function messageWriter(
  hidden: Uint8Array,
  { count, quotesBeside, preface }: WriterOptions,
  frame: Frame,
): (sections: Sections) => MadeMessage {
  const run = pointerTo({ from: hidden.indexOf(1), to: hidden.lastIndexOf(1) + 1 });
  const what = frame.introduction.replace("#", run);
  // A message is written several times until it fills its ceiling, and most entries stay as they are.
  const known = new Map<string, string>();
  const entryText = (name: SectionName, entry: SectionEntry): string => {
    const key = `${name} ${entry.head} ${entry.text}`;
    const text = known.get(key) ?? sectionEntryText(name, entry);
    known.set(key, text);
    return text;
  };
  const introduction = preface ? `${what}\n${escapeText(preface)}` : what;
  if (!quotesBeside)
    return (sections) => {
      const text = writeSections(introduction, sections, SECTION_NAMES, frame.titles, entryText);
      return { text, tokens: count(text) };
    };
  const below = SECTION_NAMES.filter((name) => !TRUSTED_SECTIONS.includes(name));
  return (sections) => {
    const text = writeSections(introduction, sections, TRUSTED_SECTIONS, frame.titles, entryText);
    const isQuoted = below.some((name) => (sections[name] ?? []).length > 0);
    if (!isQuoted && !quotesBeside.always) return { text, tokens: count(text) };
    const quotes = writeSections(
      frame.quotations.replace("#", run),
      sections,
      below,
      frame.titles,
      entryText,
    );
    return { text, quotes, tokens: count(text) + quotesBeside.count(quotes) };
  };
}

/** What may stay unused: less than a line, and each try to do better costs a count of the whole message. */
const SLACK = 0.002;

/** Counts per search: each one costs as much as a count of the whole message. */
const MAX_COUNTS = 12;
/** After so many counts the estimate can't be trusted, and the rest is halved. */
const TRUSTED_COUNTS = 5;

/** As much as fits of what was chosen, in the order of its rank. */
export function fillCap(
  cap: number,
  parts: {
    /** Estimated tokens of each. */
    readonly costs: readonly number[];
    readonly render: (items: number) => MadeMessage;
    /** There is something to say without any of it. */
    readonly fixed: boolean;
  },
): MadeMessage | undefined {
  const made = new Map<number, MadeMessage>();
  const make = (items: number): MadeMessage => {
    const message = made.get(items) ?? parts.render(items);
    made.set(items, message);
    return message;
  };
  const bare = make(0).tokens;
  const upTo = new Float64Array(parts.costs.length + 1);
  for (const [at, cost] of parts.costs.entries()) upTo[at + 1] = upTo[at]! + cost;
  const items = largestFit({
    most: parts.costs.length,
    cap,
    expected: (size) => bare + upTo[size]!,
    tokens: (size) => make(size).tokens,
    slack: cap * SLACK,
  });
  return items === undefined || (items === 0 && !parts.fixed) ? undefined : make(items);
}

/**
 * The largest number of items whose `tokens` are within `cap`, found with few counts. A number that leaves at most
 * `slack` tokens unused will do. Assumes that more items never take fewer tokens; where that fails by a little, the
 * result is still within `cap`.
 */
export function largestFit({
  most,
  cap,
  expected,
  tokens,
  slack = 0,
}: {
  readonly most: number;
  readonly cap: number;
  /** Estimated tokens of so many items and all that stands beside them. */
  readonly expected: (items: number) => number;
  readonly tokens: (items: number) => number;
  readonly slack?: number;
}): number | undefined {
  let low = -1;
  let high = most + 1;
  let next = lastTrue(1, most, (items) => expected(items) <= cap);
  let before = { items: 0, size: expected(0) };
  for (let counts = 1; counts <= MAX_COUNTS; counts++) {
    const size = tokens(next);
    if (size <= cap) low = next;
    else high = next;
    if (high - low <= 1 || (size <= cap && size >= cap - slack)) break;
    // How much of the estimate came true between the last two counts.
    const scale = (size - before.size) / (expected(next) - expected(before.items));
    const from = next;
    const isWithin = (items: number): boolean =>
      size + (expected(items) - expected(from)) * (scale > 0 ? scale : 1) <= cap - slack / 2;
    const reached = counts >= TRUSTED_COUNTS ? (low + high) >> 1 : lastTrue(low + 1, high - 1, isWithin);
    before = { items: from, size };
    next = Math.max(low + 1, reached);
  }
  if (low >= 0) return low;
  return tokens(0) <= cap ? 0 : undefined;
}
