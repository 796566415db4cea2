import { isJson, textOf } from "../../apis/shared/fields.ts";
import { isOnlyReasoning } from "../../core/rounds.ts";
import type { Message, ToolCallPart } from "../../core/types.ts";

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
export const ALIKE = 0.5;
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
export function isReference(wire: unknown): boolean {
  if (!isJson(wire)) return false;
  return (
    wire["type"] === "item_reference" ||
    (wire["type"] == null && wire["role"] === undefined && wire["parts"] === undefined)
  );
}

/** The id that the provider gave to an item. */
export function idOf(wire: unknown): string | undefined {
  return isJson(wire) ? textOf(wire["id"]) : undefined;
}

/** Where the answer that begins at a message ends. */
export function endOfAnswer(messages: readonly Pick<Message, "role">[], from: number): number {
  let end = from;
  while (messages[end]?.role === "assistant") end++;
  return end;
}
