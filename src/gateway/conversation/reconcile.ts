import { isJson, textOf } from "../../apis/shared/fields.ts";
import { chainOf } from "../../core/chain.ts";
import { parseExact } from "../../core/json.ts";
import { isOnlyReasoning } from "../../core/rounds.ts";
import type { Dialect, Message, ToolCallPart } from "../../core/types.ts";
import type { StoredMessage } from "../../stores/server-store.ts";
import { saysAnswer, type TranscriptRecord } from "./transcript-record.ts";

/** What is stored of a message that the client wrote in another way, beside its words. */
interface Rewritten {
  readonly rewritten?: true;
  /** All that the model said and was answered, where the client was shown only a part. */
  readonly given?: readonly string[];
  /** The id of the answer that ends here. */
  readonly answer?: string;
  /** The item itself, where the client only names it. */
  readonly wire?: string;
  /** When it was first said. */
  readonly at?: number;
}

/** How a request goes on with a conversation that says an answer otherwise than the client does. */
export interface Reconciled {
  /** Messages of the transcript that are in the conversation, in the client's words or in the provider's. */
  readonly matched: number;
  /** The first message of the transcript that is to be stored. */
  readonly from: number;
  /** Chain hash of the stored message that it follows. */
  readonly after: string;
  /** Messages that the client rewrote, and those behind them, by their index in the transcript: another branch. */
  readonly rewritten: ReadonlyMap<number, Rewritten>;
  /** Chain hash of the newest stored message. */
  readonly newest: string;
  /** How much the answers have in common, from 0 to 1. */
  readonly share: number;
  /** Ids say that the answers are the same. */
  readonly isCertain: boolean;
}

/** Neighbouring messages, `from` ≤ index < `to`. */
interface Run {
  readonly from: number;
  readonly to: number;
}

/** Longer messages aren't compared (characters): no model writes as much, and reading one for every request takes long. */
const LONGEST_COMPARED = 4_000_000;

/**
 * Lays what a conversation holds behind `matched` messages of a transcript beside what the transcript says there. What
 * clients wrote themselves must be the same; an answer may come back otherwise. Where both go different ways behind such an
 * answer, that is where a branch begins. Undefined if they have no answer in common.
 */
export function reconcile(
  record: TranscriptRecord,
  dialect: Dialect<unknown>,
  matched: number,
  tail: readonly StoredMessage[],
): Reconciled | undefined {
  const { chain, messages, wire, start } = record;
  const stored = createStored(dialect, tail);
  const said = messages.slice(start + matched);
  const asked = said.map((message, index): Said => ({ message, wire: wire[start + matched + index] }));
  const pairs: { readonly ours: Run; readonly theirs: Run; readonly isSame: boolean }[] = [];
  let [i, j, share] = [0, 0, 1];
  let isCertain = true;
  let answers = 0;
  while (i < tail.length && j < asked.length) {
    if (pairs.length === 0 && tail[i]!.hash === chain[matched + j + 1]) {
      i++;
      j++;
      continue;
    }
    if (tail[i]!.wire.length > LONGEST_COMPARED) break;
    const ours = { from: i, to: endOfAnswer(tail, i) };
    const theirs = { from: j, to: endOfAnswer(said, j) };
    if (ours.to === i && theirs.to === j) {
      if (keyOf(stored.at(i)) !== keyOf(asked[j]!)) break;
      pairs.push({ ours: { from: i, to: ++i }, theirs: { from: j, to: ++j }, isSame: true });
      continue;
    }
    if (ours.to === i && theirs.to > j) {
      // Some clients end each request with a message that no later one has: its answer stands behind the message before it then.
      const behind = { from: i + 1, to: endOfAnswer(tail, i + 1) };
      if (behind.to === behind.from) break;
      const answer = compareAnswers(stored.run(behind), asked.slice(j, theirs.to));
      if (answer.share < ALIKE) break;
      answers++;
      share = Math.min(share, answer.share);
      isCertain &&= answer.isCertain;
      pairs.push({ ours: { from: i, to: behind.to }, theirs, isSame: false });
      i = behind.to;
      j = theirs.to;
      continue;
    }
    if (ours.to === i || theirs.to === j) break;
    const likeness = compareAnswers(stored.run(ours), asked.slice(j, theirs.to));
    // Without an answer before it, chats merely begin with the same words. Nothing followed the newest answer yet: whatever the client says there is how it goes on.
    const isNewest = ours.to === tail.length && saysAnswer(record, 0, matched + j);
    if (likeness.share < ALIKE && !isNewest) break;
    answers++;
    share = Math.min(share, likeness.share);
    isCertain &&= likeness.isCertain;
    pairs.push({ ours, theirs, isSame: likeness.isSame });
    i = ours.to;
    j = theirs.to;
  }
  if (answers === 0) return undefined;
  const at = pairs.findIndex(({ isSame }) => !isSame);
  const newest = tail[i - 1]?.hash ?? chain[matched]!;
  const common = { matched: matched + j, newest, share, isCertain };
  const first = pairs[at];
  if (!first) return { ...common, from: matched + j, after: newest, rewritten: new Map() };
  return {
    ...common,
    from: matched + first.theirs.from,
    after: tail[first.ours.from - 1]?.hash ?? chain[matched]!,
    rewritten: new Map(
      pairs.slice(at).flatMap(({ ours, theirs, isSame }) =>
        rewrittenOf(tail.slice(ours.from, ours.to), {
          given: stored.run(ours),
          said: asked.slice(theirs.from, theirs.to),
          isSame,
        }).map((one, index) => [matched + theirs.from + index, one] as const),
      ),
    ),
  };
}

