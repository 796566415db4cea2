import { escapeMarkup } from "../../summaries/text/escape.ts";

/**
 * A report as data: what `replay`, `stream` and `eval` have to say, in blocks that one function writes as a page. The page needs
 * nothing else: no request leaves it and no script runs in it, whatever was said in the conversation that it is about.
 */
export interface Report {
  /** The command that writes it, such as `precis replay`. */
  readonly kind: string;
  readonly title: string;
  /** Short facts below the title. */
  readonly facts: readonly string[];
  readonly blocks: readonly Block[];
}

export type Block =
  | { readonly is: "heading" | "note"; readonly text: string }
  | { readonly is: "list"; readonly lines: readonly string[] }
  | { readonly is: "tiles"; readonly tiles: readonly Tile[] }
  | ({ readonly is: "chart" } & Chart)
  | { readonly is: "table"; readonly columns: readonly string[]; readonly rows: readonly (readonly Cell[])[] }
  /** What somebody wrote, word for word. */
  | { readonly is: "text"; readonly title: string; readonly text: string }
  /** Opens. A mark of a chart that names its id leads to it. */
  | {
      readonly is: "fold";
      readonly id?: string;
      readonly title: string;
      readonly facts?: readonly string[];
      readonly blocks: readonly Block[];
    };

/** One figure that stands out. */
interface Tile {
  readonly name: string;
  readonly value: string;
  readonly note: string;
}

/** A text, or one with a remark below it, or on a ground that is filled up to a share. */
export type Cell = string | { readonly text: string; readonly small?: string; readonly fill?: number };

export interface Chart {
  readonly title: string;
  readonly lines: readonly Line[];
  /** Values that are drawn across. */
  readonly limits?: readonly number[];
  readonly marks?: readonly { readonly x: number; readonly label: string; readonly id?: string }[];
  /** What stands below both ends. */
  readonly ends: readonly [string, string];
  readonly top: number;
  readonly format: (value: number) => string;
}

