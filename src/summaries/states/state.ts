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
