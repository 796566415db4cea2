import type { Entry, Report } from "../core/types.ts";

/** Entries that the model gets to see, in the order of the wire. */
export function shownEntries(entries: readonly Entry[]): Entry[] {
  return entries.filter((entry) => entry.type !== "drop");
}

/** The receipt by itself: complete, in order, each insert where its last covered message stood. */
export function checkEntries(entries: readonly Entry[], length: number, counts: Report["counts"]): string[] {
  const breaches: string[] = [];
  const named = new Map<number, Entry["type"]>();
  for (const entry of entries) {
    if (entry.type === "insert") continue;
    if (named.has(entry.index)) breaches.push(`receipt: message ${entry.index} has two entries`);
    if (!Number.isInteger(entry.index) || entry.index < 0 || entry.index >= length)
      breaches.push(`receipt: message ${entry.index} doesn't exist`);
    named.set(entry.index, entry.type);
  }
  const covered = new Set<number>();
  for (const entry of entries) {
    if (entry.type !== "insert") continue;
    for (const run of entry.covers) {
      if (run.from >= run.to) breaches.push(`receipt: empty run ${run.from}–${run.to}`);
      for (let index = run.from; index < run.to; index++) {
        const type = named.get(index);
        if (type === "drop") breaches.push(`receipt: message ${index} is dropped and covered`);
        if (type !== undefined) continue;
        if (covered.has(index)) breaches.push(`receipt: message ${index} is covered twice`);
        if (index >= length) breaches.push(`receipt: message ${index} is covered but doesn't exist`);
        covered.add(index);
      }
    }
  }
  for (let index = 0; index < length; index++)
    if (!named.has(index) && !covered.has(index))
      breaches.push(`receipt: message ${index} isn't accounted for`);

  const tally = { kept: 0, edited: 0, covered: covered.size, dropped: 0, inserted: 0 };
  const field = { keep: "kept", edit: "edited", drop: "dropped", insert: "inserted" } as const;
  for (const entry of entries) tally[field[entry.type]]++;
  for (const name of Object.keys(tally) as (keyof typeof tally)[])
    if (tally[name] !== counts[name])
      breaches.push(`report: counts.${name} is ${counts[name]}, not ${tally[name]}`);
  return [...breaches, ...checkOrder(entries)];
}

function checkOrder(entries: readonly Entry[]): string[] {
  let previous = -1;
  for (const entry of entries) {
    // What speaks for nothing (a message for this request only, quotations of a summary) stands where it is wanted.
    if (entry.type === "insert" && entry.covers.length === 0) continue;
    const place = entry.type === "insert" ? Math.max(...entry.covers.map((run) => run.to - 1)) : entry.index;
    // An insert may share its place with a kept message that lies inside its run, and then stands behind it.
    if (entry.type === "insert" ? place < previous : place <= previous)
      return [`order: ${entry.type} at ${place} stands behind ${previous}`];
    previous = place;
  }
  return [];
}
