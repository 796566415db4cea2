import { isThere, isThereWhole } from "../evidence.ts";
import { filesTouched, isEdit } from "../files.ts";
import { memoByObject } from "../memo.ts";
import { plainText } from "../message-text.ts";
import { neededTerms, nextSteps, plainTextBefore } from "../needs.ts";
import { isPlainWord } from "../terms.ts";
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
/** Shorter lines (braces, `return nil`) occur everywhere. */
const SHORTEST_LINE = 16;
const PATH_FIELDS = new Set(["file_path", "path", "notebook_path"]);
const PATCH_MARK = /^[+-]/;

const touched = memoByObject((c: AgentCase) => filesTouched(c.messages.slice(c.from, c.to)));

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

/** Of all terms of the next calls, whatever their shape, the share that occurs in the view. */
export const nextCallTerms = higher<AgentCase>(
  "terms",
  "all terms",
  "all terms of the next calls, whatever their shape",
  (evalCase, view) => shareThere([...neededTerms(evalCase)], (term) => view.terms().has(term)),
);

/** The same for plain lower-case words: what no method that looks for paths and identifiers is made for. */
export const nextCallWords = higher<AgentCase>(
  "plain",
  "plain words",
  "plain lower-case words of the next calls",
  (evalCase, view) =>
    shareThere([...neededTerms(evalCase)].filter(isPlainWord), (term) => view.terms().has(term)),
);

/** Of the exact lines in the next edits that existed before the cut, the share that is in the view letter for letter. */
export const editLines = higher<AgentCase>(
  "lines",
  "exact edit lines",
  "lines of the next edits, letter for letter",
  (evalCase, view) => {
    const text = plainText(view.text);
    return shareThere(neededLines(evalCase), (line) => text.includes(line));
  },
);

/** Of the messages that a person wrote, the share whose words are still together in the view. */
export const userMessages = higher<AgentCase>(
  "users",
  "user messages",
  "messages of people whose words are still together",
  (evalCase, view) => countThere(tellingMessages(evalCase), (text) => isThere(text, view.words())),
);

/** The same from first word to last: a message of which only the start was kept doesn't count. */
export const userMessagesWhole = higher<AgentCase>(
  "users-whole",
  "user messages, whole",
  "the same from first word to last",
  (evalCase, view) => countThere(tellingMessages(evalCase), (text) => isThereWhole(text, view.words())),
);

/** Of the files edited before the cut, the share that the view names (by base name). */
export const editedFiles = higher<AgentCase>(
  "edited",
  "edited files",
  "files edited so far that the view names",
  (evalCase, view) => countThere(touched(evalCase).edited, (file) => view.text.includes(file)),
);

/** Of the files that were read before the cut, the share that the view names. */
export const readFiles = higher<AgentCase>(
  "read",
  "read files",
  "files read so far that the view names",
  (evalCase, view) => countThere(touched(evalCase).read, (file) => view.text.includes(file)),
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

const neededLines = memoByObject((c: AgentCase): readonly string[] => {
  const before = plainTextBefore(c);
  const needed = new Set<string>();
  let seenAgain = "";
  for (const step of nextSteps(c)) {
    if (step.type === "seen") {
      seenAgain += `\n${plainText(step.text)}`;
    } else if (isEdit(step.name)) {
      for (const line of bodyLines(step.args)) {
        if (before.includes(line) && !seenAgain.includes(line)) needed.add(line);
      }
    }
  }
  return [...needed];
});

function bodyLines(args: string): string[] {
  return bodies(args)
    .flatMap((body) => body.split("\n"))
    .map((line) => line.replace(PATCH_MARK, "").trim())
    .filter((line) => line.length >= SHORTEST_LINE);
}

/** Texts among the arguments, except names of files; all of it where the tool takes free text. */
function bodies(args: string): string[] {
  try {
    return stringsIn(JSON.parse(args));
  } catch {
    return [args];
  }
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (PATH_FIELDS.has(key) ? [] : stringsIn(inner)));
}
