import type { Block, Cell, Report } from "./report.ts";

/** Columns of a terminal that everybody has. */
const WIDTH = 80;
/** Lines of a list: a page has all of them. */
const LISTED = 12;

/** A report for a terminal. What is drawn, and what opens, only the page shows. `ranges`: remarks stand beside their figures. */
export function reportText({ facts, blocks }: Report, { ranges }: { readonly ranges: boolean }): string {
  const parts = blocks.map((block) => blockText(block, ranges)).filter((text) => text !== undefined);
  return [wrapped(`${facts.join("; ")}.`), ...parts].join("\n\n").replaceAll(`${HEADING_END}\n\n`, "\n");
}

/** Nothing stands between a heading and what it is about. */
const HEADING_END = "\0";

function blockText(block: Block, ranges: boolean): string | undefined {
  switch (block.is) {
    case "heading":
      return `${block.text}${HEADING_END}`;
    case "note":
      return `${wrapped(block.text)}`;
    case "list": {
      const more = block.lines.length - LISTED;
      const lines = block.lines.slice(0, LISTED).map((line) => `- ${line}`);
      return [...lines, ...(more > 0 ? [`… and ${more} more; --json has all of them.`] : [])].join("\n");
    }
    case "table":
      return aligned([block.columns, ...block.rows.map((row) => row.map((cell) => cellText(cell, ranges)))]);
    default:
      return undefined;
  }
}

function cellText(cell: Cell, ranges: boolean): string {
  if (typeof cell === "string") return cell;
  return ranges && cell.small !== undefined ? `${cell.text} ${cell.small}` : cell.text;
}

/** Columns padded to their widest cell; the first one to the left, the others to the right. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  const line = (row: readonly string[]) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join("  ");
  return rows.map((row) => line(row).trimEnd()).join("\n");
}

const wrapped = (text: string): string =>
  text.replace(new RegExp(`(.{1,${WIDTH - 1}})(?: |$)`, "g"), "$1\n").trimEnd();
