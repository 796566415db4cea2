import { isRecord } from "../../core/json.ts";
import { readArguments } from "../calls/read-call.ts";
import { type EndedCall, outsideQuotes, type State, type StateBook } from "./show-states.ts";

/**
 * Commits, pushes, merges, pull requests and issues, by what git, `gh`, `glab` and the usual MCP servers print. A command alone is
 * no proof: its output has to say so, or it has to be one that says nothing where all went well.
 */

/** The commands `git …`, `gh …`, `glab …` of a command line, wherever a command may begin in it. */
const COMMANDS =
  /(?:^|[\n;&|({][^\S\n]*)(?:\w+=\S+\s+|sudo\s+|timeout\s+\S+\s+)*(git|gh|glab)\s+(?:-[cCR]\s+\S+\s+|--?[\w-]+(?:=\S+)?\s+)*([a-z-]+)([^\n;&|]*)/g;
/** `[main a1b2c3d] Mend the lexer`, as git prints it of a new commit. */
const COMMITTED = /^\[([^\s\]]+|detached HEAD)(?: \([\w-]+\))? ([0-9a-f]{7,40})\] (.+)$/gm;
/** `   1234abc..5678def  main -> main`, and ` * [new branch]  topic -> topic`; nothing that was rejected. */
const PUSHED =
  /^ ?[ +*=]?\s*(?:[0-9a-f]+\.{2,3}[0-9a-f]+|\[new (?:branch|tag)\]|\[up to date\])\s+\S+\s+->\s+(\S+)/gm;
const MERGED = /^(?:Merge made by|Fast-forward|Squash commit)/m;
const CONFLICT = /^(?:CONFLICT \(|Automatic merge failed|error: could not apply)/m;
const REBASED = /^Successfully rebased(?: and updated (?:refs\/heads\/)?(.+)\.$)?/m;
/** The branch that is checked out, as git names it. */
const ON_BRANCH =
  /^(?:(?:Switched to (?:a new )?branch|Already on) '([^']+)'|On branch (\S+)|\[(\S+)(?: \([\w-]+\))? [0-9a-f]{7,40}\] )/gm;
const QUIET = /\s(?:-\w*q\w*|--quiet)\b/;
const NOTHING_DONE =
  /nothing (?:added )?to commit|no changes added|fatal:|error:|hook|not mergeable|failed|GraphQL|could not|unknown/i;
const SUBJECT = /\s-\w*m\s*(?:"(?:\$\(cat <<-?\s*['"]?\w+['"]?\n)?([^"\n]+)|'([^'\n]+))/;
const REQUEST_LINK = /https?:\/\/[^\s"]+\/(?:pull|merge_requests)\/(\d+)/g;
const ISSUE_LINK = /https?:\/\/[^\s"]+\/issues\/(\d+)/g;
/** A repository that was made for a trial. */
const TRIAL = /Initialized empty Git repository/;
/** Longer subjects are cut (characters). */
const MAX_SUBJECT = 80;

export interface GitState {
  /** The branch that is checked out; empty where nobody said. */
  branch: string;
  /** What git said in the order in which it said it: of a commit its branch, of a push the branch alone. */
  readonly said: { commit?: string; readonly branch: string }[];
}

export function readGit(call: EndedCall, book: StateBook, history: GitState): void {
  if (call.command === "") {
    readHosted(call, book);
    return;
  }
  const { command, output, failed, message } = call;
  if (!/\b(?:git|gh|glab)\b/.test(command) || TRIAL.test(output)) return;
  const verbs = [...outsideQuotes(command).matchAll(COMMANDS)].map(
    ([, program = "", verb = "", rest = ""]) => ({
      program,
      verb,
      rest,
    }),
  );
  for (const match of output.matchAll(ON_BRANCH)) history.branch = match.slice(1).find(Boolean)!;
  const did = (program: string, verb: RegExp) =>
    verbs.find((one) => one.program === program && verb.test(one.verb));
  const commit = did("git", /^(?:commit|cherry-pick|merge|revert|rebase|am)$/);
  if (commit) {
    const isAmended = /--amend\b/.test(commit.rest);
    const made = [...output.matchAll(COMMITTED)];
    for (const [, branch = "", hash = "", subject = ""] of made) {
      if (isAmended) undoCommits(1, branch);
      addCommit(branch, hash, subject);
    }
    const isQuiet =
      commit.verb === "commit" && QUIET.test(commit.rest) && !failed && !NOTHING_DONE.test(output);
    if (isQuiet && made.length === 0) {
      const before = isAmended ? undoCommits(1) : undefined;
      const subject = SUBJECT.exec(command);
      addCommit(history.branch, "", subject?.[1] ?? subject?.[2] ?? (before?.detail || before?.name) ?? "");
    }
  }
  const reset = did("git", /^reset$/);
  const back = reset && !failed ? /\b(?:HEAD|@)(?:~(\d*)|(\^+))/.exec(reset.rest) : null;
  if (back) undoCommits(back[1] === undefined ? back[2]!.length : Number(back[1] || 1));
  const push = did("git", /^push$/);
  if (push && !/\s(?:--dry-run|-n)\b/.test(push.rest)) {
    for (const [, branch = ""] of output.matchAll(PUSHED))
      if (!/^(?:origin|upstream)\//.test(branch)) addPush(branch);
    if (/^Everything up-to-date/m.test(output) && history.branch) addPush(history.branch);
  }
  const joins = did("git", /^(?:merge|rebase|pull|cherry-pick|revert|stash|am)$/);
  if (joins) {
    const isEnded = MERGED.test(output) || REBASED.test(output) || /--(?:abort|quit)\b/.test(joins.rest);
    if (CONFLICT.test(output) && !/--abort\b/.test(joins.rest))
      book.set({ kind: "conflict", name: `git ${joins.verb}`, status: "conflict", message });
    else if (isEnded) endConflicts();
    const from = /(?:^|\s)([\w./@-]*[\w/])\s*$/.exec(joins.rest.replace(/\s-\S+|\s\d?>\S*/g, ""))?.[1];
    if (joins.verb === "merge" && MERGED.test(output) && from !== undefined)
      book.set({ kind: "merge", name: from, status: "merged", message });
    // New hashes stand in the place of the old ones.
    const rebased = REBASED.exec(output);
    if (rebased)
      for (const one of commitsOn(rebased[1] ?? history.branch)) {
        if (one.detail === "") continue;
        book.delete("commit", one.name);
        book.set({ ...one, name: one.detail, detail: "" });
        history.said.findLast(({ commit }) => commit === one.name)!.commit = one.detail;
      }
  }
  if (did("git", /^status$/) && !failed && !/unmerged|\bboth \w+:|^(?:UU|AA) /m.test(output)) endConflicts();
  for (const { program, verb, rest } of verbs) if (program !== "git") readForge(verb, rest, call, book);

  function addCommit(branch: string, hash: string, subject: string): void {
    const detail = subject.trim().slice(0, MAX_SUBJECT);
    const name = hash === "" ? detail : hash.slice(0, 12);
    if (name === "") return;
    book.set({ kind: "commit", name, status: "committed", detail: hash === "" ? "" : detail, message });
    history.said.push({ commit: name, branch });
    endConflicts();
  }
  function addPush(branch: string): void {
    book.set({ kind: "push", name: branch, status: "pushed", message });
    history.said.push({ branch });
  }
  /** Commits of a branch, the oldest first. Of some nobody said on which branch they are. */
  function commitsOn(branch: string): State[] {
    const branchOf = (commit: string) => history.said.findLast((one) => one.commit === commit)?.branch ?? "";
    return book.all("commit").filter(({ name }) => ["", branch].includes(branchOf(name)) || branch === "");
  }
  function undoCommits(count: number, branch = history.branch): State | undefined {
    const undone = count > 0 ? commitsOn(branch).slice(-count) : [];
    for (const { name } of undone) book.delete("commit", name);
    return undone.at(-1);
  }
  function endConflicts(): void {
    for (const { name } of book.all("conflict")) book.delete("conflict", name);
  }
}

/** Commits behind the last push of their branch. Of a branch that nobody pushed, nobody knows whether that is wanted. */
export function markUnpushed(book: StateBook, { said }: GitState): void {
  for (const commit of book.all("commit")) {
    const at = said.findLastIndex((one) => one.commit === commit.name);
    const { branch } = said[at]!;
    const pushed = said.findLastIndex((one) => one.commit === undefined && one.branch === branch);
    if (pushed >= 0 && pushed < at) book.set({ ...commit, status: "unpushed" });
  }
}

/** What `gh` and `glab` say of a pull request or an issue. */
function readForge(
  noun: string,
  rest: string,
  { output, failed, message }: EndedCall,
  book: StateBook,
): void {
  const kind = /^(?:pr|mr)$/.test(noun) ? "request" : noun === "issue" ? "issue" : undefined;
  const verb = /^\s+([a-z]+)/.exec(rest)?.[1];
  if (kind === undefined || verb === undefined) return;
  const given = /\s#?(\d+)\b/.exec(rest)?.[1] ?? /\/(\d+)(?:\s|$)/.exec(rest)?.[1];
  const link = [...output.matchAll(kind === "request" ? REQUEST_LINK : ISSUE_LINK)].at(-1)?.[1];
  const set = (number: string | undefined, status: "opened" | "merged" | "closed"): void => {
    if (number !== undefined) book.set({ kind, name: requestName(kind, number), status, message });
  };
  const open = book.all(kind).filter(({ status }) => status === "opened");
  // Without a number the one of this branch is meant: known where there is only one.
  const only = open.length === 1 ? /\d+$/.exec(open[0]!.name)?.[0] : undefined;
  const number = given ?? /#(\d+)/.exec(output)?.[1] ?? only;
  const isFine = !failed && !NOTHING_DONE.test(output);
  if (verb === "create") set(link, "opened");
  else if (verb === "merge" && isFine && (!/--auto\b/.test(rest) || /merged pull request/i.test(output)))
    set(number, "merged");
  else if (verb === "close" && isFine) set(number, "closed");
  else if (verb === "reopen" && isFine) set(number, "opened");
  else if (verb === "view" && !failed) {
    const state = /"state":\s*"(\w+)"|^state:\s*(\w+)/m.exec(output);
    const said = (state?.[1] ?? state?.[2] ?? "").toLowerCase();
    const about = given ?? /"number":\s*(\d+)|^number:\s*(\d+)/m.exec(output)?.slice(1).find(Boolean);
    if (said === "merged" || said === "closed") set(about, said);
  }
}

const requestName = (kind: "request" | "issue", number: string): string =>
  `${kind === "request" ? "PR" : "issue"} ${number}`;

const HOSTED =
  /(?:^|[_.-])(create|merge|close|update)_?(pull_?request|merge_?request|issue)$|(?:^|[_.-])(issue)_?write$/i;
const NUMBER_FIELDS = "pullNumber pull_number issue_number issueNumber number iid id".split(" ");
const OVER = /^(?:closed|done|completed|cancell?ed|resolved)$/i;

/** The same by tools of MCP servers. */
function readHosted({ tool, args, output, failed, message }: EndedCall, book: StateBook): void {
  const found = HOSTED.exec(tool);
  if (!found || failed) return;
  const given = readArguments(args);
  if (!isRecord(given)) return;
  const verb = (found[1] ?? "update").toLowerCase();
  const kind = /issue/i.test(found[2] ?? found[3] ?? "") ? "issue" : "request";
  const id = NUMBER_FIELDS.map((field) => given[field]).find((one) => one !== undefined && one !== null);
  const link = [...output.matchAll(kind === "request" ? REQUEST_LINK : ISSUE_LINK)].at(-1)?.[1];
  const key = /"identifier":\s*"([A-Z]+-\d+)"/.exec(output)?.[1];
  const number = verb === "create" ? (link ?? key) : id === undefined ? undefined : String(id);
  if (number === undefined || !/^(?:\d{1,9}|[A-Z]+-\d+)$/.test(number)) return;
  const name = /^\d/.test(number) ? requestName(kind, number) : number;
  if (verb === "create") book.set({ kind, name, status: "opened", message });
  else if (verb === "merge" && /"merged":\s*true|success/i.test(output))
    book.set({ kind, name, status: "merged", message });
  else if (verb === "close" || OVER.test(String(given.state ?? given.status ?? "")))
    book.set({ kind, name, status: "closed", message });
}