interface Line {
  readonly label: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export function reportPage({ kind, title, facts, blocks }: Report): string {
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(`${title} – ${kind}`)}</title><style>${STYLE}</style></head><body><main>`,
    `<header><p class="kind">${escapeHtml(kind)}</p><h1>${escapeHtml(title)}</h1>${factsHtml(facts)}</header>`,
    ...blocks.map(blockHtml),
    "</main></body></html>\n",
  ].join("\n");
}

function blockHtml(block: Block): string {
  switch (block.is) {
    case "heading":
      return `<h2>${escapeHtml(block.text)}</h2>`;
    case "note":
      return `<p class="note">${escapeHtml(block.text)}</p>`;
    case "list":
      return `<ul class="card">${block.lines.map((line) => `<li dir="auto">${escapeHtml(line)}</li>`).join("")}</ul>`;
    case "tiles":
      return `<dl class="tiles">${block.tiles.map((tile) => `<div class="card"><dt>${escapeHtml(tile.name)}</dt><dd class="value">${escapeHtml(tile.value)}</dd><dd class="note">${escapeHtml(tile.note)}</dd></div>`).join("")}</dl>`;
    case "chart":
      return chartHtml(block);
    case "table":
      return tableHtml(block.columns, block.rows);
    case "text":
      return `<h3>${escapeHtml(block.title)}</h3><pre tabindex="0">${escapeHtml(block.text)}</pre>`;
    case "fold": {
      const id = block.id === undefined ? "" : ` id="${block.id}"`;
      // What a link names stands inside: browsers open what holds it.
      return `<details class="card"><summary dir="auto">${escapeHtml(block.title)}${factsHtml(block.facts ?? [])}</summary><div${id}>${block.blocks.map(blockHtml).join("")}</div></details>`;
    }
    default:
      return block satisfies never;
  }
}

const factsHtml = (facts: readonly string[]): string =>
  facts.length === 0
    ? ""
    : `<span class="facts">${facts.map((fact) => `<span>${escapeHtml(fact)}</span>`).join(" ")}</span>`;

/** Numbers stand on the right, with a word beside them at most; a sentence that begins with one doesn't. */
const NUMBER = /^[\d$–+−±↑]\S*(?: \S+){0,2}$/;
const isNumber = (cell: Cell | undefined): boolean =>
  cell !== undefined && NUMBER.test(typeof cell === "string" ? cell : cell.text);

function tableHtml(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  // The first column names its row.
  const right = columns.map((_, at) => at > 0 && rows.length > 0 && rows.every((row) => isNumber(row[at])));
  const open = (tag: string, at: number) => `<${tag}${right[at] ? ' class="n"' : ""}>`;
  const head = columns.map((label, at) => `${open("th", at)}${escapeHtml(label)}</th>`).join("");
  const body = rows.map(
    (row) => `<tr>${row.map((cell, at) => `${open("td", at)}${cellHtml(cell)}</td>`).join("")}</tr>`,
  );
  return `<div class="scroll" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body.join("")}</tbody></table></div>`;
}

function cellHtml(cell: Cell): string {
  if (typeof cell === "string") return escapeHtml(cell);
  const text =
    escapeHtml(cell.text) + (cell.small === undefined ? "" : ` <small>${escapeHtml(cell.small)}</small>`);
  return cell.fill === undefined
    ? text
    : `<span class="fill" style="--fill:${percent(cell.fill)}">${text}</span>`;
}

const WIDTH = 1_000;
const HEIGHT = 260;
/** Space above the highest line. */
const HEADROOM = 1.06;
/** Colours that the style has. */
const COLORS = 9;

function chartHtml({ title, lines, limits = [], marks = [], ends, top, format }: Chart): string {
  const xs = lines.flatMap(({ points }) => points.map(([x]) => x));
  const [from, to] = [Math.min(...xs), Math.max(...xs)];
  const across = (x: number) => (to > from ? (x - from) / (to - from) : 0.5);
  const down = (y: number) => 1 - Math.min(1, y / (top * HEADROOM));
  const at = ([x, y]: readonly [number, number]) =>
    `${(across(x) * WIDTH).toFixed(1)},${(down(y) * HEIGHT).toFixed(1)}`;
  const drawn = lines.map(
    ({ points }, nth) => `<polyline class="c${nth % COLORS}" points="${points.map(at).join(" ")}"/>`,
  );
  const rules = limits.map((y) => `<polyline class="limit" points="${at([from, y])} ${at([to, y])}"/>`);
  const steps = scaleSteps(top).map(
    (y) => `<span class="tick" style="top:${percent(down(y))}">${escapeHtml(format(y))}</span>`,
  );
  const legend = lines.map(({ label }, nth) => `<span class="c${nth % COLORS}">${escapeHtml(label)}</span>`);
  const below = marks.map(({ x, label, id }) => {
    const [open, close] = id === undefined ? ["span", "span"] : [`a href="#${id}"`, "a"];
    return `<${open} class="mark" style="left:${percent(across(x))}" aria-label="${escapeHtml(label)}">▲</${close}>`;
  });
  return [
    `<figure class="card"><figcaption><h2>${escapeHtml(title)}</h2><span class="legend">${legend.join("")}</span></figcaption>`,
    `<div class="plot"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${escapeHtml(title)}">${rules.join("")}${drawn.join("")}</svg>${steps.join("")}</div>`,
    `<div class="marks">${below.join("")}</div><div class="ends note"><span>${escapeHtml(ends[0])}</span><span>${escapeHtml(ends[1])}</span></div></figure>`,
  ].join("");
}

const percent = (share: number): string => `${(100 * Math.min(1, Math.max(0, share))).toFixed(1)}%`;

/** Round numbers for the scale: three to six of them. */
export function scaleSteps(top: number): readonly number[] {
  const rough = top / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((value) => value >= rough) ?? rough;
  const steps: number[] = [];
  for (let value = 0; value <= top; value += step) steps.push(value);
  return steps;
}

