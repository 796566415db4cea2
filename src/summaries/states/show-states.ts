import type { SectionEntry } from "../write/sections.ts";
import { OPEN_STATUSES, STATUSES, type State, type StateStatus } from "./state.ts";

/** What each status is called in a summary message. */
export const STATE_WORDS: Readonly<Record<StateStatus | "changed", string>> = {
  running: "Started, no end seen",
  failing: "Tests failing at their last run",
  unanswered: "Asked, not answered",
  conflict: "Stopped by conflicts",
  todo: "Plan, open",
  unpushed: "Committed, not pushed",
  opened: "Opened",
  merged: "Merged",
  pushed: "Pushed",
  closed: "Closed",
  passing: "Tests passing at their last run",
  committed: "Committed",
  done: "Plan, done",
  changed: "files changed since",
};

/** With less room a label would take more than what it stands over (tokens). */
const LEAST = 12;
/** Test runs that are shown, the newest ones. */
const MOST_RUNS = 4;

/** The states of hidden messages, what is open first, within their room: the oldest of what is done leave first. */
export function showStates(
  states: readonly State[],
  input: {
    readonly isHidden: (message: number) => boolean;
    /** Tokens that they may take. */
    readonly room: number;
    readonly count: (text: string) => number;
    readonly words?: typeof STATE_WORDS;
  },
): SectionEntry[] {
  const { words = STATE_WORDS, count } = input;
  let left = input.room;
  if (left < LEAST) return [];
  const entries: SectionEntry[] = [];
  for (const status of STATUSES) {
    const hidden = states.filter((state) => state.status === status && input.isHidden(state.message));
    const head = `${words[status]}:`;
    let room = left - count(head);
    const shown: State[] = [];
    const most = status === "failing" || status === "passing" ? MOST_RUNS : hidden.length;
    for (const state of hidden.slice(-most).reverse()) {
      const price = count(`${stateText(state, words)} (#1234); `);
      if (price > room) break;
      room -= price;
      shown.unshift(state);
    }
    if (shown.length === 0) continue;
    left = room;
    const rest =
      shown.length < hidden.length && most === hidden.length ? ` (+${hidden.length - shown.length})` : "";
    entries.push({ head, text: `${listed(shown, words)}${rest}` });
  }
  return entries;
}

/** `a1b2c3d Mend the lexer (#12); npm test: 2 failed (#44)`; neighbours of one message share its pointer. */
function listed(states: readonly State[], words: typeof STATE_WORDS): string {
  return states
    .map((state, at) => {
      const isLast = states[at + 1]?.message !== state.message;
      return `${stateText(state, words)}${isLast ? ` (#${state.message + 1})` : ""}`;
    })
    .join("; ");
}

function stateText({ kind, name, detail, status, changed }: State, words: typeof STATE_WORDS): string {
  const shown = kind === "step" && !OPEN_STATUSES.has(status) ? "" : detail;
  const since = changed === undefined ? "" : `, ${words.changed}`;
  if (kind === "tests" || kind === "step") return shown === "" ? name : `${name}: ${shown}${since}`;
  return shown === "" ? name : `${name} ${shown}`;
}