/** Stored messages, each read when it is first asked for: mostly the first ones tell that the rest needn't be, however long it is. */
function createStored(dialect: Dialect<unknown>, tail: readonly StoredMessage[]) {
  const read: Said[] = [];
  const at = (index: number): Said => {
    const known = read[index];
    if (known) return known;
    const wire = parseExact(tail[index]!.wire);
    const said = { message: dialect.read(wire), wire };
    read[index] = said;
    return said;
  };
  return {
    at,
    run: ({ from, to }: Run): readonly Said[] => Array.from({ length: to - from }, (_, n) => at(from + n)),
  };
}

/** What a message says, whatever its calls are called. */
function keyOf({ message }: Said): string {
  return chainOf([message], 0)[1]!;
}

/** For each message of the client's that stands beside others. */
function rewrittenOf(
  tail: readonly StoredMessage[],
  {
    given,
    said,
    isSame,
  }: { readonly given: readonly Said[]; readonly said: readonly Said[]; readonly isSame: boolean },
): Rewritten[] {
  const hidden = tail.flatMap((message) => message.given ?? []);
  const answer = tail.findLast((message) => message.answer !== undefined)?.answer;
  return said.map(({ wire }, index) => {
    const named = isReference(wire) ? given.findIndex((one) => idOf(one.wire) === idOf(wire)) : -1;
    return {
      at: (tail[index] ?? tail.at(-1))!.at,
      ...(!isSame && { rewritten: true }),
      ...(hidden.length > 0 && index === 0 && { given: hidden }),
      ...(answer !== undefined && index === said.length - 1 && { answer }),
      ...(named !== -1 && { wire: tail[named]!.wire }),
    };
  });
}

/** A message as it was read, beside its wire form. */
export interface Said {
  readonly message: Message;
  readonly wire: unknown;
}

/** How an answer that a client sends stands to one that was given in its place. */
export interface Likeness {
  /** From 0 (nothing in common) to 1. */
  readonly share: number;
  /** The client left out reasoning at most, or only names what it was given: what is stored says all of it. */
  readonly isSame: boolean;
  /** Ids say that it is this one. */
  readonly isCertain: boolean;
}

