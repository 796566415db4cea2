import { addTo } from "../../core/collections.ts";
import { addedText, type FileChange, lineSet } from "./file-changes.ts";

/** A file of a conversation. */
export interface KnownFile {
  /** Where it is now; where it was last, if it was deleted. */
  path: string;
  isDeleted: boolean;
  /** What is in it as far as the transcript shows it: by text without indentation, where each such line is shown, oldest first. */
  readonly lines: Map<string, (readonly number[])[]>;
}

/** A line of a file, and the ordinals of the transcript's lines that show it. */
export interface ShownLine {
  readonly text: string;
  readonly orders: readonly number[];
}

/** A part of a line that is replaced is looked for in files of so many lines, and told by lines of so many characters. */
const MOST_LINES = 20_000;

/** The files of a conversation after all edits so far, as far as the edits themselves tell. */
export interface KnownFiles {
  /** Lines of the transcript that were in a file and are gone since. */
  readonly gone: ReadonlySet<number>;
  at(path: string): KnownFile;
  /** Carries out a change. Returns its file, and the lines that it adds. */
  apply(change: FileChange): { readonly file: KnownFile; readonly added: readonly string[] };
  /** A line of the transcript shows a line that an edit added. */
  added(path: string, line: ShownLine): void;
  /** A look at a file shows these lines. Those that were known before are the same lines. */
  seen(path: string, lines: readonly ShownLine[]): void;
}

export function knownFiles(): KnownFiles {
  const files = new Map<string, KnownFile>();
  const gone = new Set<number>();
  const at = (path: string): KnownFile => {
    const known = files.get(path);
    if (known !== undefined) return known;
    const file = { path, isDeleted: false, lines: new Map() };
    files.set(path, file);
    return file;
  };
  const takeAway = ({ lines }: KnownFile, text: string, count = Number.POSITIVE_INFINITY): void => {
    for (const orders of lines.get(text)?.splice(0, count) ?? []) for (const order of orders) gone.add(order);
  };
  const end = (file: KnownFile): void => {
    for (const text of file.lines.keys()) takeAway(file, text);
    file.lines.clear();
  };
  const remove = (path: string): void => {
    const file = files.get(path);
    if (file === undefined) return;
    end(file);
    file.isDeleted = true;
    files.delete(path);
  };

  function replace(file: KnownFile, change: FileChange & { readonly type: "replace" }): readonly string[] {
    const inside = partsOf(file, change);
    for (const text of inside) takeAway(file, text, change.all ? undefined : 1);
    if (inside.length > 0) return inside.map((text) => text.replaceAll(change.old, () => change.now));
    const after = lineSet(change.now);
    for (const text of lineSet(change.old))
      if (!after.has(text)) takeAway(file, text, change.all ? undefined : 1);
    return addedText(change).split("\n");
  }

  return {
    gone,
    at,
    apply(change) {
      const file = at(change.file);
      if (change.type === "replace") return { file, added: replace(file, change) };
      if (change.type === "move") {
        if (change.to === file.path) return { file, added: [] };
        remove(change.to);
        files.delete(file.path);
        file.path = change.to;
        files.set(change.to, file);
        return { file, added: [] };
      }
      if (change.type === "delete") {
        remove(change.file);
        return { file, added: [] };
      }
      end(file);
      return { file, added: change.now === "" ? [] : change.now.split("\n") };
    },
    added(path, { text, orders }) {
      addTo(at(path).lines, text.trim(), orders);
    },
    seen(path, shown) {
      const { lines } = at(path);
      const counts = new Map<string, number>();
      for (const { text, orders } of shown) {
        // The transcript shows nothing of a blank line.
        if (orders.length === 0) continue;
        const line = text.trim();
        const place = counts.get(line) ?? 0;
        counts.set(line, place + 1);
        const same = lines.get(line);
        if (same?.[place] === undefined) addTo(lines, line, orders);
        else same[place] = [...same[place], ...orders];
      }
    },
  };
}

/** The known lines of which an edit replaces a part. One that doesn't mean all places means the only one. */
function partsOf(
  { lines }: KnownFile,
  { old, all, inLines }: FileChange & { readonly type: "replace" },
): readonly string[] {
  if (old === "" || inLines === true || old.includes("\n") || lines.size > MOST_LINES) return [];
  const found: string[] = [];
  let length = 0;
  for (const [text, places] of lines) {
    if (places.length === 0 || !text.includes(old)) continue;
    found.push(text);
    length += text.length;
    if (length > MOST_LINES || (!all && (found.length > 1 || places.length > 1))) return [];
  }
  return found;
}
