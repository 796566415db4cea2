import { bothEnds } from "../../core/first-characters.ts";
import { textOrArgs } from "../../core/message-text.ts";
import type { Message, Run } from "../../core/types.ts";
import { argumentsOf, readArguments } from "../calls/read-call.ts";
import { chosenAnswers, wordsInRefusal } from "../calls/refusals.ts";
import { userWords } from "../material/user-words.ts";
import { select } from "../select/select.ts";
import { findCitations } from "../sources/citations.ts";
import { readStates } from "../states/read-states.ts";
import type { State } from "../states/show-states.ts";
import { commonRoot, folderOf } from "../write/files.ts";
import { isSummaryMessage } from "../write/sections.ts";
import { type FoundItem, findItems, type ItemKind, missingItems, type WordKind } from "./missing-items.ts";
import { findRestrictions } from "./rules.ts";

export { missingItems };

/** An item that a summary should carry. */
export interface MustKeep {
  readonly kind: ItemKind;
  /** As the transcript writes it; a citation in its shortest form. */
  readonly text: string;
  /** The message that it stands in: where the user said it, or else where it was used last. */
  readonly message: number;
}

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

/** Share of the ceiling that items may take, besides citations that are still referred to and restrictions. */
const ITEMS_SHARE = 0.15;
/** Share that restrictions of the user's may take, the newest first. */
const RESTRICTIONS_SHARE = 0.2;
/** Messages behind the run, from its end, that say what the work still uses. */
const LATER_MESSAGES = 60;
/** Folders that a path keeps of those that nearly all have in common. */
const KEPT_FOLDERS = 2;
/** More would make a list of names out of a summary. */
const MAX_ITEMS = 40;

const OUTCOMES: ReadonlySet<State["kind"]> = new Set(["commit", "request", "issue"]);
const MAX_OUTCOMES = 8;
const SYSTEM_PATH =
  /^\/(?:usr|bin|sbin|lib\d*|proc|sys|dev|private|tmp|var\/folders|System|Library)\/|^~?\/?\.(?:claude|codex|cache)\//;
const TECHNICAL_ID = /^\d{4}-\d{2}-\d{2}T|^(?:toolu|call|msg|req|resp|chatcmpl)_/;

/** How much each sign of use is worth. */
const WEIGHTS = { saidByUser: 4, usedLater: 3, calls: 1.2, recency: 2.5 } as const;
const KIND_WEIGHTS: Readonly<Record<WordKind, number>> = {
  citation: 1.5,
  path: 1.2,
  id: 0.8,
  number: 0.6,
  name: 0.2,
};

interface Candidate extends Pick<PlacedItem, "kind" | "key" | "text"> {
  calls: number;
  last: number;
  /** Where the user named it last. */
  user: number | undefined;
}

/**
 * The user's restrictions word for word, every citation of the run that later messages refer to, then the items that are most
 * likely to be needed, within 15 % of the ceiling: what the user named, what later messages name, what calls used. What only
 * the assistant wrote or a tool returned is no must: samples and listings would crowd out the rest.
 */
export function mustKeepOf({ messages, run, later, cap, count }: MustKeepInput): MustKeep[] {
  const candidates = collect(messages, run);
  const behind = later ?? { from: run.to, to: messages.length };
  const referred = citationKeys(messages, behind);
  const used = namedIn(messages, behind);
  const ended = outcomes(messages, run);
  const isNeeded = (item: Candidate): boolean => item.kind === "citation" && referred.has(item.key);
  const isUsed = (item: Candidate): boolean => used.has(idOf(item));
  // Names of code stand in every edit, and a file without a folder in every project: what calls use is told by paths and ids.
  const isCalled = ({ kind, text, calls }: Candidate): boolean =>
    calls > (kind === "path" && !/[\\/]/.test(text) ? 1 : 0) && kind !== "name" && kind !== "number";
  const span = Math.max(1, run.to - run.from - 1);
  // A date or a sum that was named once, at the beginning, holds as long as any other.
  const recency = (item: Candidate) =>
    item.kind === "number" ? 1 : 1 - Math.log1p(run.to - 1 - item.last) / Math.log1p(span);
  const ranked = candidates
    .filter(
      (item) =>
        !isNeeded(item) &&
        (item.user !== undefined || !isNoise(item)) &&
        (item.kind === "citation" || item.user !== undefined || isUsed(item) || isCalled(item)),
    )
    .map((item) => ({ item, score: score(item, recency(item), isUsed(item)) }))
    .sort((a, b) => b.score - a.score || a.item.last - b.item.last || (a.item.text < b.item.text ? -1 : 1));

  const home = homeOf(candidates);
  const spelled = ({ kind, text }: Candidate): string =>
    kind === "path" && text.startsWith(home) ? text.slice(home.length) : text;
  const chosen: Candidate[] = [];
  const families = new Set<string>();
  select(ranked, {
    worth: (_, rank) => ranked.length - rank,
    price: ({ item }) => count(`${spelled(item)}\n`),
    budget: cap * ITEMS_SHARE,
    isWanted: ({ item }) =>
      chosen.length < MAX_ITEMS &&
      !chosen.some((one) => isSame(one, item)) &&
      (item.user !== undefined || !families.has(familyOf(item.text) ?? "")),
    onTake({ item }) {
      families.add(familyOf(item.text) ?? item.text);
      chosen.push(item);
    },
  });
  return [
    ...restrictionsOf({ messages, run, cap, count }),
    ...ended,
    ...[...candidates.filter(isNeeded), ...chosen].map((item) => ({
      kind: item.kind,
      text: spelled(item),
      message: item.user ?? item.last,
    })),
  ];
}

