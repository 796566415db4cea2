import type { FileChange } from "./file-change.ts";

/** A file of a conversation, whatever it is called. */
export interface NamedFile {
  /** Where it is now; where it was last, if it was deleted. */
  readonly path: string;
  readonly isDeleted: boolean;
}

/** The files of a conversation under the names that they have so far. */
export interface FileNames {
  at(path: string): NamedFile;
  /** Carries out what a change does to names. Returns the files that it is about. */
  carryOut(change: FileChange): readonly NamedFile[];
}

/** What a shell takes for a pattern. */
const PATTERN = /[*?]/;
/** So many files of a conversation are compared with the paths of changes; from then on a path means the file at it, and no folder. */
const MOST_COMPARED = 200_000;

/** A known file that a path of a shell means, or that is below the folder which the path means. */
interface Found {
  readonly file: Entry;
  /** What stands before the given path: the folder that the shell was in. */
  readonly before: string;
  /** Behind it: the place below a folder; empty for the file itself. */
  readonly below: string;
}

interface Entry extends NamedFile {
  path: string;
  isDeleted: boolean;
  /** Its folders and its name. */
  parts: readonly string[];
}

export function fileNames(): FileNames {
  const byPath = new Map<string, Entry>();
  /** By each of their folders, and by their names. */
  const byPart = new Map<string, Set<Entry>>();
  let compared = 0;

  const put = (file: Entry): void => {
    byPath.set(file.path, file);
    for (const part of file.parts) {
      const same = byPart.get(part);
      if (same === undefined) byPart.set(part, new Set([file]));
      else same.add(file);
    }
  };
  const take = (file: Entry): void => {
    byPath.delete(file.path);
    for (const part of file.parts) byPart.get(part)?.delete(file);
  };
  const at = (path: string): Entry => {
    const known = byPath.get(path);
    if (known !== undefined) return known;
    const file = { path, isDeleted: false, parts: path.split("/") };
    put(file);
    return file;
  };
  const remove = (file: Entry): void => {
    take(file);
    file.isDeleted = true;
  };
  const rename = (file: Entry, path: string): void => {
    if (path === file.path) return;
    const there = byPath.get(path);
    if (there !== undefined) remove(there);
    take(file);
    file.path = path;
    file.parts = path.split("/");
    put(file);
  };

  /** Files that have all of these folders and names, and maybe others. */
  const near = (wanted: readonly string[], inShell: boolean): Iterable<Entry> => {
    let fewest: ReadonlySet<Entry> | undefined;
    for (const part of wanted) {
      if (part === "" || (inShell && PATTERN.test(part))) continue;
      const same = byPart.get(part) ?? new Set();
      if (fewest === undefined || same.size < fewest.size) fewest = same;
    }
    return fewest ?? byPath.values();
  };

  /** Is any known file below a folder? */
  const holdsFiles = (folder: string): boolean => {
    for (const { path } of near(folder.split("/"), false)) {
      if (path.startsWith(`${folder}/`)) return true;
      if (++compared > MOST_COMPARED) return false;
    }
    return false;
  };

  /** The known files that are meant. A path that several folders have is nobody's. */
  function meant(change: FileChange): Found[] {
    const found: Found[] = [];
    const wanted = change.file.replace(/\/$/, "").split("/");
    for (const file of near(wanted, change.inShell === true)) {
      if (++compared > MOST_COMPARED) {
        const exact = byPath.get(change.file);
        return exact === undefined ? [] : [{ file: exact, before: "", below: "" }];
      }
      const place = placeOf(wanted, file.parts, change);
      if (place !== undefined) found.push({ file, ...place });
    }
    const here = found.filter(({ before }) => before === "");
    if (here.length > 0) return here;
    return new Set(found.map(({ before }) => before)).size === 1 ? found : [];
  }

  /** The files that are meant. What no shell names is a file, known or not. */
  const named = (change: FileChange): readonly Found[] => {
    const found = meant(change);
    return found.length > 0 || change.inShell ? found : [{ file: at(change.file), before: "", below: "" }];
  };

  /** Where files go: into the folder `to`, or each to `to` itself. */
  function move(change: FileChange & { readonly type: "move" }): Entry[] {
    const found = named(change);
    if (found.length === 0) return [];
    // All that are found stand in the same folder.
    const to = /^[~/]/.test(change.to) ? change.to : `${found[0]!.before}${change.to}`;
    const folder = to.replace(/\/$/, "");
    const isFolder = change.into || holdsFiles(folder);
    return found.map(({ file, below }) => {
      const own = below === "" ? file.path : file.path.slice(0, -below.length - 1);
      const target = isFolder ? `${folder}/${own.slice(own.lastIndexOf("/") + 1)}` : folder;
      rename(file, below === "" ? target : `${target}/${below}`);
      return file;
    });
  }

  return {
    at,
    carryOut(change) {
      if (change.type === "move") return move(change);
      if (change.type === "delete") {
        const files = named(change).map(({ file }) => file);
        for (const file of files) remove(file);
        return files;
      }
      if (change.inShell !== true) return [at(change.file)];
      return meant(change).flatMap(({ file, below }) => (below === "" ? [file] : []));
    },
  };
}

/** Where a path, which may be a pattern, stands in a known one: what is before it and what is below it. */
function placeOf(
  wanted: readonly string[],
  parts: readonly string[],
  { file, inShell = false }: { readonly file: string; readonly inShell?: boolean },
): Omit<Found, "file"> | undefined {
  // Only a shell may be in a folder below the one that paths count from.
  const last = inShell && !/^[~/]/.test(file) ? parts.length - wanted.length : 0;
  for (let from = 0; from <= last && from + wanted.length <= parts.length; from++)
    if (wanted.every((part, at) => isLike(parts[from + at]!, part, inShell)))
      return {
        before: parts
          .slice(0, from)
          .map((part) => `${part}/`)
          .join(""),
        below: parts.slice(from + wanted.length).join("/"),
      };
  return undefined;
}

/** Is a name what a pattern with `*` and `?` means? */
function isLike(name: string, pattern: string, isPattern: boolean): boolean {
  if (!isPattern || !PATTERN.test(pattern)) return name === pattern;
  let at = 0;
  let wanted = 0;
  let star = -1;
  let mark = 0;
  while (at < name.length)
    if (pattern[wanted] === "*") {
      star = wanted++;
      mark = at;
    } else if (pattern[wanted] === "?" || pattern[wanted] === name[at]) {
      at++;
      wanted++;
    } else if (star >= 0) {
      wanted = star + 1;
      at = ++mark;
    } else return false;
  while (pattern[wanted] === "*") wanted++;
  return wanted === pattern.length;
}
