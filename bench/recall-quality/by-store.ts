import type { ProbeCase } from "../../src/eval/types.ts";
import { gatherCandidates } from "../../src/recall/candidates.ts";
import { rank, readQuery } from "../../src/recall/rank.ts";
import type { ServerStore } from "../../src/stores/server-store.ts";

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
