/** Share of absolute paths that lie in the common folder. What lies elsewhere by itself keeps its whole path. */
const MOST_PATHS = 0.8;

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
