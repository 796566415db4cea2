import type { AgentCase, Anchor, RetentionMeasure } from "../types.ts";
import { contentWords } from "../words.ts";

/** Characters on either side of a name in which its neighbour words are looked for. */
const REACH = 200;
/** Share of the original neighbour words that must be there, and their least number. */
const NEIGHBOUR_SHARE = 0.3;
const FEWEST_NEIGHBOURS = 2;
/** A name may occur thousands of times; places beyond these change no figure. */
const MOST_PLACES = 200;

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

/** NAAR-ctx: a name counts only with some of the words that stood around it, which a bare list of names lacks. */
export const anchorsInContext: RetentionMeasure<AgentCase> = {
  id: "naar-ctx",
  label: "NAAR in context",
  about: "the same, with some of the words that stood around them",
  better: "higher",
  observe({ anchors }, view) {
    if (anchors.length === 0) return undefined;
    const hits = anchors.filter((anchor) => standsInContext(anchor, view.text)).length;
    return { sum: hits / anchors.length, weight: 1 };
  },
};
