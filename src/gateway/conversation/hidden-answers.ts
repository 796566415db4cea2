import { createChain } from "../../core/chain.ts";
import { parseExact } from "../../core/exact-json.ts";
import { contentHash } from "../../core/hash.ts";
import { isOnlyReasoning } from "../../core/rounds.ts";
import type { Dialect, Message } from "../../core/types.ts";
import type { ConversationStore, StoredMessage } from "../../stores/server-store.ts";
import type { HiddenAnswer, HiddenAnswers, Known } from "./known.ts";
import type { Recording } from "./recording.ts";
import { compareAnswers, endOfAnswer, type Said } from "./same-answer.ts";

/** Such an answer in a transcript. */
export interface ShownAnswer {
  /** The client's own messages of it, as they came. */
  readonly shown: readonly object[];
  readonly real: readonly unknown[];
}

/**
 * The answers in a request's transcript that were more than the client was shown. They are kept with the stored messages, so that every
 * node finds them; one that served the conversation's last request has them in memory.
 */
export async function hiddenAnswersIn(
  store: Pick<ConversationStore, "read">,
  tenant: string,
  recording: Recording,
  dialect: Dialect<unknown>,
): Promise<readonly ShownAnswer[]> {
  const { known, record } = recording;
  const isKnown = known.hidden !== undefined && recording.followsOurs;
  if (!isKnown && known.id !== undefined)
    known.hidden = readHidden(await store.read(tenant, known.id), dialect);
  const { hidden } = known;
  return hidden && hidden.size > 0 ? findAnswers(record, hidden) : [];
}

/** Remembers an answer of which the client was shown only a part. */
export function keepHidden(
  known: Known,
  { record, dialect }: { readonly record: Recording["record"]; readonly dialect: Dialect<unknown> },
  answer: { readonly shown: readonly unknown[]; readonly real: readonly unknown[] },
): void {
  const name = namesOf(record.messages, record.start).at(-1)!;
  known.hidden ??= new Map();
  add(known.hidden, name, {
    shown: answer.shown.map((wire): Said => ({ wire, message: dialect.read(wire) })),
    real: answer.real,
  });
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

function findAnswers(
  { messages, wire, start }: Recording["record"],
  hidden: HiddenAnswers,
): readonly ShownAnswer[] {
  const names = namesOf(messages, start);
  const answers: ShownAnswer[] = [];
  for (let from = start; from < messages.length; from++) {
    const isAnswer = messages[from]!.role === "assistant" && messages[from - 1]?.role !== "assistant";
    const candidates = isAnswer ? hidden.get(names[from]!) : undefined;
    if (!candidates) continue;
    const to = endOfAnswer(messages, from);
    const said = messages.slice(from, to).map((message, at): Said => ({ message, wire: wire[from + at] }));
    // A client that changed the answer means what it says.
    const found = candidates.findLast(({ shown }) => compareAnswers(shown, said).isSame);
    if (found) answers.push({ shown: said.map(({ wire: message }) => message as object), real: found.real });
  }
  return answers;
}

/** `names[n]` names the messages before the n-th. Leading system messages aren't part of it. */
function namesOf(messages: readonly Message[], start: number): readonly string[] {
  const chain = createChain(contentHash);
  const names: string[] = [];
  for (const [index, message] of messages.entries()) {
    names.push(chain.hashes.at(-1)!);
    if (index >= start && !isOnlyReasoning(message)) chain.add(message);
  }
  return [...names, chain.hashes.at(-1)!];
}

function hasResult({ parts }: Message): boolean {
  return parts.some(({ type }) => type === "tool-result");
}
