import { chainOf } from "../../core/chain.ts";
import { parseExact } from "../../core/exact-json.ts";
import { contentHash } from "../../core/hash.ts";
import type { Dialect } from "../../core/types.ts";
import type { StoredMessage } from "../../stores/server-store.ts";
import { ALIKE, compareAnswers, endOfAnswer, idOf, isReference, type Said } from "./same-answer.ts";
import type { TranscriptRecord } from "./transcript-record.ts";

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
export interface GoesOn {
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
export function goOn(
  record: TranscriptRecord,
  dialect: Dialect<unknown>,
  matched: number,
  tail: readonly StoredMessage[],
): GoesOn | undefined {
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
    // Nothing followed the newest answer yet: whatever the client says there is how it goes on.
    const isNewest = ours.to === tail.length && saysAnswer(record, matched + j);
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

/** Is there an answer among the first messages? Without one, chats merely begin with the same words. */
function saysAnswer({ messages, start }: TranscriptRecord, length: number): boolean {
  return messages.slice(start, start + length).some(({ role }) => role === "assistant");
}

/** What a message says, whatever its calls are called. */
function keyOf({ message }: Said): string {
  return chainOf([message], 0, contentHash)[1]!;
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
