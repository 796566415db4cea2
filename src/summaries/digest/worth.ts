import type { ProseStatement } from "./statements.ts";

/**
 * What a statement is about, by the words that people use for it. Only English is known; in other languages reports and their
 * order alone decide, which costs some choice and no statement its truth.
 */

/** Something was chosen, ruled out or found to be the reason. */
const DECIDES =
  /\b(?:decid\w*|decision|chose|chosen|opted|instead of|rather than|because|therefore|so that|ruled? out|reject\w*|won't|not needed|unnecessary|root cause|turns? out|caused by|due to|trade-?offs?|recommend\w*|prefer\w*|agreed|the (?:problem|issue|bug|cause|reason|fix) (?:is|was|are|were))\b/i;
/** Something was made, mended or came out. */
const DONE =
  /\b(?:fixed|added|removed|replaced|renamed|moved|changed|implemented|created|updated|refactored|extracted|committed|pushed|deployed|pass(?:es|ed|ing)?|verified|works)\b/i;
/** Something is left to do or in question. */
const OPEN =
  /\b(?:to-?dos?|remaining|not yet|still (?:needs?|fails?|missing|open)|next steps?|left to do|pending|blocked|fails|failing|unresolved|follow-?ups?|needs? to be|would you like|should i|do you want|want me to|shall i)\b/i;
/** A word between two calls about what comes next. */
const NARRATES =
  /^(?:now|let me|let's|let us|i'll|i will|i need to|i should|i'm going to|next,? i|first,? (?:let|i)|ok(?:ay)?\b|great|perfect|good|excellent|looking at|checking|i see|i understand|you're right|sure|thanks)\b/i;

/** Names of things: in backticks, with a path or a call. */
const NAMES = /`[^`]+`|\/\w|\w\(|\w\.\w/;

/** Shorter statements without a name, such as "All tests pass.", are said again and again (characters). */
const SHORT = 40;

/** What a decision or a reason is worth. */
export const DECIDED = 2;

export const isNarration = ({ text }: ProseStatement): boolean => NARRATES.test(text);

export const isOpen = ({ text, lead }: ProseStatement): boolean =>
  text.endsWith("?") || OPEN.test(text) || /\b(?:next|remaining|open|to-?do|left|question)/i.test(lead);

/** A statement of few words that names nothing. */
export const isEmpty = ({ text }: ProseStatement): boolean => text.length < SHORT && !NAMES.test(text);

/** How much a statement tells about what was decided and done; 0 for none. */
export function decisionWorth(statement: ProseStatement): number {
  const { text } = statement;
  if (isNarration(statement) || text.endsWith("?")) return 0;
  const decides = DECIDES.test(text) ? DECIDED : 0;
  const done = DONE.test(text) ? 1 : 0;
  return decides + done + (decides + done > 0 && NAMES.test(text) ? 0.5 : 0);
}
