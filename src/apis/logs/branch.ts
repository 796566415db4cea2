/** A line of a log whose lines name the line that they follow. */
interface TreeLine {
  /** A line without an id follows the line before it in the file. */
  readonly id: string | undefined;
  /** The id of the line that this one follows; null for the first line of a branch. */
  readonly parent: string | null | undefined;
}

interface Branch {
  /** Places of the branch's lines in the file, in the order in which they were said. */
  readonly places: readonly number[];
  /** How many lines have no parent that could stand before them. They follow the line before them in the file. */
  readonly broken: number;
}

/**
 * The branch of a tree that ends in the line at `last`. A damaged log has ids that come twice, and parents that are missing
 * or lead in a circle: there the order of the file decides, so that no message is lost.
 */
export function branchTo(last: number, lines: readonly TreeLine[]): Branch {
  const parents = parentPlaces(lines);
  const taken = new Set<number>();
  let broken = 0;
  // Only ever falls, so that a file made of circles is walked through once.
  let below = lines.length;
  let at = last;
  while (at >= 0) {
    taken.add(at);
    const parent = parents[at];
    if (parent === undefined && lines[at]!.parent === null) break;
    if (parent !== undefined && !taken.has(parent)) {
      at = parent;
      continue;
    }
    broken += 1;
    below = Math.min(below, at);
    do below -= 1;
    while (taken.has(below));
    at = below;
  }
  return { places: withLinesBetween([...taken].reverse(), taken, lines), broken };
}

/**
 * The place of each line's parent: the nearest one before it, otherwise the first one with that id. A line that has the id
 * of an earlier one comes after that one, or the two would be branches that nobody made.
 */
function parentPlaces(lines: readonly TreeLine[]): readonly (number | undefined)[] {
  const first = new Map<string, number>();
  const nearest = new Map<string, number>();
  const before = lines.map(({ id, parent }, at) => {
    const named = typeof parent === "string" ? nearest.get(parent) : undefined;
    if (id === undefined) return named;
    const twin = nearest.get(id);
    nearest.set(id, at);
    if (twin === undefined) first.set(id, at);
    return twin === undefined || (named !== undefined && named > twin) ? named : twin;
  });
  return before.map((place, at) => {
    const { parent } = lines[at]!;
    return place ?? (typeof parent === "string" ? first.get(parent) : undefined);
  });
}

/** The branch with the lines that have no id, each behind the line that it follows. */
function withLinesBetween(
  path: readonly number[],
  taken: ReadonlySet<number>,
  lines: readonly TreeLine[],
): number[] {
  const places: number[] = [];
  const takeAlong = (from: number): void => {
    for (let at = from; at < lines.length && lines[at]!.id === undefined && !taken.has(at); at++)
      places.push(at);
  };
  takeAlong(0);
  for (const at of path) {
    places.push(at);
    takeAlong(at + 1);
  }
  return places;
}