/** Commits, pull requests and issues of the run, the newest ones: what the work came to. */
function outcomes(messages: readonly Message[], run: Run): MustKeep[] {
  return readStates(messages)
    .filter(({ kind, message }) => OUTCOMES.has(kind) && message >= run.from && message < run.to)
    .filter(({ kind, name }) => kind !== "commit" || /^[0-9a-f]{7,}$/.test(name))
    .slice(-MAX_OUTCOMES)
    .map(({ name, message }) => ({ kind: "id", text: name, message }));
}

/** Of the system, not of the work; times to the second, and ids that only a protocol needs. */
function isNoise({ kind, text }: Pick<Candidate, "kind" | "text">): boolean {
  return kind === "path" ? SYSTEM_PATH.test(text) : kind === "id" && TECHNICAL_ID.test(text);
}

/** Addresses that differ in their last part only are one thing to remember; undefined for anything else. */
function familyOf(text: string): string | undefined {
  return /^https?:\/\/[^?#]*(?=\/)/.exec(text)?.[0];
}

/** The folders in front of nearly all paths say nothing. Two of them stay, so that a path still says where it belongs. */
function homeOf(candidates: readonly Candidate[]): string {
  const paths = candidates.flatMap(({ kind, text }) => (kind === "path" && isDeep(text) ? [text] : []));
  let home = commonRoot(paths);
  for (let kept = 0; kept < KEPT_FOLDERS; kept++) home = folderOf(home.slice(0, -1));
  return home === "/" ? "" : home;
}

/** Routes (`/login`) are written like paths, and lie in no folder. */
const isDeep = (path: string): boolean => path.split("/").length > KEPT_FOLDERS + 2;

/** What the user forbade or bound to permission, as far as it fits: the newest first, then in order. */
function restrictionsOf({ messages, run, cap, count }: MustKeepInput): MustKeep[] {
  const found = new Map<string, MustKeep>();
  let left = cap * RESTRICTIONS_SHARE;
  for (let index = Math.min(run.to, messages.length) - 1; index >= Math.max(0, run.from); index--) {
    const refused = messages[index]!.parts.flatMap((part) =>
      part.type === "tool-result" ? wordsInRefusal(part) : [],
    );
    for (const text of [...userWords(messages, [index]).map((words) => words.text), ...refused]) {
      for (const sentence of findRestrictions(text)) {
        const key = sentence.toLowerCase();
        const tokens = count(`${sentence}\n`);
        if (found.has(key) || tokens > left) continue;
        left -= tokens;
        found.set(key, { kind: "restriction", text: sentence, message: index });
      }
    }
  }
  return [...found.values()].reverse();
}

function score(item: Candidate, recency: number, usedLater: boolean): number {
  return (
    KIND_WEIGHTS[item.kind] +
    (item.user === undefined ? 0 : WEIGHTS.saidByUser) +
    (usedLater ? WEIGHTS.usedLater : 0) +
    WEIGHTS.calls * Math.log1p(item.calls) +
    WEIGHTS.recency * recency
  );
}

const idOf = ({ kind, key }: Pick<Candidate, "kind" | "key">): string => `${kind} ${key}`;

function collect(messages: readonly Message[], run: Run): Candidate[] {
  const found = new Map<string, Candidate>();
  forEachItem(messages, run, ({ kind, key, text, index, place }) => {
    const id = idOf({ kind, key });
    const item = found.get(id) ?? { kind, key, text, calls: 0, last: index, user: undefined };
    found.set(id, item);
    item.last = index;
    if (place === "call") item.calls++;
    if (place === "user") item.user = index;
  });
  return [...found.values()];
}

/** What the messages behind a run name: in words and calls, not in results. */
function namedIn(messages: readonly Message[], { from, to }: Run): Map<string, PlacedItem> {
  const named = new Map<string, PlacedItem>();
  forEachItem(messages, { from, to: Math.min(to, from + LATER_MESSAGES) }, (item) => {
    // Names and figures that only the assistant says again are its own headings and estimates.
    const isOwn = item.kind === "name" || item.kind === "number";
    if (item.place === "user" || (item.place !== "result" && !isOwn)) named.set(idOf(item), item);
  });
  return named;
}

/** Names, paths and ids of a run that the messages behind it use, each with the last message of the run that has it. */
export function usedLater(messages: readonly Message[], run: Run): MustKeep[] {
  const used = [...namedIn(messages, { from: run.to, to: messages.length }).values()]
    .filter((item) => ["name", "path", "id"].includes(item.kind) && !isNoise(item))
    .slice(0, MAX_ITEMS)
    .map(({ kind, text }) => ({ kind, text }));
  const found: MustKeep[] = [];
  let open = used;
  for (let message = run.to - 1; message >= run.from && open.length > 0; message--) {
    const text = messages[message]!.parts.map(textOrArgs).join("\n");
    const plain = text.toLowerCase();
    // To compare a whole text takes long, and most have no word of them.
    const named = open.filter((item) => plain.includes(item.text.toLowerCase().split(/[\\/]/).at(-1)!));
    if (named.length === 0) continue;
    const missing = new Set(missingItems(text, named));
    const there = new Set(named.filter((item) => !missing.has(item)));
    found.push(...[...there].map((item) => ({ ...item, message })));
    open = open.filter((item) => !there.has(item));
  }
  return found;
}

/** One of them says the other: a part of it, or the same file with more or less of its path. */
function isSame(chosen: Candidate, item: Candidate): boolean {
  // `$25` isn't a part of `$25,000`.
  if ([chosen, item].some(({ kind }) => kind === "citation" || kind === "number")) return false;
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

/** Longer lines of tool output are data; longer lines of prose are read in pieces. */
const MAX_LINE = 2_000;
/** A longer argument of a call is a file that it writes: what is named in there isn't used by the call. */
const MAX_ARGUMENT = 300;
/** Characters that are read at each end of a tool result: its items rank last, unless they are used elsewhere too. */
const MAX_RESULT_END = 10_000;

/** An item where it stands. */
interface PlacedItem extends FoundItem<WordKind> {
  /** What it is compared by. */
  readonly key: string;
  /** Its message, and what in it: words of the user or of the assistant, a call's arguments, or data. */
  readonly index: number;
  readonly place: "user" | "said" | "call" | "result";
}

/** Visits all items of a run of messages. */
function forEachItem(messages: readonly Message[], run: Run, visit: (found: PlacedItem) => void): void {
  function read(text: string, index: number, place: PlacedItem["place"]): void {
    const prose = place === "user" || place === "said";
    if (prose)
      for (const { key, text: form } of findCitations(text))
        visit({ kind: "citation", key, text: form, index, place });
    for (const line of readableLines(text, prose)) {
      for (const { kind, text: item } of findItems(line, prose))
        visit({ kind, key: item.toLowerCase(), text: item, index, place });
    }
  }
  for (let index = Math.max(0, run.from); index < Math.min(run.to, messages.length); index++) {
    const message = messages[index]!;
    // What was pasted into a user message is no more the user's words than a tool's result is.
    for (const typed of userWords(messages, [index])) read(typed.text, index, "user");
    for (const part of message.parts) {
      if (part.type === "text") {
        const spoken = message.role === "assistant" || isSummaryMessage(part.text);
        read(part.text, index, spoken ? "said" : "result");
      } else if (part.type === "tool-call") {
        // Without the escapes of JSON, which would tear paths apart.
        for (const { value, isText } of argumentsOf(readArguments(part.args)))
          if (isText)
            read(bothEnds(value, MAX_RESULT_END), index, value.length > MAX_ARGUMENT ? "result" : "call");
      } else if (part.type === "tool-result") {
        for (const said of wordsInRefusal(part)) read(said, index, "user");
        for (const text of chosenAnswers(part))
          visit({ kind: "name", key: text.toLowerCase(), text, index, place: "user" });
        read(bothEnds(part.text, MAX_RESULT_END), index, "result");
      }
    }
  }
}

function* readableLines(text: string, prose: boolean): Generator<string> {
  for (const line of text.split("\n")) {
    if (line.length <= MAX_LINE) yield line;
    else if (prose) {
      for (let at = 0; at < line.length; ) {
        // Within the piece: in a line without blanks a search would go back to its beginning for every piece.
        const blank = line.slice(at, at + MAX_LINE + 1).lastIndexOf(" ");
        const end = at + (blank > 0 ? blank : MAX_LINE);
        yield line.slice(at, end);
        at = end;
      }
    }
  }
}
