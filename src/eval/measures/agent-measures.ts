import { isThere } from "../evidence.ts";
import type { AgentCase, Anchor } from "../types.ts";
import { contentWords } from "../words.ts";
import { countThere, higher, shareThere } from "./measure.ts";

/** Characters on either side of a name in which its neighbour words are looked for. */
const REACH = 200;
/** Share of the original neighbour words that must be there, and their least number. */
const NEIGHBOUR_SHARE = 0.3;
const FEWEST_NEIGHBOURS = 2;
/** A name may occur thousands of times; places beyond these change no figure. */
const MOST_PLACES = 200;

/** NAAR: of the names and paths that the next calls need, the share that occurs in the view. */
export const nextActionAnchors = higher<AgentCase>(
  "naar",
  "NAAR",
  "names and paths of the next calls that are in the view",
  ({ anchors }, { text }) => shareThere(anchors, (anchor) => text.includes(anchor.text)),
);

/** NAAR-ctx: a name counts only with some of the words that stood around it, which a bare list of names lacks. */
export const anchorsInContext = higher<AgentCase>(
  "naar-ctx",
  "NAAR in context",
  "the same, with some of the words that stood around them",
  ({ anchors }, { text }) => shareThere(anchors, (anchor) => standsInContext(anchor, text)),
);

/** Old NAAR: the same for names that don't occur in the newest quarter. */
export const oldAnchors = higher<AgentCase>(
  "naar-old",
  "NAAR old",
  "the same for names that the newest quarter doesn't have",
  ({ anchors }, { text }) =>
    countThere(
      anchors.filter((anchor) => anchor.old),
      (anchor) => text.includes(anchor.text),
    ),
);

/** Of the messages that a person wrote, the share whose words are still together in the view. */
export const userMessages = higher<AgentCase>(
  "users",
  "user messages",
  "messages of people whose words are still together",
  (evalCase, view) => countThere(tellingMessages(evalCase), (text) => isThere(text, view.words())),
);

function standsInContext(anchor: Anchor, text: string): boolean {
  let at = text.indexOf(anchor.text);
  if (at < 0) return false;
  const neighbours = new Set(anchor.neighbours);
  if (anchor.neighbours.length < FEWEST_NEIGHBOURS) return true;
  const needed = Math.max(FEWEST_NEIGHBOURS, Math.ceil(NEIGHBOUR_SHARE * anchor.neighbours.length));
  for (let place = 0; at >= 0 && place < MOST_PLACES; place++) {
    const around = text.slice(Math.max(0, at - REACH), at + anchor.text.length + REACH);
    const found = new Set(contentWords(around).filter((word) => neighbours.has(word)));
    if (found.size >= needed) return true;
    at = text.indexOf(anchor.text, at + 1);
  }
  return false;
}

/** What people wrote, as far as it has content words. */
function tellingMessages({ people, messages }: AgentCase): string[] {
  return people.map((index) => messages[index]!.content).filter((text) => contentWords(text).length > 0);
}
