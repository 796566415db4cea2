import type { Block, Cell, Chart, Report } from "../eval/report/report.ts";
import { type Look, wrap } from "./io.ts";

/** Lines of a list: a page has all of them. */
const LISTED = 12;
const GAP = "  ";
/** In a narrower terminal, notes of figures and rows of tables that don't fit stand on lines of their own. */
const NARROW = 76;
const MOST_BAR = 40;
/** Where the meter turns yellow and red. */
const YELLOW_AT = 0.7;
const RED_AT = 0.9;

interface How extends Look {
  /** Remarks stand beside their figures. */
  readonly ranges?: boolean;
}

/** A report for a terminal. Of what opens only the title and the facts are shown: the rest is for the page. */
export function reportText({ title, facts, blocks }: Report, how: How): string {
  const lines = [how.paint("strong", title), ...wrap(`${facts.join(", ")}.`, how.columns)];
  let before: Block["is"] | undefined;
  for (const block of blocks) {
    const own = blockLines(block, how);
    if (own.length === 0) continue;
    const isJoined = before === "heading" || (before === "fold" && block.is === "fold");
    lines.push(...(isJoined ? [] : [""]), ...own);
    before = block.is;
  }
  return `${lines.join("\n")}\n`;
}

function blockLines(block: Block, how: How): string[] {
  const { columns, paint } = how;
  const inside = (text: string): string[] => wrap(text, columns - GAP.length).map((line) => GAP + line);
  switch (block.is) {
    case "heading":
      return wrap(block.text, columns).map((line) => paint("strong", line));
    case "note":
      return wrap(block.text, columns).map((line) => paint("dim", line));
    case "list": {
      const more = block.lines.length - LISTED;
      return [
        ...block.lines.slice(0, LISTED).flatMap((line) => wrap(`- ${line}`, columns, GAP.length)),
        ...(more > 0 ? [`… and ${more} more; --json has all of them.`] : []),
      ];
    }
    case "tiles":
      return figureLines(block.tiles, how);
    case "chart":
      return chartText(block, how);
    case "table":
      return tableLines(block, how);
    case "text":
      return [paint("strong", block.title), ...wrap(block.text.replace(/\s+/g, " "), columns)];
    case "fold":
      // What no chart leads to is for the page alone.
      return block.id === undefined || block.facts === undefined
        ? []
        : [...wrap(`${paint("accent", "▲")} ${block.title}`, columns, 2), ...block.facts.flatMap(inside)];
    default:
      return block satisfies never;
  }
}

function figureLines(figures: Extract<Block, { is: "tiles" }>["tiles"], { columns, paint }: Look): string[] {
  const nameWidth = Math.max(...figures.map(({ name }) => name.length));
  const valueWidth = Math.max(...figures.map(({ value }) => value.length));
  const isWide = columns >= NARROW;
  const start = isWide ? nameWidth + valueWidth + 2 * GAP.length : GAP.length;
  return figures.flatMap(({ name, value, note }) => {
    const line = `${name.padEnd(nameWidth)}${GAP}${paint("strong", value.padStart(valueWidth))}`;
    const [first = "", ...rest] = note === "" ? [] : wrap(note, columns - start);
    const below = isWide ? rest : [first, ...rest].filter(Boolean);
    return [isWide && first ? line + GAP + first : line, ...below.map((text) => " ".repeat(start) + text)];
  });
}

/** Eighths of a line, from empty to full. */
const EIGHTHS = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const ROWS = 8;
const LABEL_WIDTH = 6;
/** Wider than this, a chart is no easier to read. */
const MAX_COLUMNS = 120;
/** Stands on top of a bar that is cut. */
const BEYOND = "↑";

/**
 * The first line of a chart that has a limit, as bars of text, with a mark under every bar in which something happened. A bar has the
 * highest value of its time: what was high before it fell must not vanish. Few points get several columns each.
 */
