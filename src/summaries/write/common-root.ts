/** Shorter folders aren't worth a line of their own (characters). */
const LEAST_ROOT = 12;

/** Share of absolute paths that lie in the common folder. What lies elsewhere by itself keeps its whole path. */
const MOST_PATHS = 0.8;

/**
 * The folder that is best said once: the one that saves most where every path below it is written from there on, with its
 * slash. Empty where paths have none in common.
 */
export function commonRoot(paths: readonly string[]): string {
  const below = new Map<string, number>();
  for (const path of new Set(paths)) {
    if (!path.startsWith("/")) continue;
    for (let end = path.lastIndexOf("/"); end >= LEAST_ROOT; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end + 1);
      below.set(folder, (below.get(folder) ?? 0) + 1);
    }
  }
  let best = "";
  let most = 0;
  for (const [folder, count] of below) {
    // Once it has to be written itself.
    const saved = (count - 1) * folder.length;
    if (saved <= most) continue;
    most = saved;
    best = folder;
  }
  return best;
}

/** A text in which paths below the folder are written from there on. Longer paths that only contain it stay as they are. */
export function fromRoot(text: string, root: string): string {
  if (root === "") return text;
  let short = "";
  let from = 0;
  for (let at = text.indexOf(root); at >= 0; at = text.indexOf(root, at + root.length)) {
    if (at > 0 && /[\p{L}\p{N}_.~/-]/u.test(text[at - 1]!)) continue;
    short += text.slice(from, at);
    from = at + root.length;
  }
  return short + text.slice(from);
}

/** The folder that most absolute paths lie in, with a slash at its end; empty if there is none, or only one path. */
export function commonFolder(paths: readonly string[]): string {
  const absolute = paths.filter((path) => path.startsWith("/"));
  const [first, ...others] = absolute;
  if (first === undefined || others.length === 0) return "";
  const within = (folder: string) => absolute.filter((path) => path.startsWith(folder)).length;
  let root = folderOf(first);
  while (root !== "/" && within(root) < absolute.length * MOST_PATHS) root = folderOf(root.slice(0, -1));
  return root === "/" ? "" : root;
}

/** The folder that a path lies in, with a slash at its end. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);
