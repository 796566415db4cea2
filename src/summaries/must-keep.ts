import { parseReadable } from "../core/deep-json.ts";
import type { Message, Run } from "../core/types.ts";
import { findCitations } from "./keep/find-citations.ts";
import { findItems, type ItemKind } from "./keep/find-items.ts";
import { isSummaryMessage } from "./markers.ts";
import { userWords } from "./user-words.ts";

export type { ItemKind } from "./keep/find-items.ts";
export { missingItems } from "./keep/missing-items.ts";

/** An item that a summary should carry. */
export interface MustKeep {
  readonly kind: ItemKind;
  /** As the transcript writes it; a citation in its shortest form. */
  readonly text: string;
}

/** What `mustKeepOf` takes. */
export interface MustKeepInput {
  readonly messages: readonly Message[];
  /** The messages that the summary will speak for. */
  readonly run: Run;
  /** The messages that stay; citations that they refer to must not be lost. Left out: all behind the run. */
  readonly later?: Run;
  /** The summary's ceiling in tokens. */
  readonly cap: number;
  readonly count: (text: string) => number;
}

/** Share of the ceiling that items may take, besides citations that are still referred to. */
const ITEMS_SHARE = 0.15;
/** More would make a list of names out of a summary. */
const MAX_ITEMS = 40;
/** Longer lines of tool output are data; longer lines of prose are read in pieces. */
const MAX_LINE = 2_000;
/** A longer argument of a call is a file that it writes: what is named in there isn't used by the call. */
const MAX_ARGUMENT = 300;
/** Characters that are read at each end of a tool result: its items rank last, unless they are used elsewhere too. */
const MAX_RESULT_END = 10_000;
/** No item is shorter. */
const MIN_TOKENS = 2;

/** How much each sign of use is worth. */
const WEIGHTS = {
  saidByUser: 4,
  calls: 1.2,
  recency: 2.5,
  times: 0.5,
  onlyInResults: -2.5,
} as const;
const KIND_WEIGHTS: Readonly<Record<ItemKind, number>> = {
  citation: 1.5,
  path: 1.2,
  id: 0.8,
  number: 0.6,
  name: 0.2,
};

type Place = "user" | "said" | "call" | "result";

interface Candidate extends MustKeep {
  readonly key: string;
  times: number;
  calls: number;
  last: number;
  user: boolean;
  elsewhere: boolean;
}

/**
 * Every citation of the run that later messages refer to, then the items that are most likely to be needed, within 15 %
 * of the ceiling: first what the user named, then by use in calls, recency and frequency.
 */
export function mustKeepOf({ messages, run, later, cap, count }: MustKeepInput): MustKeep[] {
  const candidates = collect(messages, run);
  const referred = citationKeys(messages, later ?? { from: run.to, to: messages.length });
  const isNeeded = (item: Candidate): boolean => item.kind === "citation" && referred.has(item.key);
  const span = Math.max(1, run.to - run.from - 1);
  const ranked = candidates
    .filter((item) => !isNeeded(item))
    .map((item) => ({ item, score: score(item, 1 - Math.log1p(run.to - 1 - item.last) / Math.log1p(span)) }))
    .sort((a, b) => b.score - a.score || a.item.last - b.item.last || (a.item.text < b.item.text ? -1 : 1));

  const chosen: MustKeep[] = [];
  let left = cap * ITEMS_SHARE;
  for (const { item } of ranked) {
    if (chosen.length >= MAX_ITEMS || left < MIN_TOKENS) break;
    if (chosen.some((one) => isSame(one, item))) continue;
    const tokens = count(`${item.text}\n`);
    if (tokens > left) continue;
    left -= tokens;
    chosen.push(item);
  }
  return [...candidates.filter(isNeeded), ...chosen].map(({ kind, text }) => ({ kind, text }));
}

