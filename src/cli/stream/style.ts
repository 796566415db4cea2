/** The page's style: one column, light and dark, readable from 320 px up. */
export const STREAM_STYLE = `
:root { color-scheme: light dark; --paper: #f7f6f3; --card: #fff; --ink: #1d1c1a; --soft: #67635b; --edge: #e4e0d8; --line: #0f766e; --fill: #0f766e26; --limit: #b3261e; --mark: #4f46a5; --said: #c2570c; }
@media (prefers-color-scheme: dark) { :root { --paper: #131312; --card: #1c1b1a; --ink: #eceae5; --soft: #a29d94; --edge: #34322e; --line: #38c2ae; --fill: #38c2ae2b; --limit: #f2837b; --mark: #a9a1f2; --said: #f0954c; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; font-variant-numeric: tabular-nums; }
main { max-width: 1080px; margin: 0 auto; padding: 36px 20px 64px; }
h1 { font-size: 26px; line-height: 1.25; margin: 2px 0 6px; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 26px 0 10px; } h3 { font-size: 13px; margin: 14px 0 6px; color: var(--soft); }
p { margin: 0; } .soft { color: var(--soft); font-size: 14px; } .eyebrow { color: var(--line); font-weight: 650; font-size: 13px; }
.card { background: var(--card); border: 1px solid var(--edge); border-radius: 12px; padding: 14px 16px; margin: 0 0 12px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(170px, 1fr)); gap: 12px; margin: 24px 0 12px; }
.tiles .card { margin: 0; } dt { color: var(--soft); font-size: 13px; } dd { margin: 0; } .value { font-size: 24px; font-weight: 640; line-height: 1.3; }
figcaption { display: flex; flex-wrap: wrap; gap: 2px 16px; align-items: baseline; margin-bottom: 12px; } figcaption h2 { margin: 0; }
.plot { position: relative; height: 240px; margin-left: 40px; } .plot svg { position: absolute; inset: 0; width: 100%; height: 100%; }
.plot path, .plot line { vector-effect: non-scaling-stroke; fill: none; } .plot .area { fill: var(--fill); }
.line { stroke: var(--line); stroke-width: 1.5; stroke-linejoin: round; } .limit { stroke: var(--limit); stroke-dasharray: 6 4; } .window { stroke: var(--soft); }
.tick { position: absolute; right: 100%; margin-right: 6px; transform: translateY(-50%); color: var(--soft); font-size: 12px; } .tick.low { transform: translateY(20%); }
.marks { position: relative; height: 20px; margin-left: 40px; } .marks a, .marks i { position: absolute; transform: translateX(-50%); } .marks a { color: var(--mark); font-size: 11px; text-decoration: none; top: 2px; }
.marks i { width: 4px; height: 4px; border-radius: 2px; background: var(--said); top: 0; } .axis { display: flex; justify-content: space-between; margin-left: 40px; }
summary { display: flex; flex-wrap: wrap; gap: 4px 14px; align-items: center; cursor: pointer; } .chip { border: 1px solid var(--edge); border-radius: 99px; padding: 0 9px; font-size: 13px; }
.bar { flex: 1 1 80px; height: 6px; border-radius: 3px; background: var(--edge); overflow: hidden; } .bar b { display: block; height: 100%; background: var(--line); }
details p { margin-top: 10px; } pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; font: 13px/1.5 ui-monospace, monospace; } .said { list-style: none; } li { overflow-wrap: anywhere; }
`;
