import type { Message } from "../core/types.ts";
import { isSummaryMessage } from "./markers.ts";

/** What the user typed, as far as it can be told from what was pasted or put there by the host. */
export interface UserWords {
  readonly message: number;
  readonly text: string;
  /** A rule that holds until it is taken back ("always …", "from now on …"), not a request of the moment. */
  readonly standing: boolean;
}

/** Longest text of one message, in characters: a longer one is a paste, and the typed part stands first. */
const MAX_WORDS = 480;

const STANDING =
  /\b(?:always|never|from now on|remember|don't ever|do not ever|make sure|must(?: not)?|prefer|every time|whenever|going forward|in (?:the )?future|for all|i (?:like|want|need) (?:you|all|my|the answers?))\b/i;

/** The typed text of a message: without blocks that a host or a tool put there. */
function typedText(text: string): string {
  return text
    .replace(/<([a-z][\w-]*)>[\s\S]*?<\/\1>/gi, " ")
    .replace(/```[\s\S]*?(?:```|$)/g, " ")
    .replace(/[ \t]+/g, " ")
    .replace(/\s*\n\s*/g, "\n")
    .trim();
}

function clip(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let cut = text.lastIndexOf(" ", limit - 2);
  if (cut < limit / 2) cut = limit - 2;
  return `${text.slice(0, cut)} …`;
}

/** The user's words of the given messages, oldest first. */
export function userWords(messages: readonly Message[], indexes: Iterable<number>): UserWords[] {
  const words: UserWords[] = [];
  for (const index of indexes) {
    const message = messages[index];
    if (message === undefined || message.role !== "user") continue;
    const text = message.parts
      .filter((part) => part.type === "text")
      .map((part) => part.text)
      .join("\n");
    if (text.trim() === "" || isSummaryMessage(text)) continue;
    const typed = typedText(text);
    if (typed === "") continue;
    words.push({ message: index, text: clip(typed, MAX_WORDS), standing: STANDING.test(typed) });
  }
  return words;
}

/** The order in which words get their place: rules first, then the newest, the first, and the rest backwards. */
export function rankWords(words: readonly UserWords[]): UserWords[] {
  const standing = words.filter((item) => item.standing).reverse();
  const momentary = words.filter((item) => !item.standing);
  const first = momentary.shift();
  const newest = momentary.pop();
  momentary.reverse();
  return [...standing, ...(newest ? [newest] : []), ...(first ? [first] : []), ...momentary];
}