/** An answer that shares less than this with what was given is another one. */
const ALIKE = 0.5;
/** Characters of an answer that are compared. */
const COMPARED_CHARS = 20_000;
/** Words; in scripts that don't part them, signs. */
const WORDS =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]|[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu;

/** Compares what a client sends with what was given. Neither is empty. */
export function compareAnswers(given: readonly Said[], said: readonly Said[]): Likeness {
  const ids = new Set(given.flatMap(({ wire }) => idOf(wire) ?? []));
  const named = new Set(said.flatMap(({ wire }) => (isReference(wire) ? (idOf(wire) ?? []) : [])));
  const isNamed = [...named].some((id) => ids.has(id));
  // What is only named is the same; what is left is compared.
  const left = given.filter(({ wire }) => !named.has(idOf(wire) ?? ""));
  const rest = said.filter(({ wire }) => !(isReference(wire) && ids.has(idOf(wire) ?? "")));
  if (saysTheSame(left, rest)) return { share: 1, isSame: true, isCertain: true };
  const hasId = said.some(({ wire }) => ids.has(idOf(wire) ?? ""));
  const calls = new Set(callsOf(given).flatMap(({ id }) => (id === "" ? [] : id)));
  const isCalled = callsOf(said).some(({ id }) => calls.has(id));
  if (isNamed || hasId || isCalled) return { share: 1, isSame: false, isCertain: true };
  return { share: shareOf(given, said), isSame: false, isCertain: false };
}

/** Do two answers say the same? Reasoning is left out: clients drop it. */
function saysTheSame(one: readonly Said[], other: readonly Said[]): boolean {
  return (
    wordsOf(one) === wordsOf(other) &&
    areAlike(callsOf(one), callsOf(other), isSameCall) &&
    areAlike(othersOf(one), othersOf(other), (a, b) => a === b)
  );
}

function areAlike<T>(ours: readonly T[], theirs: readonly T[], isAlike: (a: T, b: T) => boolean): boolean {
  return ours.length === theirs.length && ours.every((part, index) => isAlike(part, theirs[index]!));
}

/** Longer arguments are compared as they are; others without their spaces (characters). */
const MOST_ARGS = 1_000_000;

function isSameCall(a: ToolCallPart, b: ToolCallPart): boolean {
  if (a.name !== b.name) return false;
  if (a.args === b.args) return true;
  return a.args.length <= MOST_ARGS && b.args.length <= MOST_ARGS && callText(a) === callText(b);
}

/** What of an answer is neither text nor call. */
function othersOf(answer: readonly Said[]): readonly string[] {
  return answer
    .filter(({ message }) => !isOnlyReasoning(message))
    .flatMap(({ message }) => message.parts)
    .flatMap((part) => {
      if (part.type === "other") return [part.comesBackAs ?? part.json];
      return part.type === "image" || part.type === "file" ? [part.source] : [];
    });
}

function shareOf(given: readonly Said[], said: readonly Said[]): number {
  const [ours, theirs] = [callsOf(given), callsOf(said)];
  if (ours.length > 0 && theirs.length > 0) {
    const known = new Set(ours.map(callText));
    if (theirs.some((call) => known.has(callText(call)))) return 1;
    if (names(ours) === names(theirs)) return ALIKE;
  }
  return likenessOf(wordsOf(given), wordsOf(said), theirs.length > 0);
}

function likenessOf(given: string, said: string, hasCalls: boolean): number {
  if (given === said) return given === "" ? 0 : 1;
  // To say nothing is no other answer.
  if (said === "") return hasCalls ? 0 : ALIKE;
  if (given === "") return 0;
  if (given.includes(said) || said.includes(given)) return 1;
  const words = new Map<string, number>();
  const ours = given.match(WORDS) ?? [];
  const theirs = said.match(WORDS) ?? [];
  for (const word of ours) words.set(word, (words.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of theirs) {
    const left = words.get(word) ?? 0;
    if (left === 0) continue;
    words.set(word, left - 1);
    common++;
  }
  return (2 * common) / Math.max(1, ours.length + theirs.length);
}

function wordsOf(answer: readonly Said[]): string {
  return answer
    .flatMap(({ message }) => message.parts)
    .flatMap((part) => (part.type === "text" ? part.text.slice(0, COMPARED_CHARS) : []))
    .join(" ")
    .slice(0, COMPARED_CHARS)
    .replace(/\s+/g, " ")
    .trim();
}

function callsOf(answer: readonly Said[]): readonly ToolCallPart[] {
  return answer
    .flatMap(({ message }) => message.parts)
    .filter((part): part is ToolCallPart => part.type === "tool-call");
}

function callText({ name, args }: ToolCallPart): string {
  return `${name} ${args.length > MOST_ARGS ? args : args.replace(/\s+/g, "")}`;
}

function names(calls: readonly ToolCallPart[]): string {
  return calls.map(({ name }) => name).join(" ");
}

/** A Responses item that stands for one which the provider keeps. */
function isReference(wire: unknown): boolean {
  if (!isJson(wire)) return false;
  return (
    wire["type"] === "item_reference" ||
    (wire["type"] == null && wire["role"] === undefined && wire["parts"] === undefined)
  );
}

/** The id that the provider gave to an item. */
function idOf(wire: unknown): string | undefined {
  return isJson(wire) ? textOf(wire["id"]) : undefined;
}

/** Where the answer that begins at a message ends. */
export function endOfAnswer(messages: readonly Pick<Message, "role">[], from: number): number {
  let end = from;
  while (messages[end]?.role === "assistant") end++;
  return end;
}
