/** What only this report has: the marks below the curve, and entries that open. */
export const STREAM_STYLE = `
main > h2 { margin: 26px 0 10px; }
.plot .window { stroke: var(--soft); }
.tick.low { transform: translateY(20%); }
.marks { height: 20px; } .marks a, .marks i { position: absolute; transform: translateX(-50%); }
.marks a { color: var(--mark); font-size: 11px; text-decoration: none; top: 2px; }
.marks i { width: 4px; height: 4px; border-radius: 2px; background: var(--other); top: 0; }
.axis { display: flex; justify-content: space-between; margin-left: 46px; }
details.card, .said { padding: 14px 16px; }
summary { display: flex; flex-wrap: wrap; gap: 4px 14px; align-items: center; }
summary .bar { flex: 1 1 80px; }
details p { margin-top: 10px; }
.said { list-style: none; } li { overflow-wrap: anywhere; }
`;
