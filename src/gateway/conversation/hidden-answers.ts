import { createChain } from "../../core/chain.ts";
import { parseExact } from "../../core/json.ts";
import { isOnlyReasoning } from "../../core/rounds.ts";
import type { Dialect, Message, ToolCallPart } from "../../core/types.ts";
import { quotedNumbers, readInput } from "../../recall/recall-tool.ts";
import type { ConversationStore, StoredMessage } from "../../stores/server-store.ts";
import type { Lookup } from "../api.ts";
import { hostedName } from "../wires/gateway-tools.ts";
import type { ConversationCacheEntry, ConversationMemory, HiddenAnswer, HiddenAnswers } from "./memory.ts";
import { compareAnswers, endOfAnswer, type Said } from "./reconcile.ts";
import type { Opening, Recording } from "./recording.ts";
import { type TranscriptRecord, transcriptRecord } from "./transcript-record.ts";

/**
 * The answers in a request's transcript that were more than the client was shown. They are kept with the stored messages, so that every
 * node finds them; one that served the conversation's last request has them in memory. What the store can't give, or doesn't have yet
 * because it failed before, is known to the node that gave the answer.
 */
export async function hiddenAnswersIn(
  { store, memory, hasUnstored, onFailure }: HiddenParts,
  request: HiddenRequest,
): Promise<readonly ShownAnswer[]> {
  const { tenant, recording, opening } = request;
  let stored: HiddenAnswers | undefined;
  // What one request couldn't look up may be in the store when the next one asks, and the other way round.
  let isMissing = recording?.known.id === undefined || hasUnstored;
  try {
    stored = recording && (await storedAnswers(store, tenant, recording, opening.dialect));
  } catch (error) {
    onFailure(error);
    isMissing = true;
    stored = recording?.known.hidden;
  }
  const given = isMissing && !memory.hidden.isEmpty() ? memory.hidden : undefined;
  if (!stored?.size && !given) return [];
  const answers = findAnswers(recordOf(request), (name) => [
    ...(given?.find(tenant, name) ?? []),
    ...(stored?.get(name) ?? []),
  ]);
  if (recording && given) complete(recording.known, answers);
  return answers;
}

/** What isn't in the store yet is known of the conversation from now on. */
function complete(known: ConversationCacheEntry, answers: readonly FoundAnswer[]): void {
  known.hidden ??= new Map();
  for (const { name, answer } of answers)
    if (!known.hidden.get(name)?.includes(answer)) add(known.hidden, name, answer);
}

interface HiddenParts {
  readonly store: Pick<ConversationStore, "read">;
  readonly memory: Remembered;
  /** Answers wait for a store that doesn't take them. */
  readonly hasUnstored: boolean;
  onFailure(error: unknown): void;
}

/** A request whose conversation can't be looked up has no recording. */
interface HiddenRequest {
  readonly tenant: string;
  readonly recording: RecordedPart | undefined;
  readonly opening: Pick<Opening, "dialect" | "asked">;
}

type RecordedPart = Pick<Recording, "known" | "record" | "followsOurs" | "anchor">;

type Remembered = Pick<ConversationMemory, "hidden">;

async function storedAnswers(
  store: Pick<ConversationStore, "read">,
  tenant: string,
  { known, followsOurs, anchor }: RecordedPart,
  dialect: Dialect<unknown>,
): Promise<HiddenAnswers | undefined> {
  const isKnown = known.hidden !== undefined && followsOurs;
  // Of its own branch, whichever is the active one.
  if (!isKnown && known.id !== undefined)
    known.hidden = readHidden(
      await store.read(tenant, known.id, anchor === undefined ? {} : { leaf: anchor }),
      dialect,
    );
  return known.hidden;
}

function recordOf({ recording, opening: { dialect, asked } }: HiddenRequest): TranscriptRecord {
  return recording?.record ?? transcriptRecord(dialect, asked);
}

/** Remembers an answer of which the client was shown only a part. */
export function keepHidden(
  { memory }: Pick<HiddenParts, "memory">,
  request: HiddenRequest,
  answer: { readonly shown: readonly unknown[]; readonly real: readonly unknown[] },
): void {
  const { tenant, recording, opening } = request;
  const { messages, start } = recordOf(request);
  const name = namesOf(messages, start).at(-1)!;
  const hidden: HiddenAnswer = {
    shown: answer.shown.map((wire): Said => ({ wire, message: opening.dialect.read(wire) })),
    real: answer.real,
  };
  memory.hidden.keep(tenant, name, hidden, recording?.known);
  if (!recording) return;
  recording.known.hidden ??= new Map();
  add(recording.known.hidden, name, hidden);
}

/** Answers with the same words before them are told apart by their own: a client may ask once more. */
function add(hidden: HiddenAnswers, name: string, answer: HiddenAnswer): void {
  hidden.set(name, [...(hidden.get(name) ?? []), answer]);
}

/** All that the model said and was answered, of what was given beside a stored answer; undefined if that holds no hidden rounds. */
export function hiddenRoundsOf(
  given: StoredMessage["given"],
  dialect: Dialect<unknown>,
): readonly unknown[] | undefined {
  const real = given?.map(parseExact);
  // An answer that a client only says otherwise holds no results.
  return real?.some((message) => hasResult(dialect.read(message))) ? real : undefined;
}

