import type { ProbeCase } from "../../src/eval/types.ts";
import { contentWords } from "../../src/eval/words.ts";
import { gatherCandidates } from "../../src/recall/candidates.ts";
import { rank, readQuery } from "../../src/recall/rank.ts";
import type { ServerStore } from "../../src/stores/server-store.ts";

const K1 = 1.2;
const B = 0.75;

/** Plain BM25 over whole messages: what most programs that search a chat have. */
export function bm25({ messages }: Pick<ProbeCase, "messages">): (question: string) => readonly number[] {
  const counts = messages.map(({ content }) => {
    const words = new Map<string, number>();
    for (const word of contentWords(content)) words.set(word, (words.get(word) ?? 0) + 1);
    return words;
  });
  const lengths = counts.map((words) => [...words.values()].reduce((sum, count) => sum + count, 0));
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  const frequency = new Map<string, number>();
  for (const words of counts)
    for (const word of words.keys()) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  return (question) => {
    const scores = messages.map(() => 0);
    for (const word of new Set(contentWords(question))) {
      const found = frequency.get(word);
      if (found === undefined) continue;
      const worth = Math.log(1 + (messages.length - found + 0.5) / (found + 0.5));
      for (const [at, words] of counts.entries()) {
        const count = words.get(word) ?? 0;
        if (count > 0)
          scores[at]! += (worth * count * (K1 + 1)) / (count + K1 * (1 - B + (B * lengths[at]!) / mean));
      }
    }
    return [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b);
  };
}

/** Candidates that a search asks an index for. */
const CANDIDATES = 400;
const TENANT = "bench";

let stored = 0;

/** Ranks the messages of a conversation by what the index of a database finds in it. */
export async function byStore(
  store: Pick<ServerStore, "conversations" | "recallIndex">,
  { messages }: ProbeCase,
): Promise<(question: string) => Promise<readonly number[]>> {
  const name = stored++;
  const { conversation } = await store.conversations.append(TENANT, {
    messages: messages.map(({ role, content }, at) => ({
      hash: `${name}/${at}`,
      role: role === "user" ? "user" : "assistant",
      wire: JSON.stringify({ role, content }),
      at,
    })),
    dialect: "openai-chat",
    isNew: true,
    session: `${name}`,
    at: name,
  });
  const index = store.recallIndex(TENANT, { conversation });
  return async (question) => {
    const query = readQuery(question);
    const { messages: found, statistics } = await index.candidates({
      terms: query.terms,
      limit: CANDIDATES,
    });
    const candidates = gatherCandidates(found, query.terms, statistics);
    return (await rank(candidates, query, async () => {})).map(({ of }) => candidates.messages[of]!.index);
  };
}
