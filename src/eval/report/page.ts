import { createHash } from "node:crypto";
import { escapeHtml, escapeJson } from "./escape.ts";
import { BASE_STYLE } from "./style.ts";

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

/** A table. Cells are HTML. */
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
