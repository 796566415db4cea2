/** A project in memory: what the tools of the coding session read, change and commit. */

import { createHash } from "node:crypto";
import { diffFile } from "./diff.ts";

const SNIPPET_LINES = 2;
const HASH_LENGTH = 7;

interface Commit {
  readonly hash: string;
  readonly message: string;
  readonly files: ReadonlyMap<string, string>;
}

const linesOf = (text: string) => text.replace(/\n$/, "").split("\n");

function numbered(lines: readonly string[], from: number, to: number): string {
  return lines
    .slice(from - 1, to)
    .map((line, i) => `${String(from + i).padStart(5)}\t${line}`)
    .join("\n");
}

export interface Workspace {
  write(path: string, text: string): string;
  read(path: string, from?: number, to?: number): string;
  /** Replaces the one place where `before` stands. Throws if there is none, or more than one. */
  edit(path: string, before: string, after: string): string;
  /** Replaces every place where `before` stands: what `sed -i` does. */
  replaceAll(path: string, before: string, after: string): void;
  search(pattern: string, under: string): string;
  /** The answer to a git command, or undefined for a command that this workspace can't compute. */
  git(command: string): string | undefined;
  commit(message: string): string;
}

export function createWorkspace(): Workspace {
  const files = new Map<string, string>();
  const commits: Commit[] = [];

  const paths = () => [...files.keys()].sort();
  const get = (path: string) => {
    const text = files.get(path);
    if (text === undefined) throw new Error(`no such file: ${path}`);
    return text;
  };
  const changes = (under = "") => {
    const head = commits.at(-1)?.files ?? new Map<string, string>();
    return [...new Set([...head.keys(), ...files.keys()])]
      .sort()
      .filter((path) => path.startsWith(under) && head.get(path) !== files.get(path))
      .map((path) => ({ path, before: head.get(path), after: files.get(path) }));
  };
  const totals = (diffs: readonly { added: number; removed: number }[]) => {
    const sum = (pick: (diff: { added: number; removed: number }) => number) =>
      diffs.reduce((total, diff) => total + pick(diff), 0);
    const plural = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`;
    return ` ${plural(diffs.length, "file")} changed, ${plural(
      sum((d) => d.added),
      "insertion",
    )}(+), ${plural(
      sum((d) => d.removed),
      "deletion",
    )}(-)`;
  };

  const workspace: Workspace = {
    write(path, text) {
      files.set(path, text);
      return `Wrote ${path} (${linesOf(text).length} lines, ${text.length} bytes).`;
    },
    read(path, from = 1, to = Number.POSITIVE_INFINITY) {
      const lines = linesOf(get(path));
      const end = Math.min(to, lines.length);
      return `${path}, lines ${from}-${end} of ${lines.length}\n${numbered(lines, from, end)}`;
    },
    edit(path, before, after) {
      const text = get(path);
      const pieces = text.split(before);
      if (pieces.length !== 2) throw new Error(`${pieces.length - 1} matches in ${path} for:\n${before}`);
      const next = pieces.join(after);
      files.set(path, next);
      const start = linesOf(pieces[0]!).length;
      const lines = linesOf(next);
      const from = Math.max(1, start - SNIPPET_LINES);
      const to = Math.min(lines.length, start + linesOf(after).length - 1 + SNIPPET_LINES);
      return `Lines ${from}-${to} now read:\n${numbered(lines, from, to)}`;
    },
    replaceAll(path, before, after) {
      if (!get(path).includes(before)) throw new Error(`no match in ${path} for:\n${before}`);
      files.set(path, get(path).replaceAll(before, after));
    },
    search(pattern, under) {
      const test = new RegExp(pattern);
      const hits = paths()
        .filter((path) => path.startsWith(under))
        .flatMap((path) =>
          linesOf(get(path)).flatMap((line, i) => (test.test(line) ? [`${path}:${i + 1}:${line}`] : [])),
        );
      return hits.length > 0 ? hits.join("\n") : "No matches.";
    },
    commit(message) {
      const diffs = changes().map(({ path, before, after }) => diffFile(path, before, after));
      const hash = createHash("sha1")
        .update(message)
        .update(JSON.stringify([...files]))
        .digest("hex")
        .slice(0, HASH_LENGTH);
      commits.push({ hash, message, files: new Map(files) });
      return `[main ${hash}] ${message}\n${totals(diffs)}`;
    },
    git(command) {
      const commit = /^git add .+ && git commit -m "(.+)"$/.exec(command);
      if (commit) return workspace.commit(commit[1]!);
      if (command === "git ls-files") return paths().join("\n");
      if (command === "git status --short") {
        const lines = changes().map(
          ({ path, before, after }) =>
            `${before === undefined ? "??" : after === undefined ? " D" : " M"} ${path}`,
        );
        return lines.join("\n") || "(no output)";
      }
      const log = /^git log --oneline(?: -(\d+))?$/.exec(command);
      if (log) {
        return [...commits]
          .reverse()
          .slice(0, Number(log[1] ?? commits.length))
          .map(({ hash, message }) => `${hash} ${message}`)
          .join("\n");
      }
      const stat = command === "git diff --stat";
      const diff = /^git diff(?: -- (\S+))?$/.exec(command);
      if (!stat && !diff) return undefined;
      const found = changes(diff?.[1]).map(({ path, before, after }) => ({
        path,
        ...diffFile(path, before, after),
      }));
      if (!stat) return found.map(({ text }) => text).join("\n") || "(no output)";
      const width = Math.max(...found.map(({ path }) => path.length));
      const rows = found.map(
        ({ path, added, removed }) =>
          ` ${path.padEnd(width)} | ${String(added + removed).padStart(3)} ${"+".repeat(Math.ceil(added / 4))}${"-".repeat(Math.ceil(removed / 4))}`,
      );
      return [...rows, totals(found)].join("\n");
    },
  };
  return workspace;
}
