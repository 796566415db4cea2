/** The page's only script: details on hover, by touch and by arrow keys; a mark opens its compaction. It writes text, never HTML. */
export const PAGE_SCRIPT = `
const data = JSON.parse(document.getElementById("data").textContent);
const group = (n) => Math.round(n).toString().replace(/\\B(?=(\\d{3})+$)/g, ",");
const share = (r) => (r * 100).toFixed(1) + " %";
function rows(i, kind) {
  const [at, tokens, full, unchanged, pressure, compaction, sent, all] = data.requests[i];
  const out = [["request " + (i + 1), "after message " + group(at)]];
  if (kind === "total") out.push(["sent so far", group(sent)], ["without precis", group(all)]);
  else out.push(["sent", group(tokens) + " (" + share(pressure) + ")"], ["unchanged", group(unchanged)], ["without precis", group(full)]);
  if (compaction) out.push(["compaction", String(compaction)]);
  return out;
}
function fill(tip, pairs) {
  tip.replaceChildren(...pairs.flat().map((text) => {
    const cell = document.createElement("span");
    cell.textContent = text;
    return cell;
  }));
}
for (const plot of document.querySelectorAll(".plot")) {
  const cursor = document.createElement("div"), tip = document.createElement("div");
  cursor.className = "cursor"; tip.className = "tip";
  cursor.hidden = tip.hidden = true;
  plot.append(cursor, tip);
  let index = 0;
  const show = (i) => {
    const n = data.requests.length;
    index = Math.max(0, Math.min(n - 1, i));
    const x = (index + 0.5) / n;
    cursor.hidden = tip.hidden = false;
    cursor.style.left = x * 100 + "%";
    fill(tip, rows(index, plot.dataset.kind));
    const width = plot.clientWidth, room = tip.offsetWidth;
    const left = x * width + 12 + room > width ? x * width - 12 - room : x * width + 12;
    tip.style.left = Math.max(0, Math.min(width - room, left)) + "px";
  };
  const hide = () => { cursor.hidden = tip.hidden = true; };
  plot.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect();
    show(Math.floor(((event.clientX - box.left) / box.width) * data.requests.length));
  });
  plot.addEventListener("pointerleave", hide);
  plot.addEventListener("blur", hide);
  plot.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    show(index + by);
  });
}
const openTarget = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) target.open = true;
};
addEventListener("hashchange", openTarget);
openTarget();
`;
