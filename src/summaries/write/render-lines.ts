import { baseName } from "../ledger.ts";
import type { Line } from "../lines.ts";
import { headName, type SectionEntry } from "../sections.ts";
import { isChange } from "../select/select-lines.ts";
import { fromRoot } from "./common-root.ts";

interface Group {
  readonly file: string;
  readonly speaker: string;
  readonly from: number;
  to: number;
  readonly lines: Line[];
}

/** Lines in time order, in groups by speaker and by file or message, each with a pointer to where it begins. */
export function renderLines(
  lines: readonly Line[],
  textOf: (line: Line) => string,
  /** What else stands among them, in the order of time. */
  beside: readonly { readonly message: number; readonly entry: SectionEntry }[] = [],
  /** The folder that paths are written from. */
  root = "",
): SectionEntry[] {
  const groups: Group[] = [];
  for (const line of [...lines].sort((a, b) => a.order - b.order)) {
    const group = groups.at(-1);
    const speaker = speakerOf(line);
    const joins =
      group !== undefined &&
      group.speaker === speaker &&
      group.file === line.file &&
      (line.file !== "" || group.to === line.message);
    if (joins) {
      group.to = line.message;
      group.lines.push(line);
    } else groups.push({ file: line.file, speaker, from: line.message, to: line.message, lines: [line] });
  }
  const entries: SectionEntry[] = [];
  const waiting = [...beside];
  const placed = new Set<string>();
  for (const [at, group] of groups.entries()) {
    while (waiting.length > 0 && waiting[0]!.message < group.from) entries.push(waiting.shift()!.entry);
    const before = groups[at - 1]?.file === group.file ? entries.at(-1)?.text : undefined;
    entries.push(renderGroup(group, textOf, { before, isPlaced: placed.has(group.file), root }));
    if (isChange(group.lines[0]!)) placed.add(group.file);
  }
  return [...entries, ...waiting.map(({ entry }) => entry)];
}

function speakerOf({ by }: Line): string {
  return typeof by === "object" ? by.source : by;
}

/** `#12 read a.ts»` for what a tool said of a file, `#12 user:` for a person, `#12 changed src/a.ts:` for what was written into a
 * file (the next time `a.ts`), `#12` for the assistant and its calls. */
function renderGroup(
  { file, from, lines }: Group,
  textOf: (line: Line) => string,
  known: {
    /** What stands right before it about the same file, such as the call. */
    readonly before: string | undefined;
    /** An entry before it says where the file is. */
    readonly isPlaced: boolean;
    readonly root: string;
  },
): SectionEntry {
  const texts = lines.map((line) =>
    line.kind === "call" ? fromRoot(textOf(line), known.root) : textOf(line),
  );
  const { by } = lines[0]!;
  const text = texts.join("\n");
  const pointer = `#${from + 1}`;
  if (by === "user" || by === "system") return { head: `${pointer} ${by}:`, text };
  const name = headName(baseName(file), "file");
  // The name of the file, unless one of its lines says it anyway, or the one before.
  const isSaid = name === "" || [...texts, known.before].some((one) => one?.includes(name));
  const shown = isSaid ? "" : name;
  if (typeof by === "object") {
    const named = shown === "" || shown === by.source ? by.source : `${by.source} ${shown}`;
    return { head: `${pointer} ${named}»`, text };
  }
  if (isChange(lines[0]!))
    return { head: pointer, text: `changed ${known.isPlaced ? name : fromRoot(file, known.root)}: ${text}` };
  return { head: pointer, text: shown === "" ? text : `${shown}: ${text}` };
}
