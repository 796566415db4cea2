import type {
  AgentCase,
  Anchor,
  CitationCase,
  EvalCase,
  Observation,
  Probe,
  ProbeCase,
  RetentionMeasure,
  ScoredView,
} from "./types.ts";
import { contentWords, isThere } from "./words.ts";

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
  (evalCase, view) => countThere(peoplesMessages(evalCase), (text) => isThere(text, view.words())),
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
function peoplesMessages({ people, messages }: AgentCase): string[] {
  return people.map((index) => messages[index]!.content).filter((text) => contentWords(text).length > 0);
}

/** BEAM's kinds of question whose evidence is a standing wish of the user: it must outlive everything. */
const STANDING = new Set(["instruction_following", "preference_following"]);
const CITATION = /\[(\d+)\]/g;

/** Of a question's evidence messages, the share whose first words are still together in the view. */
export const evidenceByText = higher<ProbeCase>(
  "evidence-text",
  "evidence, by words",
  "messages that answer a question, by their first words",
  (evalCase, view) => evidenceThere(evalCase, (text) => isThere(text, view.words())),
);

/** Evidence of questions about standing instructions and preferences. */
export const standingInstructions = higher<ProbeCase>(
  "standing",
  "standing instructions",
  "wishes that hold for the whole conversation",
  ({ probes, messages }, view) =>
    evidenceThere({ messages, probes: probes.filter(({ kind }) => STANDING.has(kind)) }, (text) =>
      isThere(text, view.words()),
    ),
);

/** Of the citations [n] in the view, the share whose document the view no longer names. The aim is none. */
export const danglingCitations: RetentionMeasure<CitationCase> = {
  id: "dangling",
  label: "dangling citations",
  about: "citations in the view whose document it doesn't name",
  better: "lower",
  observe: ({ documents }, view) =>
    countThere(shown(documents, view), (n) => !view.text.includes(documents.get(n)!)),
};

/** Of the numbers that the answers cite, the share that the view shows with its document: nothing kept isn't a success. */
export const resolvedCitations = higher<CitationCase>(
  "resolved",
  "citations resolved",
  "citations of the conversation that the view shows with their document",
  ({ documents, cited }, view) => {
    const numbers = new Set(shown(documents, view));
    return countThere(cited, (n) => numbers.has(n) && view.text.includes(documents.get(n)!));
  },
);

const hasEvidence = ({ evidence }: Probe): boolean => evidence.length > 0;

function evidenceThere(
  { probes, messages }: Pick<ProbeCase, "probes" | "messages">,
  test: (text: string) => boolean,
): Observation | undefined {
  const asked = probes.filter(hasEvidence);
  if (asked.length === 0) return undefined;
  // Many questions have the same evidence, and words of a long message take long to look for.
  const wanted = new Set(asked.flatMap(({ evidence }) => evidence));
  const kept = new Set([...wanted].filter((index) => test(messages[index]!.content)));
  const shares = asked.map(({ evidence }) => evidence.filter((at) => kept.has(at)).length / evidence.length);
  return { sum: shares.reduce((a, b) => a + b, 0), weight: asked.length };
}

/** Numbers of documents that the view cites. */
function shown(documents: CitationCase["documents"], view: ScoredView): number[] {
  const numbers = new Set([...view.text.matchAll(CITATION)].map((match) => Number(match[1])));
  return [...numbers].filter((n) => documents.has(n));
}

/** A measure of which more is better. */
function higher<C extends EvalCase>(
  id: string,
  label: string,
  about: string,
  observe: RetentionMeasure<C>["observe"],
): RetentionMeasure<C> {
  return { id, label, about, better: "higher", observe };
}

/** How many of the wanted items are there; counts over all cases, as a case has few. Undefined if none is wanted. */
function countThere<T>(wanted: readonly T[], isThere: (item: T) => boolean): Observation | undefined {
  if (wanted.length === 0) return undefined;
  return { sum: wanted.filter(isThere).length, weight: wanted.length };
}

/** The share of the wanted items that is there; each case counts the same. */
function shareThere<T>(wanted: readonly T[], isThere: (item: T) => boolean): Observation | undefined {
  const there = countThere(wanted, isThere);
  return there && { sum: there.sum / there.weight, weight: 1 };
}

const MEASURES = {
  agent: [nextActionAnchors, anchorsInContext, oldAnchors, userMessages],
  probes: [evidenceByText, standingInstructions],
  citations: [danglingCitations, resolvedCitations],
};

/** The measures that say something about this kind of case. */
export function measuresFor(type: EvalCase["type"]): readonly RetentionMeasure[] {
  return MEASURES[type] as readonly RetentionMeasure[];
}
