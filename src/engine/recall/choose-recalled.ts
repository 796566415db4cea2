import { saidText } from "../../core/message-text.ts";
import type { Pause } from "../../core/pause.ts";
import type { MemoryIndex } from "../../recall/memory-index.ts";
import { type Query, readQuery } from "../../recall/query.ts";
import { rank } from "../../recall/rank.ts";
import { type Found, passagesFound } from "../../recall/search.ts";
import { typedText } from "../../summaries/user-words.ts";
import { readAsked } from "./asked.ts";
import { inBroadOrder } from "./broad-question.ts";
import { type Allowance, type Chosen, createQuoter } from "./quoter.ts";
import type { RecallIndexes } from "./recall-indexes.ts";
import { withoutPhatic } from "./without-phatic.ts";

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
    older,
    chain.slice(0, newest - start + 1),
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
