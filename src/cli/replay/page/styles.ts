/** What only this report has: legends, marks, receipts. */
export const REPLAY_STYLE = `
:root {
  --kept: #0f766e; --shortened: #c98a12; --covered: #6d63c9; --dropped: #a8a29a; --good: #0b6b47; --bad: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --kept: #38c2ae; --shortened: #e3ac40; --covered: #948bee; --dropped: #6c6860; --good: #56d3a0; --bad: #f2837b;
  }
}
.good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; }
.warnings { margin: 0 0 20px; padding: 10px 16px 10px 32px; color: var(--soft); font-size: 14px; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; color: var(--soft); font-size: 13px; }
.legend i { display: inline-block; width: 18px; height: 0; border-top: 3px solid; margin-right: 6px; vertical-align: 4px; border-radius: 2px; }
.legend i.dash { border-top-style: dashed; border-top-width: 2px; }
.legend i.box { height: 10px; width: 10px; border: 0; border-radius: 3px; vertical-align: -1px; }
.plot.low { height: 170px; }
.without { stroke: var(--other); stroke-width: 1.75; stroke-dasharray: 2 4; stroke-linecap: round; }
.seam { stroke: var(--mark); stroke-width: 1; opacity: 0.45; }
.tick.x { right: auto; top: 100%; margin: 6px 0 0; transform: translateX(-50%); }
.tick.x.first { transform: none; } .tick.x.last { transform: translateX(-100%); }
.axis { height: 24px; }
.mark { position: absolute; top: 2px; transform: translateX(-50%); min-width: 18px; height: 18px; padding: 0 4px; border-radius: 9px;
  background: var(--mark); color: var(--card); font-size: 11px; line-height: 18px; text-align: center; text-decoration: none; font-weight: 650; }
.mark.dot { min-width: 7px; width: 7px; height: 7px; padding: 0; top: 7px; border-radius: 4px; color: transparent; overflow: hidden; }
.cursor { position: absolute; top: 0; bottom: 0; width: 1px; background: var(--ink); opacity: 0.5; pointer-events: none; }
.tip { position: absolute; top: 8px; pointer-events: none; background: var(--ink); color: var(--paper); border-radius: 8px; padding: 8px 11px;
  font-size: 12.5px; line-height: 1.45; white-space: nowrap; z-index: 2; display: grid; grid-template-columns: auto auto; gap: 0 14px; box-shadow: 0 6px 20px #0003; }
.tip[hidden] { display: none; }
.tip span:nth-child(even) { text-align: right; }
.cost { width: 30%; } .cost i { display: inline-block; height: .8em; border-radius: 2px; margin: 0; background: var(--main); }
.list-head { margin: 34px 0 12px; display: flex; flex-wrap: wrap; gap: 4px 18px; align-items: baseline; }
details > summary { list-style: none; padding: 12px 16px; display: grid; align-items: center; gap: 4px 16px;
  grid-template-columns: 26px minmax(130px, 0.9fr) minmax(180px, 1.2fr) minmax(150px, 1.1fr) minmax(220px, 1.7fr) 14px; }
details > summary::-webkit-details-marker { display: none; }
details > summary::after { content: ""; width: 7px; height: 7px; border: solid var(--soft); border-width: 0 2px 2px 0; transform: rotate(45deg) translate(-2px, -2px); justify-self: end; }
details[open] > summary::after { transform: rotate(-135deg); }
details > summary:hover { background: var(--faint); border-radius: 12px; }
.badge { background: var(--mark); color: var(--card); font-weight: 650; font-size: 12px; border-radius: 10px; line-height: 20px; text-align: center; }
.where .note { display: block; font-size: 13px; line-height: 1.3; }
.drop { display: grid; gap: 3px; font-size: 13.5px; }
.counts { color: var(--soft); font-size: 13px; display: flex; flex-wrap: wrap; gap: 0 12px; }
.counts b { color: var(--ink); font-weight: 620; }
.counts i { display: inline-block; width: 8px; height: 8px; border-radius: 2px; margin-right: 5px; }
.inside { padding: 2px 16px 18px; border-top: 1px solid var(--edge); }
.strip { display: flex; height: 26px; border-radius: 6px; overflow: hidden; gap: 1px; background: var(--faint); }
.strip i { min-width: 1px; }
.kept { background: var(--kept); } .shortened { background: var(--shortened); } .covered { background: var(--covered); } .dropped { background: var(--dropped); }
.who { white-space: nowrap; }
.fate i { display: inline-block; width: 9px; height: 9px; border-radius: 2px; margin-right: 7px; }
td.what { overflow-wrap: anywhere; color: var(--soft); width: 40%; }
.scroll { max-height: 380px; }
@media (max-width: 760px) {
  .where .note { display: inline; } .where .note::before { content: ", "; }
  .plot.low { height: 140px; }
  .mark.near { min-width: 7px; width: 7px; height: 7px; padding: 0; top: 7px; border-radius: 4px; color: transparent; overflow: hidden; }
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
