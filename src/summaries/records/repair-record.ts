import type { Run } from "../../core/types.ts";
import { isOpenSection } from "../prompts/index.ts";
import { OPEN_STATUSES, STATE_WORDS, type State, type StateStatus } from "../states/show-states.ts";
import { hasWords } from "../text/sentences.ts";

const HEADING = /^\s*#{1,6}\s+(.+?)\s*#*\s*$/;
/** Words of English records by which something counts as open, wherever they stand. */
const SAYS_OPEN =
  /\b(?:open|pending|waiting|awaiting|unmerged|unpushed|uncommitted|outstanding|still|running|in progress|unfinished|not (?:yet )?(?:been )?\w+ed|yet to|to be \w+ed|needs? to|remains? to|left to)\b/i;
/** … and as done, where nothing says that it isn't. */
const CLAIMS: Partial<Record<StateStatus, RegExp>> = {
  failing: /\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?)\b/i,
  running: /\b(?:ended|stopped|finished|killed|completed|exited)\b/i,
  unpushed: /\bpushed\b/i,
  opened: /\b(?:merged|closed)\b/i,
  todo: /\b(?:done|completed|finished)\b/i,
};
const UNSAYS =
  /\b(?:not|never|no longer|un\w+|fail\w*|to be|once|until|before|after|should|would|will|if|when)\b|n['’]t\b/i;
/** A line of an open point that says itself that it was done since. */
const SAYS_DONE =
  /\b(?:was|were|been|already|since)\b[^.;]{0,40}\b(?:merged|closed|pushed|committed|done|completed|finished)\b/i;
const UNSAID = /\b(?:not|never|yet to|to be)\b/i;
/** Shorter subjects and steps ("Fix tests") stand in lines that mean something else (characters). */
const LEAST_TEXT = 12;

/**
 * The record with a mark behind every line that calls a finished thing open, or an open one done: what it was last, and where that
 * is seen. A line is never taken out: the mark is true whatever else the line says.
 */
export function repairRecord(
  text: string,
  covers: Run,
  states: readonly State[],
  words: typeof STATE_WORDS = STATE_WORDS,
): string {
  if (states.length === 0) return text;
  let isOpen = false;
  return text
    .split("\n")
    .map((line) => {
      const title = HEADING.exec(line)?.[1];
      if (title !== undefined) isOpen = isOpenSection(title);
      if (title !== undefined || line.trim() === "") return line;
      const wrong = states.filter(
        (state) => contradicts(line, isOpen, state, covers) && mentions(line, state, states),
      );
      const marks = wrong.map(({ status, message }) => `${words[status]}: #${message + 1}`);
      return marks.length === 0 ? line : `${line} [${[...new Set(marks)].join("; ")}]`;
    })
    .join("\n");
}

function contradicts(
  line: string,
  isOpenLine: boolean,
  { status, message, kind }: State,
  covers: Run,
): boolean {
  if (!OPEN_STATUSES.has(status)) {
    if (kind === "tests" && message < covers.from) return false;
    return (isOpenLine || SAYS_OPEN.test(line)) && !(SAYS_DONE.test(line) && !UNSAID.test(line));
  }
  // What the record can't have seen doesn't make it wrong: the newest state stands beside it.
  return !isOpenLine && message < covers.to && CLAIMS[status]?.test(line) === true && !UNSAYS.test(line);
}

/** Does a line of a record speak of this thing? */
function mentions(line: string, { kind, name, detail, status }: State, all: readonly State[]): boolean {
  const said = line.toLowerCase();
  switch (kind) {
    case "request":
    case "issue": {
      const number = /^(?:PR|issue) (\d+)$/.exec(name)?.[1];
      if (number === undefined) return hasWords(line, name);
      const nouns =
        kind === "request" ? "PR|MR|pull request|merge request|pull/|merge_requests/" : "issue|issues/";
      return new RegExp(`(?:${nouns})s?[ ]?(?:#|no\\. ?)?${number}(?!\\d)`, "i").test(line);
    }
    case "commit":
      return /^[0-9a-f]{7,}$/.test(name)
        ? said.includes(name.slice(0, 7)) ||
            (detail.length >= LEAST_TEXT && said.includes(detail.toLowerCase()))
        : name.length >= LEAST_TEXT && said.includes(name.toLowerCase());
    case "push":
      return /\b(?:un)?push/i.test(line) && isOnlyPush(line, name, all);
    case "merge":
      return /\bmerg/i.test(line) && hasWords(line, name);
    case "tests":
      return (
        said.includes(name.toLowerCase()) ||
        (status === "failing" && /\ball (?:the )?tests\b|\btests? (?:pass|are green|were green)/i.test(line))
      );
    case "step":
      return name.length >= LEAST_TEXT && said.includes(name.replace(/…$/, "").toLowerCase());
    default:
      return hasWords(line, name);
  }
}

/** Is the push named, or can no other be meant? Where something was committed behind it, a line may speak of that. */
function isOnlyPush(line: string, branch: string, all: readonly State[]): boolean {
  if (all.some(({ status }) => status === "unpushed")) return false;
  return hasWords(line, branch) || all.filter(({ kind }) => kind === "push").length === 1;
}
