import { sawOther } from "../../core/checkpoint.ts";
import { type Draft, isShown } from "../../core/draft.ts";
import { charsOf, saidText } from "../../core/message-text.ts";
import type { Pause } from "../../core/pause.ts";
import type { Message, RecalledPassage } from "../../core/types.ts";
import {
  type ConversationIndex,
  createConversationIndex,
  type MemoryIndex,
} from "../../recall/candidates.ts";
import { type Query, rank, readQuery } from "../../recall/rank.ts";
import { type Found, passagesFound } from "../../recall/search.ts";
import { typedText } from "../../summaries/material/user-words.ts";
import { type Quoted, quotedTokens, recalledMessage, recalledText } from "../read/quotations.ts";
import type { Operation } from "../read/survey.ts";
import { createTextRoom, type TextRoom } from "../read/transcript-reader.ts";
import {
  type Allowance,
  type Chosen,
  createQuoter,
  inBroadOrder,
  readAsked,
  withoutPhatic,
} from "./quoter.ts";

/** What one user message may have quoted: a share of the budget, and tokens. */
const SHARE = 0.05;
const MOST_TOKENS = 2_000;
/** What all user messages since the last compaction may have quoted together, as a share of the budget. */
const SHARE_OF_ALL = 0.15;

/** What one user message may have quoted where nobody says otherwise (tokens). */
export function recallAllowance(budget: number): number {
  return Math.min(Math.floor(budget * SHARE), MOST_TOKENS);
}

/** What is recalled for the newest user message. */
export interface RecallNow {
  readonly quoted: Omit<Quoted, "record"> & { readonly places: Quoted["record"]["passages"] };
  readonly passages: readonly RecalledPassage[];
}

/**
 * What the newest user message asks for and its view hides. Only at the beginning of a turn: later in it the model has
 * seen the view already, and its cache would be lost. Undefined if nothing is clearly relevant.
 */
export async function recallFor<M>(
  operation: Operation<M>,
  view: {
    readonly draft: Draft;
    readonly tokens: number;
    readonly quoted: readonly Quoted[];
    /** The view is made anew, so that nobody has its beginning in a cache. */
    readonly isNew: boolean;
  },
): Promise<RecallNow | undefined> {
  const { engine, survey } = operation;
  const { conversation, budget } = survey;
  const { structure, messages } = conversation;
  const { settings, dialect, recallIndexes } = engine;
  const newest = messages.length - 1;
  if (!settings.recall.auto || structure.lastUser !== newest || newest < structure.start) return undefined;
  if (view.draft.fates.every((fate) => fate.type === "keep")) return undefined;
  if (view.quoted.some(({ before }) => before === newest) || !isShown(view.draft.fates[newest]!))
    return undefined;
  // This very message was shown before, without quotations: they would change what stands before its end.
  if (!view.isNew && wasShown(operation)) return undefined;
  const quotedBefore = view.quoted.reduce((sum, { tokens }) => sum + tokens, 0);
  const allowance = Math.min(
    settings.recall.tokens ?? recallAllowance(budget.budget),
    Math.floor(budget.budget * SHARE_OF_ALL) - quotedBefore,
    Math.min(budget.budget, conversation.total) - view.tokens,
  );
  const tokensOf = (text: string): number =>
    quotedTokens(conversation, dialect.rules, { before: newest, text });
  const frame = tokensOf(recalledMessage([{ head: "#1", text: "", isSaid: true }]));
  if (allowance < 2 * frame) return undefined;
  const chosen = await chooseRecalled(
    {
      indexes: recallIndexes,
      conversation,
      draft: view.draft,
      quoted: view.quoted.map(({ text }) => text),
      allowance: allowance - frame,
    },
    operation.pause,
  );
  // Tokens of pieces don't add up exactly: what ranks lowest leaves until all of it fits.
  for (let length = chosen.length; length > 0; length--) {
    const kept = chosen.slice(0, length);
    const places = kept.map(({ place }) => place).sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
    const text = recalledText(places, messages, structure.start);
    if (text === undefined) return undefined;
    const tokens = tokensOf(text);
    if (tokens <= allowance)
      return {
        quoted: { before: newest, text, tokens, places },
        passages: kept.map(({ passage }) => passage),
      };
  }
  return undefined;
}

