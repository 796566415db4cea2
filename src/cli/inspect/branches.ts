import { dialectById } from "../../dialects/index.ts";
import type { Conversation, ConversationStore, StoredMessage } from "../../stores/server-store.ts";
import { formatCount, formatTime } from "../format.ts";
import { cut, previewOf } from "../part-text.ts";
import { shortId } from "../short-names.ts";

/** A conversation among others of its session: several are forks of each other, or merely have the same name. */
export interface Branch {
  readonly conversation: Conversation;
  /** 0 for one that isn't a fork of another one here. */
  readonly depth: number;
  /** Its first message that the one it was forked from doesn't have, from 1; of others their first message. */
  readonly from: number;
  /** The beginning of that message. */
  readonly words: string;
}

const DEFAULT_DIALECT = "openai-chat";

/** Conversations as trees: each fork behind the one that it departs from, older ones first. */
export async function branchesOf(
  store: Pick<ConversationStore, "read">,
  tenant: string,
  conversations: readonly Conversation[],
): Promise<Branch[]> {
  const here = new Set(conversations.map(({ id }) => id));
  const byAge = conversations.toSorted((a, b) => a.createdAt - b.createdAt);
  const isRoot = ({ fork }: Conversation): boolean => fork === undefined || !here.has(fork.of);
  const branches: Branch[] = [];
  const add = async (conversation: Conversation, depth: number): Promise<void> => {
    const at = depth === 0 ? 0 : (conversation.fork?.length ?? 0);
    const [message] = await store.read(tenant, conversation.id, { from: at, to: at + 1 });
    branches.push({
      conversation,
      depth,
      from: at + 1,
      words: message ? wordsOf(conversation, message) : "",
    });
    for (const one of byAge) if (one.fork?.of === conversation.id) await add(one, depth + 1);
  };
  for (const root of byAge.filter(isRoot)) await add(root, 0);
  return branches;
}

/** Columns that the words of a branch get before size and time do. */
const LEAST_WORDS = 20;

/** One line for each branch. `shown` is the conversation that stands below. */
export function branchLines(branches: readonly Branch[], columns: number, shown?: string): string[] {
  return branches.map(({ conversation, depth, from, words }) => {
    const { id, length, updatedAt } = conversation;
    const mark = shown === undefined ? "" : id === shown ? "→ " : "  ";
    const twig = depth === 0 ? "" : `${"  ".repeat(depth - 1)}└ `;
    const what = depth === 0 ? "begins" : `from #${formatCount(from)} on`;
    const start = `  ${mark}${twig}${shortId(id)}  ${what}: `;
    const facts = ` (${formatCount(length)} messages, ${formatTime(updatedAt)})`;
    const room = columns - start.length;
    const isWide = room - facts.length >= LEAST_WORDS;
    return cut(`${start}${isWide ? `${cut(words, room - facts.length)}${facts}` : words}`, columns);
  });
}

function wordsOf({ dialect }: Conversation, { wire }: StoredMessage): string {
  try {
    return previewOf(dialectById(dialect ?? DEFAULT_DIALECT).read(JSON.parse(wire)));
  } catch {
    return cut(wire, 80);
  }
}
