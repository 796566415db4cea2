import { createHash } from "node:crypto";
import { escapeHtml, escapeJson } from "./escape.ts";

/** What all reports look like: one column, light and dark, readable from 320 px up. No fonts or pictures from elsewhere. */
const BASE_STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f7f6f3; --card: #ffffff; --ink: #1d1c1a; --soft: #67635b; --edge: #e4e0d8; --faint: #efece6;
  --main: #0f766e; --main-fill: #0f766e26; --other: #c2570c; --limit: #b3261e; --mark: #4f46a5;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #131312; --card: #1c1b1a; --ink: #eceae5; --soft: #a29d94; --edge: #34322e; --faint: #262522;
    --main: #38c2ae; --main-fill: #38c2ae2b; --other: #f0954c; --limit: #f2837b; --mark: #a9a1f2;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; font-variant-numeric: tabular-nums; }
main { max-width: 1080px; margin: 0 auto; padding: 36px 24px 64px; }
h1 { font-size: 26px; line-height: 1.25; margin: 2px 0 6px; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 0; letter-spacing: -0.005em; }
h3 { font-size: 13px; margin: 22px 0 8px; color: var(--soft); font-weight: 600; }
p { margin: 0; }
a { color: inherit; }
.eyebrow { color: var(--main); font-weight: 650; font-size: 13px; }
.facts, .note { color: var(--soft); }
.facts { display: flex; flex-wrap: wrap; gap: 0 8px; }
.facts span:not(:last-child)::after { content: "·"; margin-left: 8px; color: var(--soft); }
.facts span { white-space: nowrap; }
.card { background: var(--card); border: 1px solid var(--edge); border-radius: 12px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); gap: 12px; margin: 26px 0; }
.tile { padding: 14px 16px 13px; }
.tile dt { color: var(--soft); font-size: 13px; }
.tile dd { margin: 0; }
.tile .value { font-size: 27px; line-height: 1.25; font-weight: 640; letter-spacing: -0.02em; }
.tile .note { font-size: 13px; line-height: 1.4; }
figure { margin: 0 0 16px; padding: 16px 18px 12px; }
figcaption { display: flex; flex-wrap: wrap; gap: 4px 18px; align-items: baseline; margin-bottom: 12px; }
.plot { position: relative; margin-left: 46px; height: 260px; touch-action: pan-y; outline-offset: 4px; }
.plot svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: hidden; }
.plot path, .plot line { vector-effect: non-scaling-stroke; fill: none; }
.plot .area { fill: var(--main-fill); }
.plot .main { stroke: var(--main); stroke-width: 1.75; stroke-linejoin: round; }
.plot .limit { stroke: var(--limit); stroke-width: 1.25; stroke-dasharray: 6 4; }
.grid { stroke: var(--edge); stroke-width: 1; }
span.tick { position: absolute; right: 100%; margin-right: 8px; transform: translateY(-50%); color: var(--soft); font-size: 12px; white-space: nowrap; }
.marks { position: relative; margin-left: 46px; height: 24px; }
details.card { margin-bottom: 8px; }
summary { cursor: pointer; }
:focus-visible { outline: 2px solid var(--mark); border-radius: 12px; }
.chip { display: inline-block; background: var(--faint); border-radius: 6px; padding: 0 7px; margin-right: 4px; font-size: 13px; line-height: 22px; }
.bar { height: 5px; border-radius: 3px; background: var(--faint); overflow: hidden; }
.bar b { display: block; height: 100%; background: var(--main); border-radius: 3px; }
table { width: 100%; border-collapse: collapse; font-size: 13.5px; }
th { text-align: left; color: var(--soft); font-weight: 500; font-size: 12.5px; padding: 4px 10px 4px 0; border-bottom: 1px solid var(--edge); }
td { padding: 5px 10px 5px 0; vertical-align: top; border-bottom: 1px solid var(--faint); }
.n { text-align: right; white-space: nowrap; }
.scroll { overflow: auto; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font: 12.5px/1.55 ui-monospace, "SF Mono", Menlo, Consolas, monospace;
  background: var(--faint); border-radius: 8px; padding: 14px 16px; max-height: 460px; overflow: auto; }
footer { color: var(--soft); font-size: 13px; margin-top: 36px; }
@media (max-width: 760px) {
  main { padding: 22px 14px 48px; }
  h1 { font-size: 21px; }
  .tiles { grid-template-columns: 1fr 1fr; gap: 8px; margin: 18px 0; }
  .tile:last-child:nth-child(odd) { grid-column: 1 / -1; }
  .tile { padding: 11px 12px; } .tile .value { font-size: 21px; } .tile .note { font-size: 12px; }
  figure { padding: 13px 12px 8px; }
  .plot { height: 200px; margin-left: 38px; } .marks { margin-left: 38px; }
  span.tick { font-size: 11px; margin-right: 6px; }
}
`;

export interface ReportPage {
  /** The command that writes it, such as `precis replay`. */
  readonly kind: string;
  readonly title: string;
  /** What stands in the browser's tab; otherwise title and kind. */
  readonly tab?: string;
  /** Short facts below the title. */
  readonly facts: readonly string[];
  /** What this report needs beside the style that all have. */
  readonly style: string;
  /** HTML. */
  readonly body: readonly string[];
  readonly script?: { readonly code: string; readonly data: unknown };
}

/**
 * A report as one page that needs nothing else: no request leaves it, and only its own script may run (its hash is in the
 * policy), whatever was said in the conversation that it is about.
 */
export function reportPage({ kind, title, tab, facts, style, body, script }: ReportPage): string {
  const scripts =
    script === undefined
      ? ""
      : ` script-src 'sha256-${createHash("sha256").update(script.code).digest("base64")}';`;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline';${scripts} base-uri 'none'; form-action 'none'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(tab ?? `${title} – ${kind}`)}</title><style>${BASE_STYLE}${style}</style></head><body><main>`,
    `<header><p class="eyebrow">${escapeHtml(kind)}</p><h1>${escapeHtml(title)}</h1>`,
    `<p class="facts">${facts.map((fact) => `<span>${escapeHtml(fact)}</span>`).join(" ")}</p></header>`,
    ...body,
    "</main>",
    ...(script === undefined
      ? []
      : [
          `<script type="application/json" id="data">${escapeJson(script.data)}</script>`,
          `<script>${script.code}</script>`,
        ]),
    "</body></html>\n",
  ].join("\n");
}

/** One figure that stands out. The note is HTML. */
export interface Tile {
  readonly name: string;
  readonly value: string;
  readonly note: string;
}

export const tilesHtml = (tiles: readonly Tile[]): string =>
  `<dl class="tiles">${tiles
    .map(
      ({ name, value, note }) =>
        `<div class="tile card"><dt>${name}</dt><dd class="value">${value}</dd><dd class="note">${note}</dd></div>`,
    )
    .join("")}</dl>`;

export interface Column {
  readonly label: string;
  readonly className?: string;
}

/** Cells are HTML: whoever fills them escapes. */
export function tableHtml(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const cell = (tag: "th" | "td", html: string, index: number): string => {
    const className = columns[index]?.className;
    return `<${tag}${className === undefined ? "" : ` class="${className}"`}>${html}</${tag}>`;
  };
  const line = (tag: "th" | "td", cells: readonly string[]): string =>
    `<tr>${cells.map((html, index) => cell(tag, html, index)).join("")}</tr>`;
  const head = columns.map(({ label }) => escapeHtml(label));
  return `<table><thead>${line("th", head)}</thead><tbody>${rows.map((cells) => line("td", cells)).join("")}</tbody></table>`;
}
