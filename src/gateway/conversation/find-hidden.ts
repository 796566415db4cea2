import { createChain } from "../../core/chain.ts";
import { contentHash } from "../../core/hash.ts";
import { isOnlyReasoning } from "../../core/rounds.ts";
import type { Message } from "../../core/types.ts";
import type { HiddenAnswer } from "./known.ts";
import type { ConversationMemory } from "./memory.ts";
import { compareAnswers, endOfAnswer, type Said } from "./same-answer.ts";
import type { TranscriptRecord } from "./transcript-record.ts";

/** An answer in a transcript of which the client was shown only a part. */
export interface ShownAnswer {
  /** The client's own messages of it, as they came. */
  readonly shown: readonly object[];
  readonly real: readonly unknown[];
}

export interface FoundAnswer extends ShownAnswer {
  /** Where it begins in the transcript, and what names the messages before it. */
  readonly from: number;
  readonly name: string;
  readonly answer: HiddenAnswer;
}

/** Finds such answers by what names the messages before them. */
export function findAnswers(
  { messages, wire, start }: TranscriptRecord,
  hiddenAt: (name: string) => readonly HiddenAnswer[],
): readonly FoundAnswer[] {
  const names = namesOf(messages, start);
  const answers: FoundAnswer[] = [];
  for (let from = start; from < messages.length; from++) {
    const isAnswer = messages[from]!.role === "assistant" && messages[from - 1]?.role !== "assistant";
    const name = names[from]!;
    const candidates = isAnswer ? hiddenAt(name) : [];
    if (candidates.length === 0) continue;
    const to = endOfAnswer(messages, from);
    const said = messages.slice(from, to).map((message, at): Said => ({ message, wire: wire[from + at] }));
    // A client that changed the answer means what it says.
    const found = candidates.findLast(({ shown }) => compareAnswers(shown, said).isSame);
    if (!found) continue;
    const shown = said.map(({ wire: message }) => message as object);
    answers.push({ from, name, answer: found, shown, real: found.real });
  }
  return answers;
}

/** Those that this node gave itself, by where they begin in the transcript. */
export function givenAnswersIn(
  { hidden }: Pick<ConversationMemory, "hidden">,
  tenant: string,
  record: TranscriptRecord,
): ReadonlyMap<number, ShownAnswer["real"]> {
  if (hidden.isEmpty) return new Map();
  return new Map(
    findAnswers(record, (name) => hidden.find(tenant, name)).map(({ from, real }) => [from, real]),
  );
}

/** `names[n]` names the messages before the n-th. Leading system messages aren't part of it. */
export function namesOf(messages: readonly Message[], start: number): readonly string[] {
  const chain = createChain(contentHash);
  const names: string[] = [];
  for (const [index, message] of messages.entries()) {
    names.push(chain.hashes.at(-1)!);
    if (index >= start && !isOnlyReasoning(message)) chain.add(message);
  }
  return [...names, chain.hashes.at(-1)!];
}
