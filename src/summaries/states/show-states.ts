import type { SectionEntry } from "../write/sections.ts";

export const KINDS = [
  "process",
  "tests",
  "question",
  "conflict",
  "step",
  "request",
  "issue",
  "merge",
  "push",
  "commit",
] as const;

/** What the conversation itself shows of a piece of work: no model is asked, and nothing is guessed. */
export interface State {
  readonly kind: (typeof KINDS)[number];
  /** What it is known by: the start of a hash, `PR 12`, an id, a branch, a command, the text of a step. */
  readonly name: string;
  readonly status: StateStatus;
  /** What stands behind the name: the subject of a commit, how many tests failed. */
  readonly detail: string;
  /** Index of the message that showed it last. */
  readonly message: number;
  /** Tests: index of a later message that changed a file. */
  readonly changed?: number;
}

/** What became of it, what is still open first: where room is short, the last ones are left out. */
export const STATUSES = [
  "running",
  "failing",
  "unanswered",
  "conflict",
  "todo",
  "unpushed",
  "opened",
  "merged",
  "pushed",
  "closed",
  "passing",
  "committed",
  "done",
] as const;

export type StateStatus = (typeof STATUSES)[number];

/** States that ask for something still to be done. */
export const OPEN_STATUSES: ReadonlySet<StateStatus> = new Set(STATUSES.slice(0, STATUSES.indexOf("merged")));

/** Takes note of a state; a later one of the same thing replaces it. */
export interface StateBook {
  set(state: Omit<State, "detail"> & { readonly detail?: string }): void;
  delete(kind: State["kind"], name: string): void;
  /** Those of a kind, the oldest first. */
  all(kind: State["kind"]): State[];
}

export function createStateBook(): StateBook {
  const states = new Map<string, State>();
  const keyOf = (kind: State["kind"], name: string): string => `${kind} ${name.toLowerCase()}`;
  return {
    set(state) {
      const key = keyOf(state.kind, state.name);
      const before = states.get(key);
      states.delete(key);
      states.set(key, { ...state, detail: state.detail || before?.detail || "" });
    },
    delete: (kind, name) => void states.delete(keyOf(kind, name)),
    all: (kind) => [...states.values()].filter((state) => state.kind === kind),
  };
}

/** A call that came to its end, as the readers of states see it. */
export interface EndedCall {
  readonly tool: string;
  /** What was run; empty where the call isn't a command. */
  readonly command: string;
  readonly args: string;
  readonly output: string;
  /** It says that it failed. A command behind a pipe or a `||` may have failed without a word. */
  readonly failed: boolean;
  readonly message: number;
}

/** A command line in which nothing between quotes looks like the beginning of a command. A quote that nobody closes begins nothing. */
export function outsideQuotes(command: string): string {
  // One that isn't closed is read to the end all the same: tried again from every quote behind it, it would take quadratic time.
  return command.replace(/'[^']*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*("?)/g, (quoted: string, end?: string) =>
    end === "" ? quoted : quoted.replace(/[\n;&|({]/g, " "),
  );
}

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
