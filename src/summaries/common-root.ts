/** Shorter folders aren't worth a line of their own (characters). */
const LEAST_ROOT = 12;

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
