/** The page's style: one column, light and dark, readable from 320 px up. No fonts or pictures from elsewhere. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f7f6f3; --card: #ffffff; --ink: #1d1c1a; --soft: #67635b; --line: #e4e0d8; --faint: #efece6;
  --sent: #0f766e; --sent-fill: #0f766e26; --without: #c2570c; --limit: #b3261e; --mark: #4f46a5;
  --kept: #0f766e; --shortened: #c98a12; --covered: #6d63c9; --dropped: #a8a29a;
  --good: #0b6b47; --bad: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #131312; --card: #1c1b1a; --ink: #eceae5; --soft: #a29d94; --line: #34322e; --faint: #262522;
    --sent: #38c2ae; --sent-fill: #38c2ae2b; --without: #f0954c; --limit: #f2837b; --mark: #a9a1f2;
    --kept: #38c2ae; --shortened: #e3ac40; --covered: #948bee; --dropped: #6c6860;
    --good: #56d3a0; --bad: #f2837b;
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
.eyebrow { color: var(--sent); font-weight: 650; font-size: 13px; }
.facts, .note { color: var(--soft); }
.facts { display: flex; flex-wrap: wrap; gap: 0 8px; }
.facts span:not(:last-child)::after { content: "·"; margin-left: 8px; color: var(--dropped); }
.facts span { white-space: nowrap; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); gap: 12px; margin: 26px 0; }
.tile { padding: 14px 16px 13px; }
.tile dt { color: var(--soft); font-size: 13px; }
.tile dd { margin: 0; }
.tile .value { font-size: 27px; line-height: 1.25; font-weight: 640; letter-spacing: -0.02em; }
.tile .note { font-size: 13px; line-height: 1.4; }
.good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; }
.warnings { margin: 0 0 20px; padding: 10px 16px 10px 32px; color: var(--soft); font-size: 14px; }
figure { margin: 0 0 16px; padding: 16px 18px 12px; }
figcaption { display: flex; flex-wrap: wrap; gap: 4px 18px; align-items: baseline; margin-bottom: 12px; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; color: var(--soft); font-size: 13px; }
.legend i { display: inline-block; width: 18px; height: 0; border-top: 3px solid; margin-right: 6px; vertical-align: 4px; border-radius: 2px; }
.legend i.dash { border-top-style: dashed; border-top-width: 2px; }
.legend i.box { height: 10px; width: 10px; border: 0; border-radius: 3px; vertical-align: -1px; }
.plot { position: relative; margin-left: 46px; height: 260px; touch-action: pan-y; outline-offset: 4px; }
.plot.low { height: 170px; }
.plot svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: hidden; }
.plot path, .plot line { vector-effect: non-scaling-stroke; fill: none; }
.grid { stroke: var(--line); stroke-width: 1; }
.area { fill: var(--sent-fill) !important; }
.sent { stroke: var(--sent); stroke-width: 1.75; stroke-linejoin: round; }
.without { stroke: var(--without); stroke-width: 1.75; stroke-dasharray: 2 4; stroke-linecap: round; }
.limit { stroke: var(--limit); stroke-width: 1.25; stroke-dasharray: 6 4; }
.seam { stroke: var(--mark); stroke-width: 1; opacity: 0.45; }
.tick { position: absolute; right: 100%; margin-right: 8px; transform: translateY(-50%); color: var(--soft); font-size: 12px; white-space: nowrap; }
.tick.x { right: auto; top: 100%; margin: 6px 0 0; transform: translateX(-50%); }
.tick.x.first { transform: none; } .tick.x.last { transform: translateX(-100%); }
.axis { height: 24px; }
.marks { position: relative; margin-left: 46px; height: 24px; }
.mark { position: absolute; top: 2px; transform: translateX(-50%); min-width: 18px; height: 18px; padding: 0 4px; border-radius: 9px;
  background: var(--mark); color: var(--card); font-size: 11px; line-height: 18px; text-align: center; text-decoration: none; font-weight: 650; }
.mark.dot { min-width: 7px; width: 7px; height: 7px; padding: 0; top: 7px; border-radius: 4px; color: transparent; overflow: hidden; }
.cursor { position: absolute; top: 0; bottom: 0; width: 1px; background: var(--ink); opacity: 0.5; pointer-events: none; }
.tip { position: absolute; top: 8px; pointer-events: none; background: var(--ink); color: var(--paper); border-radius: 8px; padding: 8px 11px;
  font-size: 12.5px; line-height: 1.45; white-space: nowrap; z-index: 2; display: grid; grid-template-columns: auto auto; gap: 0 14px; box-shadow: 0 6px 20px #0003; }
.tip[hidden] { display: none; }
.tip span:nth-child(even) { text-align: right; }
.list-head { margin: 34px 0 12px; display: flex; flex-wrap: wrap; gap: 4px 18px; align-items: baseline; }
details.card { margin-bottom: 8px; }
details > summary { list-style: none; cursor: pointer; padding: 12px 16px; display: grid; align-items: center; gap: 4px 16px;
  grid-template-columns: 26px minmax(130px, 0.9fr) minmax(180px, 1.2fr) minmax(150px, 1.1fr) minmax(220px, 1.7fr) 14px; }
details > summary::-webkit-details-marker { display: none; }
details > summary::after { content: ""; width: 7px; height: 7px; border: solid var(--soft); border-width: 0 2px 2px 0; transform: rotate(45deg) translate(-2px, -2px); justify-self: end; }
details[open] > summary::after { transform: rotate(-135deg); }
details > summary:hover { background: var(--faint); border-radius: 12px; }
:focus-visible { outline: 2px solid var(--mark); border-radius: 12px; }
.badge { background: var(--mark); color: var(--card); font-weight: 650; font-size: 12px; border-radius: 10px; line-height: 20px; text-align: center; }
.chip { display: inline-block; background: var(--faint); border-radius: 6px; padding: 0 7px; margin-right: 4px; font-size: 13px; line-height: 22px; }
.where .note { display: block; font-size: 13px; line-height: 1.3; }
.drop { display: grid; gap: 3px; font-size: 13.5px; }
.drop .bar { height: 5px; border-radius: 3px; background: var(--faint); overflow: hidden; }
.drop .bar b { display: block; height: 100%; background: var(--sent); border-radius: 3px; }
.counts { color: var(--soft); font-size: 13px; display: flex; flex-wrap: wrap; gap: 0 12px; }
.counts b { color: var(--ink); font-weight: 620; }
.counts i { display: inline-block; width: 8px; height: 8px; border-radius: 2px; margin-right: 5px; }
.inside { padding: 2px 16px 18px; border-top: 1px solid var(--line); }
.strip { display: flex; height: 26px; border-radius: 6px; overflow: hidden; gap: 1px; background: var(--faint); }
.strip i { min-width: 1px; }
.kept { background: var(--kept); } .shortened { background: var(--shortened); } .covered { background: var(--covered); } .dropped { background: var(--dropped); }
table { width: 100%; border-collapse: collapse; font-size: 13.5px; }
th { text-align: left; color: var(--soft); font-weight: 500; font-size: 12.5px; padding: 4px 10px 4px 0; border-bottom: 1px solid var(--line); }
td { padding: 5px 10px 5px 0; vertical-align: top; border-bottom: 1px solid var(--faint); }
td.n, th.n { text-align: right; white-space: nowrap; }
td.who { white-space: nowrap; }
td i { display: inline-block; width: 9px; height: 9px; border-radius: 2px; margin-right: 7px; }
td.what { overflow-wrap: anywhere; color: var(--soft); width: 40%; }
.scroll { max-height: 380px; overflow: auto; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font: 12.5px/1.55 ui-monospace, "SF Mono", Menlo, Consolas, monospace;
  background: var(--faint); border-radius: 8px; padding: 14px 16px; max-height: 460px; overflow: auto; }
footer { color: var(--soft); font-size: 13px; margin-top: 36px; }
@media (max-width: 760px) {
  main { padding: 22px 14px 48px; }
  h1 { font-size: 21px; }
  .tiles { grid-template-columns: 1fr 1fr; gap: 8px; margin: 18px 0; }
  .tile:last-child:nth-child(odd) { grid-column: 1 / -1; }
  .where .note { display: inline; } .where .note::before { content: ", "; }
  .tile { padding: 11px 12px; } .tile .value { font-size: 21px; } .tile .note { font-size: 12px; }
  figure { padding: 13px 12px 8px; }
  .plot { height: 200px; margin-left: 38px; } .marks { margin-left: 38px; } .plot.low { height: 140px; }
  .mark.near { min-width: 7px; width: 7px; height: 7px; padding: 0; top: 7px; border-radius: 4px; color: transparent; overflow: hidden; }
  .tick { font-size: 11px; margin-right: 6px; }
  details > summary { grid-template-columns: 26px 1fr 14px; padding: 11px 12px; }
  details > summary > :nth-child(n + 3) { grid-column: 2; }
  details > summary::after { grid-column: 3; grid-row: 1; }
  .inside { padding: 2px 12px 14px; }
  thead { display: none; }
  tr { display: grid; grid-template-columns: 1fr auto; border-bottom: 1px solid var(--faint); padding: 6px 0; }
  td { border: 0; padding: 0; } td.why, td.what { grid-column: 1 / -1; width: auto; color: var(--soft); }
  td.fate { text-align: right; } td.n { display: none; }
}
@media print { details > .inside { display: block; } .tip, .cursor { display: none; } }
`;