/** Where an answer that was given ends: what a client added behind it came with a later request. */
export function endOfGiven(stored: readonly StoredMessage[], from: number): number {
  const end = endOfAnswer(stored, from);
  const next = stored.slice(from, end).findIndex(({ at }) => at !== stored[from]!.at);
  return next === -1 ? end : from + next;
}

function readHidden(stored: readonly StoredMessage[], dialect: Dialect<unknown>): HiddenAnswers {
  const hidden: HiddenAnswers = new Map();
  if (!stored.some(({ given }) => given !== undefined)) return hidden;
  const said = stored.map(({ wire }): Said => {
    const parsed = parseExact(wire);
    return { wire: parsed, message: dialect.read(parsed) };
  });
  const messages = said.map(({ message }) => message);
  const names = namesOf(messages, 0);
  for (const [index, { given }] of stored.entries()) {
    const real = hiddenRoundsOf(given, dialect);
    if (!real) continue;
    const answer = { shown: said.slice(index, endOfGiven(stored, index)), real };
    add(hidden, names[index]!, answer);
    // A client that says earlier answers in other words names what came behind them by those.
    const before = stored[index - 1]?.hash;
    if (before !== undefined && before !== names[index]) add(hidden, before, answer);
  }
  return hidden;
}

function hasResult({ parts }: Message): boolean {
  return parts.some(({ type }) => type === "tool-result");
}

/** An answer in a transcript of which the client was shown only a part. */
export interface ShownAnswer {
  /** The client's own messages of it, as they came. */
  readonly shown: readonly object[];
  readonly real: readonly unknown[];
}

interface FoundAnswer extends ShownAnswer {
  /** What names the messages before it. */
  readonly name: string;
  readonly answer: HiddenAnswer;
}

/** Finds such answers by what names the messages before them. */
function findAnswers(
  { messages, wire, start, chain }: TranscriptRecord,
  hiddenAt: (name: string) => readonly HiddenAnswer[],
): readonly FoundAnswer[] {
  const names = namesOf(messages, start);
  const answers: FoundAnswer[] = [];
  for (let from = start; from < messages.length; from++) {
    const isAnswer = messages[from]!.role === "assistant" && messages[from - 1]?.role !== "assistant";
    const name = names[from]!;
    const stored = chain[from - start]!;
    const candidates = isAnswer ? [...(stored === name ? [] : hiddenAt(stored)), ...hiddenAt(name)] : [];
    if (candidates.length === 0) continue;
    const to = endOfAnswer(messages, from);
    const said = messages.slice(from, to).map((message, at): Said => ({ message, wire: wire[from + at] }));
    // A client that changed the answer means what it says.
    const found = candidates.findLast(({ shown }) => partOf(said, shown));
    if (!found) continue;
    const shown = partOf(said, found.shown)!.map(({ wire: message }) => message as object);
    answers.push({ name, answer: found, shown, real: found.real });
  }
  return answers;
}

/** What of a client's neighbouring answers says an answer that was shown: all of it, or what stands before answers of its own. */
function partOf(said: readonly Said[], shown: readonly Said[]): readonly Said[] | undefined {
  if (compareAnswers(shown, said).isSame) return said;
  const isSaid = ({ message }: Said): boolean => !isOnlyReasoning(message);
  const last = said.filter(isSaid)[shown.filter(isSaid).length - 1];
  const part = said.slice(0, last ? said.indexOf(last) + 1 : 0);
  return part.length > 0 && compareAnswers(shown, part).isSame ? part : undefined;
}

/** `names[n]` names the messages before the n-th. Leading system messages aren't part of it. */
function namesOf(messages: readonly Message[], start: number): readonly string[] {
  const chain = createChain();
  const names: string[] = [];
  for (const [index, message] of messages.entries()) {
    names.push(chain.hashes.at(-1)!);
    if (index >= start && !isOnlyReasoning(message)) chain.add(message);
  }
  return [...names, chain.hashes.at(-1)!];
}

/** What a call looked up and was answered; undefined if it is a call of something else. `lead`: leading system messages. */
export function lookupOf({ name, args }: ToolCallPart, result: string, lead: number): Lookup | undefined {
  if (name !== hostedName("recall")) return undefined;
  const { query, messages } = readInput(args) ?? {};
  const found = quotedNumbers(result).map((number) => number - 1 - lead);
  return { query: messages ?? query ?? "", found: found.filter((index) => index >= 0) };
}

/** What the model looked up before it gave a stored answer. */
export function lookupsBeside(
  given: StoredMessage["given"],
  dialect: Dialect<unknown>,
  lead: number,
): readonly Lookup[] {
  const parts = (hiddenRoundsOf(given, dialect) ?? []).flatMap((message) => dialect.read(message).parts);
  const open: ToolCallPart[] = [];
  const lookups: Lookup[] = [];
  for (const part of parts) {
    if (part.type === "tool-call") open.push(part);
    if (part.type !== "tool-result") continue;
    const at = open.findIndex(({ id, name }) => (part.byName ? name === part.name : id === part.id));
    const [call] = at < 0 ? [] : open.splice(at, 1);
    const lookup = call && lookupOf(call, part.text, lead);
    if (lookup) lookups.push(lookup);
  }
  return lookups;
}
