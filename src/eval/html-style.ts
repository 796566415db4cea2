/** What only this report has: a colour for each contestant, and many small charts. */
export const RETENTION_STYLE = `
:root{--c0:#c2410c;--c1:#0369a1;--c2:#15803d;--c3:#7e22ce;--c4:#a16207;--c5:#be185d;--c6:#9a3412;--c7:#4b5563;--c8:#0f766e}
@media (prefers-color-scheme:dark){:root{--c0:#fb923c;--c1:#38bdf8;--c2:#4ade80;--c3:#c084fc;--c4:#facc15;--c5:#f472b6;--c6:#fdba74;
--c7:#cbd5e1;--c8:#2dd4bf}}
main{max-width:90rem}
section{margin-top:2.5rem}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;padding:.6rem 0;margin:0;list-style:none;position:sticky;top:0;z-index:1;
background:var(--paper);font-size:.9rem}
.legend li::before{content:"";display:inline-block;width:.8em;height:.8em;border-radius:50%;margin-right:.4em;
background:var(--c);vertical-align:-.05em}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,17rem),1fr));gap:1rem;margin:.75rem 0}
.charts figure{margin:0;padding:.75rem}
.charts figcaption{display:block;margin:0;font-weight:600;font-size:.9rem}
figcaption small{display:block;font-weight:400;color:var(--soft);min-height:2.6em;line-height:1.3}
.charts svg{width:100%;height:auto;display:block}
text.tick{fill:var(--soft);font-size:11px}
.line polyline{fill:none;stroke:var(--c);stroke-width:1.75}.line line{stroke:var(--c);stroke-width:1.25;opacity:.6}
.line circle{fill:var(--c)}
${[0, 1, 2, 3, 4, 5, 6, 7, 8].map((n) => `.c${n}{--c:var(--c${n})}`).join("")}
table{width:auto}
th,td{padding:.3rem .7rem}
.who{white-space:nowrap;position:sticky;left:0;background:var(--paper)}
td small{color:var(--soft);display:block}
summary{color:var(--soft);padding:.35rem 0}
`;
