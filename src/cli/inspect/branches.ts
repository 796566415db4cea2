import { dialectById } from "../../apis/index.ts";
import type { Conversation, ConversationStore, StoredMessage } from "../../stores/server-store.ts";
import { formatCount, formatTime } from "../format.ts";
import { cut, previewOf } from "../plain-text.ts";
import { shortId } from "../short-names.ts";

/** A conversation among others of its session, or another branch of one of them. */
export interface Branch {
  readonly conversation: Conversation;
  /** 0 for a conversation, 1 for a branch that isn't shown. */
  readonly depth: number;
  /** Its first message that the one which is shown doesn't have, from 1; of a conversation its first message. */
  readonly from: number;
  /** The beginning of its first user message, or of the message from which a branch differs. */
  readonly words: string;
}

/** Messages among which a conversation's first user message is looked for. */
const LEADING = 4;
const DEFAULT_DIALECT = "openai-chat";

/** Conversations, older ones first, each with the other branches that begin on its path. */
export async function branchesOf(
  store: Pick<ConversationStore, "read" | "siblings">,
  tenant: string,
  conversations: readonly Conversation[],
): Promise<Branch[]> {
  const branches: Branch[] = [];
  for (const conversation of conversations.toSorted((a, b) => a.createdAt - b.createdAt)) {
    const { id } = conversation;
    const add = async (depth: number, at: number, leaf?: string): Promise<void> => {
      const to = depth === 0 ? at + LEADING : at + 1;
      const read = await store.read(tenant, id, { from: at, to, ...(leaf !== undefined && { leaf }) });
      // What all of them share, such as a system prompt, tells none from another.
      const message = (depth === 0 && read.find(({ role }) => role === "user")) || read[0];
      const words = message ? wordsOf(conversation, message) : "";
      branches.push({ conversation, depth, from: at + 1, words });
    };
    await add(0, 0);
    for (const [position, hashes] of conversation.branched ? await store.siblings(tenant, id) : []) {
      const [shown] = await store.read(tenant, id, { from: position, to: position + 1 });
      for (const hash of hashes) if (hash !== shown?.hash) await add(1, position, hash);
    }
  }
  return branches;
}

/** Columns that the words of a branch get before size and time do. */
const LEAST_WORDS = 20;

/** One line for each branch. `shown` is the conversation that stands below. */
export function branchLines(branches: readonly Branch[], columns: number, shown?: string): string[] {
  return branches.map(({ conversation, depth, from, words }) => {
    const { id, length, updatedAt } = conversation;
    if (depth > 0) return cut(`      └ from #${formatCount(from)} on: ${words}`, columns);
    const mark = shown === undefined ? "" : id === shown ? "→ " : "  ";
    const start = `  ${mark}${shortId(id)}  begins: `;
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