function score(item: Candidate, recency: number): number {
  return (
    KIND_WEIGHTS[item.kind] +
    (item.user ? WEIGHTS.saidByUser : 0) +
    WEIGHTS.calls * Math.log1p(item.calls) +
    WEIGHTS.recency * recency +
    WEIGHTS.times * Math.log1p(item.times) +
    (item.elsewhere ? 0 : WEIGHTS.onlyInResults)
  );
}

function collect(messages: readonly Message[], run: Run): Candidate[] {
  const found = new Map<string, Candidate>();
  const add = (kind: ItemKind, key: string, text: string, index: number, place: Place): void => {
    const id = `${kind} ${key}`;
    let item = found.get(id);
    if (item === undefined) {
      item = { kind, key, text, times: 0, calls: 0, last: index, user: false, elsewhere: false };
      found.set(id, item);
    }
    item.times++;
    item.last = index;
    if (place === "call") item.calls++;
    if (place === "user") item.user = true;
    if (place !== "result") item.elsewhere = true;
  };
  const read = (text: string, index: number, place: Place): void => {
    const prose = place === "user" || place === "said";
    if (prose)
      for (const { key, text: form } of findCitations(text)) add("citation", key, form, index, place);
    for (const line of readableLines(text, prose)) {
      for (const { kind, text: item } of findItems(line, prose))
        add(kind, item.toLowerCase(), item, index, place);
    }
  };
  for (let index = Math.max(0, run.from); index < Math.min(run.to, messages.length); index++) {
    const message = messages[index]!;
    // What was pasted into a user message is no more the user's words than a tool's result is.
    for (const typed of userWords(messages, [index])) read(typed.text, index, "user");
    for (const part of message.parts) {
      if (part.type === "text") {
        const spoken = message.role === "assistant" || isSummaryMessage(part.text);
        read(part.text, index, spoken ? "said" : "result");
      } else if (part.type === "tool-call") {
        for (const argument of argumentsOf(part.args))
          read(ends(argument), index, argument.length > MAX_ARGUMENT ? "result" : "call");
      } else if (part.type === "tool-result") read(ends(part.text), index, "result");
    }
  }
  return [...found.values()];
}

function ends(text: string): string {
  if (text.length <= 2 * MAX_RESULT_END) return text;
  return `${text.slice(0, MAX_RESULT_END)}\n${text.slice(-MAX_RESULT_END)}`;
}

function* readableLines(text: string, prose: boolean): Generator<string> {
  for (const line of text.split("\n")) {
    if (line.length <= MAX_LINE) yield line;
    else if (prose) {
      for (let at = 0; at < line.length; ) {
        const blank = line.lastIndexOf(" ", at + MAX_LINE);
        const end = blank > at ? blank : at + MAX_LINE;
        yield line.slice(at, end);
        at = end;
      }
    }
  }
}

/** The strings of call arguments, without the escapes of JSON, which would tear paths apart. */
function argumentsOf(args: string): string[] {
  let value: unknown;
  try {
    value = parseReadable(args);
  } catch {
    return [args];
  }
  const strings: string[] = [];
  const visit = (item: unknown): void => {
    if (typeof item === "string") strings.push(item);
    else if (typeof item === "object" && item !== null) for (const inner of Object.values(item)) visit(inner);
  };
  visit(value);
  return strings;
}

/** One of them says the other: a part of it, or the same file with more or less of its path. */
function isSame(chosen: MustKeep, item: MustKeep): boolean {
  if (chosen.kind === "citation" || item.kind === "citation") return false;
  return chosen.text.includes(item.text) || (item.kind === "path" && item.text.endsWith(`/${chosen.text}`));
}

function citationKeys(messages: readonly Message[], run: Run): Set<string> {
  const keys = new Set<string>();
  for (const { role, parts } of messages.slice(Math.max(0, run.from), Math.max(0, run.to))) {
    if (role !== "user" && role !== "assistant") continue;
    for (const part of parts) {
      if (part.type === "text") for (const { key } of findCitations(part.text)) keys.add(key);
    }
  }
  return keys;
}
