/** The look of the report: light or dark as the reader's system is, readable from a phone to a wall. */
export const STYLE = `
:root{color-scheme:light dark;--bg:#fbfaf8;--card:#fff;--ink:#1d1c1a;--dim:#6b6862;--rule:#e4e0d8;
--c0:#c2410c;--c1:#0369a1;--c2:#15803d;--c3:#7e22ce;--c4:#a16207;--c5:#be185d;--c6:#9a3412;--c7:#4b5563;--c8:#0f766e}
@media (prefers-color-scheme:dark){:root{--bg:#171614;--card:#201f1c;--ink:#eceae5;--dim:#a09c94;--rule:#38352f;
--c0:#fb923c;--c1:#38bdf8;--c2:#4ade80;--c3:#c084fc;--c4:#facc15;--c5:#f472b6;--c6:#fdba74;--c7:#cbd5e1;--c8:#2dd4bf}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem clamp(1rem,4vw,3rem) 4rem;max-width:90rem;background:var(--bg);color:var(--ink);
font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.6rem;margin:0 0 .25rem}h2{font-size:1.15rem;margin:2.5rem 0 .25rem}
p{margin:.25rem 0;color:var(--dim);max-width:70ch}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;padding:.6rem 0;margin:0;list-style:none;position:sticky;top:0;z-index:1;
background:var(--bg);font-size:.9rem}
.legend li::before{content:"";display:inline-block;width:.8em;height:.8em;border-radius:50%;margin-right:.4em;
background:var(--c);vertical-align:-.05em}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,17rem),1fr));gap:1rem;margin:.75rem 0}
figure{margin:0;padding:.75rem;background:var(--card);border:1px solid var(--rule);border-radius:.5rem}
figcaption{font-weight:600;font-size:.9rem}figcaption small{display:block;font-weight:400;color:var(--dim);min-height:2.6em;line-height:1.3}
svg{width:100%;height:auto;display:block}
.grid{stroke:var(--rule)}.tick{fill:var(--dim);font-size:11px}
.line polyline{fill:none;stroke:var(--c);stroke-width:1.75}.line line{stroke:var(--c);stroke-width:1.25;opacity:.6}
.line circle{fill:var(--c)}
${[0, 1, 2, 3, 4, 5, 6, 7, 8].map((n) => `.c${n}{--c:var(--c${n})}`).join("")}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .7rem;text-align:right;white-space:nowrap;border-bottom:1px solid var(--rule)}
th:first-child,td:first-child{text-align:left;position:sticky;left:0;background:var(--bg)}
td small{color:var(--dim);display:block}
summary{cursor:pointer;color:var(--dim);padding:.35rem 0}
`.trim();
