import type { FoundMessage, RecallIndex } from "../../recall/candidates.ts";
import type { Conversation } from "../../stores/server-store.ts";

/**
 * The index of a tenant without what isn't to be found. Forks share messages: one that is found in each of them would be
 * one answer in the place of several, so it is taken from the first.
 */
export function conversationsIndex(
  index: RecallIndex,
  find: (id: string) => Promise<Conversation | undefined>,
): RecallIndex {
  return {
    async candidates(query) {
      const { statistics, messages } = await index.candidates(query);
      const ids = new Set(messages.map(({ conversation }) => conversation ?? ""));
      const found = new Set<string>();
      for (const id of ids) if (await find(id)) found.add(id);
      const toFind = messages.filter(({ conversation }) => found.has(conversation ?? ""));
      const tools = toolNames(toFind);
      const seen = new Set<string>();
      return {
        statistics,
        messages: toFind.flatMap((one): FoundMessage[] => {
          const key = `${one.index} ${JSON.stringify(one.message)}`;
          if (seen.has(key)) return [];
          seen.add(key);
          const toolOf = (call: string) => one.toolOf?.(call) ?? tools.get(`${one.conversation} ${call}`);
          return [{ ...one, toolOf }];
        }),
      };
    },
  };
}

/** Tools by conversation and call: a result rarely stands far from its call. */
function toolNames(messages: readonly FoundMessage[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { conversation, message } of messages)
    for (const part of message.parts)
      if (part.type === "tool-call") names.set(`${conversation} ${part.id}`, part.name);
  return names;
}
