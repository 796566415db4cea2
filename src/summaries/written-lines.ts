import { addTo } from "../core/add-to.ts";
import { type FileChange, lineSet } from "./file-change.ts";
import { fileNames, type NamedFile } from "./file-names.ts";

/** A line that is in a file, and where the transcript shows it: the ordinals of its lines. */
type Shown = number[];

/** What the transcript tells of what is in a file. */
interface KnownFile {
  /** By their text without indentation, each as often as it is in there, oldest first. */
  readonly lines: Map<string, Shown[]>;
  /** Stretches of the file, newest last. */
  stretches: string[];
}

/** Of one file so much is looked through for what an edit replaces (characters). */
const MAX_KNOWN = 120_000;
/** … in so many stretches. */
const MAX_STRETCHES = 200;
/** A change in more places, or in longer lines, is told by its own words (characters of whole lines). */
const MAX_WHOLE_LINES = 20_000;

/** A line of a file, and the ordinals of the transcript's lines that show it. */
export interface ShownLine {
  readonly text: string;
  readonly orders: readonly number[];
}

/** What is in files after all edits so far, as far as edits and looks at files tell. */
export interface WrittenLines {
  /** Lines of the transcript that were in a file and are gone since. */
  readonly gone: ReadonlySet<number>;
  fileAt(path: string): NamedFile;
  /** Carries out a change. Returns the lines that it adds, whole as far as they are known. */
  apply(change: FileChange): string[];
  /** A line of the transcript shows a line that an edit added. */
  added(file: string, text: string, orders: readonly number[]): void;
  /** A look at a file shows a stretch of it. */
  seen(file: string, lines: readonly ShownLine[]): void;
}

export function writtenLines(): WrittenLines {
  const names = fileNames();
  const known = new Map<NamedFile, KnownFile>();
  const gone = new Set<number>();

  const knownOf = (file: NamedFile): KnownFile => {
    const before = known.get(file);
    if (before !== undefined) return before;
    const fresh = { lines: new Map(), stretches: [] };
    known.set(file, fresh);
    return fresh;
  };
  const forget = (file: NamedFile): void => {
    for (const same of known.get(file)?.lines.values() ?? [])
      for (const shown of same) for (const order of shown) gone.add(order);
    known.delete(file);
  };
  const takeAway = ({ lines }: KnownFile, text: string, everywhere: boolean): void => {
    const same = lines.get(text) ?? [];
    for (const shown of same.splice(0, everywhere ? same.length : 1))
      for (const order of shown) gone.add(order);
  };
  const keep = (file: KnownFile, stretch: string): void => {
    file.stretches.push(stretch);
    let length = file.stretches.reduce((sum, { length: own }) => sum + own, 0);
    while (length > MAX_KNOWN || file.stretches.length > MAX_STRETCHES)
      length -= file.stretches.shift()!.length;
  };

  function replace(file: KnownFile, change: Replacement): string[] {
    const places = change.old === "" ? [] : changeStretches(file, change);
    if (places.length === 0) {
      keep(file, change.now);
      places.push(change);
    }
    const before = lineSet(places.map(({ old }) => old).join("\n"));
    const after = lineSet(places.map(({ now }) => now).join("\n"));
    for (const line of before) if (!after.has(line)) takeAway(file, line, change.all);
    // Stretches may show the one place in more or less of its lines.
    const found = change.all ? places : [longest(places)];
    const length = found.reduce((sum, { now }) => sum + now.length, 0);
    const shown = length <= MAX_WHOLE_LINES ? found : [change];
    return shown.flatMap(({ now }) => now.split("\n").filter((line) => !before.has(line.trim())));
  }

  return {
    gone,
    fileAt: (path) => names.at(path),
    apply(change) {
      const files = names.carryOut(change);
      if (change.type === "replace") return files.flatMap((file) => replace(knownOf(file), change));
      if (change.type === "move") return [];
      for (const file of files) forget(file);
      if (change.type === "delete" || change.now === "") return [];
      for (const file of files) keep(knownOf(file), change.now);
      return change.now.split("\n");
    },
    added(file, text, orders) {
      addTo(knownOf(names.at(file)).lines, text.trim(), [...orders]);
    },
    seen(file, lines) {
      const one = knownOf(names.at(file));
      const counts = new Map<string, number>();
      let length = 0;
      for (const { text, orders } of lines) {
        length += text.length + 1;
        // The transcript shows nothing of a blank line.
        if (orders.length === 0) continue;
        const line = text.trim();
        const at = counts.get(line) ?? 0;
        counts.set(line, at + 1);
        // Seen again, it is the line that was there before.
        const before = one.lines.get(line)?.[at];
        if (before === undefined) addTo(one.lines, line, [...orders]);
        else for (const shown of orders) before.push(shown);
      }
      if (length <= MAX_KNOWN) keep(one, lines.map(({ text }) => text).join("\n"));
    },
  };
}

type Replacement = FileChange & { readonly type: "replace" };

interface Place {
  readonly old: string;
  readonly now: string;
}

function longest(places: readonly Place[]): Place {
  return places.reduce((best, place) => (place.old.length > best.old.length ? place : best));
}

/**
 * Changes what is known of a file where the text that is replaced is found in it. Returns what was changed there in whole lines. An
 * edit that doesn't mean all places means the only one, so a stretch with several of them isn't it.
 */
function changeStretches(file: KnownFile, change: Replacement): Place[] {
  const { old, now, all } = change;
  const places = new Map<string, Place>();
  file.stretches = file.stretches.flatMap((stretch) => {
    const first = placeIn(stretch, change, 0);
    if (first < 0 || (!all && placeIn(stretch, change, first + 1) >= 0)) return stretch;
    const found = [first];
    if (all)
      for (let at = first; at >= 0; at = placeIn(stretch, change, at + old.length))
        if (at > first) found.push(at);
    const length = stretch.length + found.length * (now.length - old.length);
    // A text that grows in many places with every edit has no bound.
    if (all && length > MAX_KNOWN) return [];
    let changed = "";
    let from = 0;
    /** Where the lines end whose places have all been told. */
    let told = -1;
    for (const at of found) {
      changed += stretch.slice(from, at) + now;
      from = at + old.length;
      if (from <= told) continue;
      const start = at === 0 ? 0 : stretch.lastIndexOf("\n", at - 1) + 1;
      const end = stretch.indexOf("\n", from);
      told = end < 0 ? stretch.length : end;
      const lines = stretch.slice(start, told);
      const after = all
        ? lines.replaceAll(old, () => now)
        : lines.slice(0, at - start) + now + lines.slice(from - start);
      places.set(lines, { old: lines, now: after });
    }
    return length > MAX_KNOWN ? [] : changed + stretch.slice(from);
  });
  return [...places.values()];
}

/** Where the text that is replaced stands in a stretch, from a place on; -1: nowhere. */
function placeIn(stretch: string, { old, inLines }: Replacement, from: number): number {
  let at = stretch.indexOf(old, from);
  if (inLines !== true) return at;
  const isEdge = (place: number): boolean => place < 0 || place >= stretch.length || stretch[place] === "\n";
  while (at >= 0 && !(isEdge(at - 1) && isEdge(at + old.length))) at = stretch.indexOf(old, at + 1);
  return at;
}
