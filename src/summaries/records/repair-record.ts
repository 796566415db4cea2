import type { Run } from "../../core/types.ts";
import { type Frame, frameOf } from "../frames/frames.ts";
import { namesNumber } from "../keep/missing-items.ts";
import { workIn } from "../prompts/index.ts";
import { OPEN_STATUSES, type State } from "../states/show-states.ts";
import { hasWords } from "../text/sentences.ts";
import { POINTED } from "./pointers.ts";

const HEADING = /^\s*#{1,6}\s+(.+?)\s*#*\s*$/;
/** Shorter subjects and steps ("Fix tests") stand in lines that mean something else (characters). */
const LEAST_TEXT = 12;
/** A branch (`main`) and a command alone may stand in a line about something else. Loan words of most languages. */
const PUSH = /push|pouss|пуш|プッシュ|推送|푸시/iu;
const TESTS = /tests?\b|тест|テスト|测试|測試|테스트|اختبار|prueba/iu;

/**
 * The record with a mark where a finished thing stands among what is open, or an open one among what is done: what it was last, and
 * where that is seen. Sections tell it, so it is the same in every language. A line that points at that message knows it. No line is
 * ever taken out: the mark is true whatever else the line says. Each thing is marked once, where the record speaks of it last.
 */
export function repairRecord(
  text: string,
  covers: Run,
  states: readonly State[],
  { states: words, headings }: Pick<Frame, "states" | "headings"> = frameOf("en"),
): string {
  if (states.length === 0) return text;
  const english = new Map([...headings].map(([title, own]) => [own.toLowerCase(), title]));
  let section: "open" | "done" | undefined;
  const lines = text.split("\n").map((line) => {
    const title = HEADING.exec(line)?.[1];
    if (title === undefined) return { line, section };
    section = workIn(english.get(title.toLowerCase()) ?? title);
    return { line, section: undefined };
  });
  const marks = lines.map(() => new Set<string>());
  for (const state of states) {
    const { status, message, kind } = state;
    const isOpen = OPEN_STATUSES.has(status);
    // A run of tests from before the record isn't the one that it asks for; what came after it stands beside it.
    if (isOpen ? message >= covers.to : kind === "tests" && message < covers.from) continue;
    const at = lines.findLastIndex(
      ({ line, section }) =>
        section === (isOpen ? "done" : "open") && mentions(line, state, states) && !pointsAt(line, message),
    );
    marks[at]?.add(`${words[status]}: #${message + 1}`);
  }
  return lines
    .map(({ line }, at) => (marks[at]!.size === 0 ? line : `${line} [${[...marks[at]!].join("; ")}]`))
    .join("\n");
}

function pointsAt(line: string, message: number): boolean {
  return [...line.matchAll(POINTED)].some(
    ([, from, to = from]) => Number(from) <= message + 1 && message + 1 <= Number(to),
  );
}

/** Does a line of a record speak of this thing? */
function mentions(line: string, { kind, name, detail, status }: State, all: readonly State[]): boolean {
  const said = line.toLowerCase();
  const holds = (text: string): boolean =>
    text.length >= LEAST_TEXT && said.includes(text.replace(/…$/, "").toLowerCase());
  switch (kind) {
    case "commit":
      return /^[0-9a-f]{7,}$/.test(name) ? said.includes(name.slice(0, 7)) || holds(detail) : holds(name);
    case "push":
      return PUSH.test(line) && isOnlyPush(line, name, all);
    case "tests":
      return said.includes(name.toLowerCase()) || (status === "failing" && TESTS.test(line));
    case "step":
      return holds(name);
    default:
      return hasWords(line, name) || namesNumber(line, name);
  }
}

/** Is the push named, or can no other be meant? Where something was committed behind it, a line may speak of that. */
function isOnlyPush(line: string, branch: string, all: readonly State[]): boolean {
  if (all.some(({ status }) => status === "unpushed")) return false;
  return hasWords(line, branch) || all.filter(({ kind }) => kind === "push").length === 1;
}