/** One column, light and dark, readable from 320 px up. No fonts or pictures from elsewhere. */
const STYLE = `
:root { color-scheme: light dark; --paper: #f7f6f3; --card: #fff; --ink: #1d1c1a; --soft: #67635b; --edge: #e4e0d8; --faint: #efece6; --limit: #b3261e;
  --c0: #0f766e; --c1: #c2570c; --c2: #4f46a5; --c3: #0369a1; --c4: #a16207; --c5: #be185d; --c6: #15803d; --c7: #4b5563; --c8: #9a3412; }
@media (prefers-color-scheme: dark) { :root { --paper: #131312; --card: #1c1b1a; --ink: #eceae5; --soft: #a29d94; --edge: #34322e; --faint: #262522; --limit: #f2837b;
  --c0: #38c2ae; --c1: #f0954c; --c2: #a9a1f2; --c3: #38bdf8; --c4: #facc15; --c5: #f472b6; --c6: #4ade80; --c7: #cbd5e1; --c8: #fdba74; } }
${Array.from({ length: COLORS }, (_, n) => `.c${n} { --c: var(--c${n}); }`).join(" ")}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
main { max-width: 1080px; margin: 0 auto; padding: 24px 16px 48px; overflow-wrap: anywhere; }
h1 { font-size: 25px; line-height: 1.25; margin: 2px 0 6px; } h2 { font-size: 17px; margin: 28px 0 8px; } h3 { font-size: 13px; margin: 20px 0 8px; color: var(--soft); }
p { margin: 8px 0; } .kind { color: var(--c0); font-weight: 650; font-size: 13px; margin: 0; }
.note, .facts, small, dt { color: var(--soft); font-size: 13px; } small { display: block; }
.facts { display: flex; flex-wrap: wrap; gap: 0 14px; }
.card { background: var(--card); border: 1px solid var(--edge); border-radius: 12px; padding: 12px 16px; margin: 0 0 10px; }
ul.card { padding-left: 32px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 0 12px; margin: 20px 0 10px; }
dd { margin: 0; } .value { font-size: 24px; font-weight: 640; }
figcaption { display: flex; flex-wrap: wrap; gap: 4px 18px; align-items: baseline; } figcaption h2 { margin: 0 0 10px; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; font-size: 13px; } .legend span { color: var(--c); }
.plot { position: relative; margin-left: 50px; height: 220px; } svg { width: 100%; height: 100%; display: block; }
polyline { fill: none; stroke: var(--c); stroke-width: 1.75; vector-effect: non-scaling-stroke; } .limit { stroke: var(--limit); stroke-dasharray: 6 4; }
.tick { position: absolute; right: 100%; margin-right: 8px; transform: translateY(-50%); color: var(--soft); font-size: 12px; white-space: nowrap; }
.marks { position: relative; margin-left: 50px; height: 18px; } .mark { position: absolute; transform: translateX(-50%); color: var(--c2); font-size: 11px; text-decoration: none; }
.ends { margin-left: 50px; display: flex; justify-content: space-between; }
summary { cursor: pointer; } :focus-visible { outline: 2px solid var(--c2); }
.scroll { overflow: auto; max-height: 480px; } table { width: 100%; border-collapse: collapse; font-size: 13.5px; overflow-wrap: normal; }
th, td { text-align: left; padding: 5px 14px 5px 0; vertical-align: top; border-bottom: 1px solid var(--faint); } th { color: var(--soft); font-weight: 500; } .n { text-align: right; white-space: nowrap; }
.fill { display: block; padding: 0 6px; border-radius: 4px; background: linear-gradient(90deg, color-mix(in srgb, var(--c0) 30%, transparent) var(--fill), transparent var(--fill)); }
pre { margin: 0; white-space: pre-wrap; font: 12.5px/1.55 ui-monospace, Menlo, Consolas, monospace; background: var(--faint); border-radius: 8px; padding: 12px; max-height: 460px; overflow: auto; }
`;

/** Text for HTML, inside elements and inside quoted attributes. Control characters that HTML forbids leave. */
export const escapeHtml = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to remove
  escapeMarkup(text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, "\ufffd"));