function chartText(
  { title, lines, limits, marks = [], ends, top, format }: Chart,
  { columns, paint }: Look,
): string[] {
  const [limit] = limits ?? [];
  const [{ points } = { points: [] }] = lines;
  if (limit === undefined) return [];
  const end = Math.max(...points.map(([x]) => x)) + 1;
  const width = Math.floor(
    Math.max(
      1,
      Math.min(columns - LABEL_WIDTH - 1, MAX_COLUMNS, end * Math.max(1, Math.ceil(MOST_BAR / end))),
    ),
  );
  const bars = Array.from({ length: width }, () => ({ value: -1, last: -1, marks: 0 }));
  const barAt = (x: number) => bars[Math.min(width - 1, Math.floor((x / end) * width))]!;
  for (const [x, y] of points) {
    const bar = barAt(x);
    bar.value = Math.max(bar.value, y);
    bar.last = y;
  }
  for (const { x } of marks) barAt(x).marks++;
  for (const [at, bar] of bars.entries())
    if (bar.value < 0) bar.value = bar.last = Math.max(0, bars[at - 1]?.last ?? 0);
  const labelOf = (row: number): string => {
    const value = [limit, limit / 2, 0].find((one) => Math.ceil((one / top) * ROWS) === row);
    return (value === undefined ? "" : format(value)).padStart(LABEL_WIDTH - 1);
  };
  const toneOf = (value: number) =>
    value < YELLOW_AT * limit ? "good" : value < RED_AT * limit ? "warn" : "bad";
  const drawn = Array.from({ length: ROWS }, (_, index) => {
    const row = ROWS - index;
    const label = labelOf(row);
    const cells = bars.map(({ value }) => {
      const eighths = Math.round((value / top) * ROWS * 8) - (row - 1) * 8;
      const isCut = row === ROWS && value > top;
      return paint(toneOf(value), isCut ? BEYOND : EIGHTHS[Math.max(0, Math.min(8, eighths))]!);
    });
    return `${paint("dim", `${label} ${label.trim() === "" ? "│" : "┤"}`)}${cells.join("")}`;
  });
  const below = bars.map(({ marks }) => (marks === 0 ? " " : marks === 1 ? "▲" : "◆")).join("");
  const about = `${title}, ${ends.join(" to ")}${marks.length > 0 ? "; ▲ compacted, ◆ several times" : ""}`;
  return [
    ...drawn,
    paint("dim", `${labelOf(0)} └${"─".repeat(width)}`),
    ...(marks.length > 0 ? [`${" ".repeat(LABEL_WIDTH + 1)}${paint("accent", below.trimEnd())}`] : []),
    ...wrap(about, columns).map((line) => paint("dim", line)),
  ];
}

/** Columns padded to their widest cell; the first one to the left, the others to the right, and a bar for what is filled. */
function tableLines(
  { columns: titles, rows }: Extract<Block, { is: "table" }>,
  { columns, paint, ranges }: How,
): string[] {
  const texts = rows.map((row) => row.map((cell) => cellText(cell, ranges)));
  const widths = titles.map((title, at) =>
    Math.max(title.length, ...texts.map((row) => (row[at] ?? "").length)),
  );
  const used = widths.reduce((sum, width) => sum + width, (widths.length - 1) * GAP.length);
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))
      .join(GAP)
      .trimEnd();
  if (used > columns && columns < NARROW)
    return texts.flatMap(([name = "", ...cells]) => [
      ...wrap(name, columns, GAP.length),
      ...wrap(cells.map((cell, at) => `${titles[at + 1]} ${cell}`).join(", "), columns - 4).map((text) =>
        paint("dim", `    ${text}`),
      ),
    ]);
  const room = Math.min(MOST_BAR, columns - used - GAP.length);
  /** A row's share is that of its last cell. */
  const bar = (last: Cell | undefined): string =>
    typeof last !== "object" || last.fill === undefined || room < MOST_BAR / 4
      ? ""
      : GAP + paint("accent", "█".repeat(Math.max(1, Math.round(last.fill * room))));
  return [paint("dim", line(titles)), ...texts.map((row, at) => line(row) + bar(rows[at]!.at(-1)))];
}

function cellText(cell: Cell, ranges = false): string {
  if (typeof cell === "string") return cell;
  return ranges && cell.small !== undefined ? `${cell.text} ${cell.small}` : cell.text;
}
