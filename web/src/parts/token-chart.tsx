import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useEffect, useRef } from "react";
import { count, minuteOf, short } from "../state/format.ts";

interface Series {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** Name of a CSS colour variable, without the dashes. */
  readonly color: string;
  readonly fill?: boolean;
  readonly dashed?: boolean;
  readonly width?: number;
}

interface ChartProps {
  x: readonly number[];
  series: readonly Series[];
  /** Vertical lines: where compactions happened. */
  marks?: readonly number[];
  /** The place that is looked at. */
  at?: number;
  height: number;
  label: string;
  formatX?: (place: number) => string;
  formatY?: (value: number) => string;
  /** `step`: from one tick to the next. */
  formatTick?: (value: number, step: number) => string;
  /** Ticks aren't closer to each other than this. */
  leastStep?: number;
  /** Each value is a point, too: where there are gaps between them, no line shows a single one. */
  hasPoints?: boolean;
  /** Bars on top of each other instead of lines, each from its place on, and so wide. */
  bars?: number;
  /** Places are moments, in milliseconds. */
  isTime?: boolean;
  onPick?: (x: number) => void;
}

/** Tokens over a conversation, or sums over time. Drawn on canvas; the numbers stand beside it as text for everyone. */
export function TokenChart(props: ChartProps) {
  const { x, series, marks, at, height, label } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    const host = box.current;
    if (!host) return;
    const build = () => {
      plot.current?.destroy();
      const drawn = latest.current.bars === undefined ? series : stacked(series);
      plot.current = new UPlot(
        plotOptions(host, drawn, () => latest.current),
        [[...x], ...drawn.map(({ values }) => [...values])] as unknown as UPlot.AlignedData,
        host,
      );
    };
    build();
    const resize = new ResizeObserver(() => {
      if (plot.current && plot.current.width !== host.clientWidth)
        plot.current.setSize({ width: host.clientWidth, height });
    });
    resize.observe(host);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", build);
    const pick = () => {
      const left = plot.current?.cursor.left;
      if (plot.current && left !== undefined && left >= 0)
        latest.current.onPick?.(plot.current.posToVal(left, "x"));
    };
    host.addEventListener("click", pick);
    return () => {
      resize.disconnect();
      scheme.removeEventListener("change", build);
      host.removeEventListener("click", pick);
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [x, series, height]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only the marker moves
  useEffect(() => {
    plot.current?.redraw(false);
  }, [at, marks]);

  return <div ref={box} className="chart" role="img" aria-label={label} style={{ height }} />;
}

/** Each value on top of those before it, of its own sign; the largest sums first, so that the others are drawn over them. */
function stacked(series: readonly Series[]): readonly Series[] {
  const sums = new Map<string, number>();
  return series
    .map((one) => ({
      ...one,
      values: one.values.map((value, at) => {
        const stack = `${at} ${(value ?? 0) < 0}`;
        const sum = (sums.get(stack) ?? 0) + (value ?? 0);
        sums.set(stack, sum);
        return sum;
      }),
    }))
    .toReversed();
}

/** Says at the pointer what the chart's values are there. */
function showValues(u: UPlot, props: ChartProps): void {
  const { x, series, formatX, formatY = count, isTime, bars } = props;
  const { left = -1 } = u.cursor;
  // A bar begins at its place, and a point is nearest to it.
  const at = u.posToVal(left, "x");
  const idx = bars === undefined ? u.cursor.idx : x.findLastIndex((place) => place <= at);
  const tip = u.over.querySelector("div.chart-tip") ?? u.over.appendChild(document.createElement("div"));
  const isShown = left >= 0 && typeof idx === "number" && idx >= 0;
  tip.className = `chart-tip ${left < u.over.clientWidth / 2 ? "right" : ""}`;
  const place = isShown ? x[idx]! : 0;
  const title = isTime ? minuteOf(place) : (formatX?.(place) ?? `#${place}`);
  const values = series.flatMap(({ label, values }) =>
    isShown && values[idx] != null && (bars === undefined || values[idx] !== 0)
      ? [`${label}: ${formatY(values[idx])}`]
      : [],
  );
  tip.textContent = isShown ? [title, ...values].join("\n") : "";
}

/** Steps between ticks, all of which can be written short: …, 0.5, 1, 2, 5, 10, … */
const STEPS = Array.from({ length: 54 }, (_, n) => Number(`${[1, 2, 5][n % 3]}e${Math.floor(n / 3) - 6}`));

/** How uPlot draws the chart, in the colours that the host's styles have now. */
function plotOptions(host: HTMLElement, series: readonly Series[], latest: () => ChartProps): UPlot.Options {
  const { height, formatY = short, formatTick = formatY, leastStep = 1 } = latest();
  const { hasPoints = false, isTime = false, bars } = latest();
  const style = getComputedStyle(host);
  const color = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const font = `12px ${style.fontFamily}`;
  const axis = {
    stroke: color("soft"),
    font,
    grid: { stroke: color("line"), width: 1 },
    ticks: { show: false },
  };
  return {
    width: host.clientWidth,
    height,
    ms: 1,
    // The label of the last place stands half beside it. The slider below a chart is as long as it: `.scrub input`.
    padding: [12, 28, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { time: isTime, range: (_, min, max) => [min, max + (bars ?? 0)] },
      y: { range: (_, min, max) => [Math.min(0, min * 1.05), max > 0 ? max * 1.05 : min < 0 ? 0 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        space: isTime ? 80 : 50,
        // Messages are whole.
        ...(isTime ? {} : { incrs: STEPS.filter((step) => step >= 1) }),
        values: (_, ticks) => ticks.map((tick) => latest().formatX?.(tick) ?? `#${tick}`),
      },
      {
        ...axis,
        size: 66,
        incrs: STEPS.filter((step) => step >= leastStep),
        values: (_, ticks, _axis, _space, step) => ticks.map((tick) => formatTick(tick, step)),
      },
    ],
    series: [
      {},
      ...series.map((one) => ({
        label: one.label,
        stroke: color(one.color),
        width: one.width ?? 2,
        points: { show: hasPoints, size: 8, fill: color(one.color) },
        ...(bars !== undefined && {
          width: 0,
          fill: color(one.color),
          paths: UPlot.paths.bars!({ align: 1, size: [0.8, 28] }),
        }),
        ...(one.dashed && { dash: [6, 5] }),
        ...(one.fill && { fill: color(`${one.color}-wash`) }),
      })),
    ],
    hooks: {
      setCursor: [(u) => showValues(u, latest())],
      draw: [
        (u) => {
          const { ctx, bbox } = u;
          const line = (place: number, stroke: string, width: number, dash: readonly number[]) => {
            const px = u.valToPos(place, "x", true);
            ctx.save();
            ctx.beginPath();
            ctx.strokeStyle = stroke;
            ctx.lineWidth = width * devicePixelRatio;
            ctx.setLineDash(dash.map((d) => d * devicePixelRatio));
            ctx.moveTo(px, bbox.top);
            ctx.lineTo(px, bbox.top + bbox.height);
            ctx.stroke();
            ctx.restore();
          };
          const { marks = [], at } = latest();
          for (const mark of marks) line(mark, color("covered"), 1, [3, 3]);
          if (at !== undefined) line(at, color("ink"), 1.5, []);
        },
      ],
    },
  };
}

/** What the lines of a chart are. */
export function Legend(props: {
  items: readonly { readonly label: string; readonly color: string; readonly dashed?: boolean }[];
  marks?: string;
}) {
  const { items, marks } = props;
  return (
    <ul className="legend">
      {items.map(({ label, color, dashed }) => (
        <li key={label}>
          <i className={dashed ? "dashed" : undefined} style={{ borderColor: `var(--${color})` }} /> {label}
        </li>
      ))}
      {marks === undefined ? null : (
        <li>
          <i className="mark" /> {marks}
        </li>
      )}
    </ul>
  );
}
