import { stringifyDeep } from "../../core/deep-json.ts";
import { parseExact } from "../../core/exact-json.ts";
import { contentHash } from "../../core/hash.ts";
import type { Dialect, Message } from "../../core/types.ts";
import type { ConversationStore, StoredMessage } from "../../stores/server-store.ts";
import { wireOfDialect } from "../wires/index.ts";
import { type FoundAnswer, findAnswers, namesOf, type ShownAnswer } from "./find-hidden.ts";
import type { HiddenAnswer, HiddenAnswers, Known } from "./known.ts";
import type { ConversationMemory } from "./memory.ts";
import type { Recording } from "./recording.ts";
import { endOfAnswer, type Said } from "./same-answer.ts";
import type { Opening } from "./spill.ts";
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
  let isMissing = recording === undefined || hasUnstored || memory.hidden.hasForeign;
  try {
    stored = recording && (await storedAnswers(store, tenant, recording, opening.dialect));
  } catch (error) {
    onFailure(error);
    isMissing = true;
    stored = recording?.known.hidden;
  }
  const given = isMissing && !memory.hidden.isEmpty ? memory.hidden : undefined;
  if (!stored?.size && !given) return [];
  const answers = findAnswers(recordOf(request), (name) => [
    ...(given?.find(tenant, name) ?? []),
    ...(stored?.get(name) ?? []),
  ]);
  if (recording && given) complete(recording.known, answers);
  return answers;
}

/** What isn't in the store yet is known of the conversation from now on. */
function complete(known: Known, answers: readonly FoundAnswer[]): void {
  known.hidden ??= new Map();
  for (const { name, answer } of answers)
    if (!known.hidden.get(name)?.includes(answer)) add(known.hidden, name, answer);
}

interface HiddenParts {
  readonly store: Pick<ConversationStore, "read">;
  readonly memory: Pick<ConversationMemory, "hidden">;
  /** Answers wait for a store that doesn't take them. */
  readonly hasUnstored: boolean;
  onFailure(error: unknown): void;
}

/** A request whose conversation can't be looked up has no recording. */
interface HiddenRequest {
  readonly tenant: string;
  readonly recording: Recording | undefined;
  readonly opening: Opening;
}

async function storedAnswers(
  store: Pick<ConversationStore, "read">,
  tenant: string,
  { known, followsOurs, anchor }: Recording,
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
  return recording?.record ?? transcriptRecord(dialect, asked, contentHash);
}

/** An answer of which the client was shown only a part, for other processes of this server. */
export interface HiddenWord {
  readonly tenant: string;
  /** Names the messages before it. */
  readonly name: string;
  readonly dialect: string;
  /** What was shown and what is real, as JSON: numbers stay as they were written. */
  readonly answer: string;
}

/** A longer answer isn't told to others (characters). */
const MOST_TOLD = 1_000_000;

/** Tells other processes of an answer that the store didn't take: the client's next request may come to any of them. */
export function tellHidden(
  share: (word: HiddenWord) => void,
  { tenant, opening, recording }: HiddenRequest,
  { shown, real }: { readonly shown: readonly unknown[]; readonly real: readonly unknown[] },
): void {
  const { messages, start } = recordOf({ tenant, opening, recording });
  const answer = stringifyDeep([shown, real]);
  const name = namesOf(messages, start).at(-1)!;
  if (answer.length <= MOST_TOLD) share({ tenant, name, dialect: opening.dialect.id, answer });
}

/** Remembers what another process told. */
export function hearHidden(
  { memory }: Pick<HiddenParts, "memory">,
  { tenant, name, dialect, answer }: HiddenWord,
): void {
  const reading = wireOfDialect(dialect).dialect;
  const [shown, real] = parseExact(answer) as [readonly unknown[], readonly unknown[]];
  memory.hidden.hear(tenant, name, {
    shown: shown.map((wire): Said => ({ wire, message: reading.read(wire) })),
    real,
  });
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
    add(hidden, names[index]!, { shown: said.slice(index, endOfAnswer(messages, index)), real });
  }
  return hidden;
}

function hasResult({ parts }: Message): boolean {
  return parts.some(({ type }) => type === "tool-result");
}