/** Was there a view of all of this transcript, by the state or because its compaction was made then? */
function wasShown<M>({ survey }: Operation<M>): boolean {
  const { chain, messages } = survey.conversation;
  const { checkpoint, state } = survey;
  const { last } = state;
  return (
    (last !== undefined && last.length === chain.length - 1 && chain[last.length] === last.hash) ||
    (checkpoint !== undefined && checkpoint.seen.messages >= messages.length && !sawOther(checkpoint, chain))
  );
}

/** Beside a passage that is clearly meant, others count that rank at least this high. */
const BESIDE_BEST = 0.35;
/** Messages that are looked at, best first. */
const MOST_LOOKED_AT = 80;

/** Chooses what to quote for the newest message, best first, for about an allowance of tokens. Empty if nothing is clearly relevant. */
export async function chooseRecalled(
  options: Allowance & { readonly indexes: RecallIndexes },
  pause: Pause,
): Promise<readonly Chosen[]> {
  const { messages, structure, chain } = options.conversation;
  const { start } = structure;
  const newest = messages.length - 1;
  const text = withoutPhatic(typedText(saidText(messages[newest]!)));
  const query = readQuery(text);
  if (query.terms.length === 0) return [];
  // The newest message itself would be found before everything else.
  const older = messages.slice(start, newest);
  return options.indexes.lend(
    chain[1] ?? "",
    older,
    (index) => chosenFrom(index, text, query, options, pause),
    pause,
  );
}

async function chosenFrom(
  index: MemoryIndex,
  text: string,
  query: Query,
  allowance: Allowance,
  pause: Pause,
): Promise<readonly Chosen[]> {
  await pause();
  const byWords = passagesFound(index, await rank(index, query, pause));
  await pause();
  const asked = readAsked(text, query, index, byWords);
  const { isTalk, wantsAll } = asked;
  const quoter = createQuoter(index, asked, allowance);
  /** Between people, what ranks above the first passage that is clearly meant: it counts beside that one. */
  const above: Found[] = [];
  let best: number | undefined;
  let looked = 0;
  for (const one of wantsAll ? inBroadOrder(index, byWords) : byWords) {
    await pause();
    if (quoter.isFull()) break;
    if (best !== undefined && !wantsAll && one.score < BESIDE_BEST * best) break;
    if (best === undefined && !wantsAll && !asked.isMeant(one)) {
      if (isTalk && above.length < MOST_LOOKED_AT) above.push(one);
      continue;
    }
    if (++looked > MOST_LOOKED_AT) break;
    if (!quoter.take(one) || best !== undefined) continue;
    best = one.score;
    for (const higher of above) {
      await pause();
      if (quoter.isFull()) break;
      quoter.take(higher);
    }
  }
  return quoter.chosen;
}

/** What a term of an index takes in memory beside its texts, as characters. */
const TERM_CHARS = 40;

/** Indexes of the conversations that were used last, each as far as its transcript has grown. */
export interface RecallIndexes {
  /**
   * Works with the index of a conversation's messages after the leading system messages. An index is lent to one at a time: whoever
   * comes meanwhile, with another end of the same conversation perhaps, has one of its own.
   */
  lend<T>(
    name: string,
    messages: readonly Message[],
    work: (index: MemoryIndex) => Promise<T>,
    pause: Pause,
  ): Promise<T>;
}

export function createRecallIndexes(room: TextRoom = createTextRoom()): RecallIndexes {
  const known = new Map<string, ConversationIndex<Message>>();
  const lent = new Set<ConversationIndex<Message>>();
  return {
    async lend(name, messages, work, pause) {
      const before = known.get(name);
      const one =
        before && !lent.has(before)
          ? before
          : createConversationIndex<Message>({ read: (message) => message });
      if (before && before !== one) room.leave(before);
      known.set(name, one);
      lent.add(one);
      try {
        await one.update(messages, pause);
        // Passages are cut from the texts and keep them in memory.
        const chars = messages.reduce((sum, message) => sum + charsOf(message), one.index.size * TERM_CHARS);
        if (known.get(name) === one)
          room.take(one, chars, () => {
            room.leave(one);
            if (known.get(name) === one) known.delete(name);
          });
        return await work(one.index);
      } finally {
        lent.delete(one);
      }
    },
  };
}
