import { useMemo } from "react";
import { routes, type Totals, type TotalsPart, type TotalsQuery } from "../../../src/gateway/api.ts";
import {
  count,
  dayOf,
  dollars,
  dollarTick,
  duration,
  hourOf,
  percent,
  rate,
  short,
  signedDollars,
} from "../state/format.ts";
import { stretchOf } from "../state/request-filters.ts";
import { strings } from "../strings.ts";
import { Failure, ScrollArea, Tabs } from "./controls.tsx";
import { Legend, TokenChart } from "./token-chart.tsx";
import { useLoaded } from "./use-loaded.ts";
import { useApp } from "./use-store.ts";

const words = strings.usage;
const DAY_MS = 86_400_000;
type By = keyof typeof words.names;
const CHART_HEIGHT = 170;
/** Names of a chart that can be told apart; the rest is one. */
const MOST_NAMES = 5;
const COLORS = ["fill-user", "fill-assistant", "fill-tool", "fill-image", "fill-summary", "fill-system"];

export function Sums({ totals }: { totals: Totals }) {
  const { tokensSaved, input, spend, cost, unpriced, net, repeated, compactions } = totals;
  const { requests, errors, p50, p95 } = totals;
  const isUnknown = spend + cost === 0 && unpriced > 0;
  const isLoss = !isUnknown && net < 0;
  const refused = Object.entries(totals.refused).map(([reason, n]) => words.refused(reason, n));
  return (
    <dl className="totals">
      <Total
        name={isLoss ? words.costs : words.net}
        value={isUnknown ? strings.gateway.unknown : dollars(Math.abs(net))}
        {...(!isUnknown && { note: words.without(net, spend + cost + net) })}
        kind={isLoss ? "main loss" : "main"}
      />
      <Total
        name={words.tokensSaved}
        value={short(tokensSaved)}
        {...(tokensSaved > 0 && { note: words.savedOf(tokensSaved, input + tokensSaved) })}
      />
      <Total
        name={words.requests}
        value={count(requests)}
        note={refused.length === 0 ? words.noneRefused : refused.join(", ")}
      />
      <Total
        name={words.errors}
        value={requests === 0 ? "–" : rate(errors / requests)}
        note={words.failed(errors)}
      />
      <Total
        name={words.p95}
        value={requests === 0 ? "–" : duration(p95)}
        {...(requests > 0 && { note: words.half(p50) })}
      />
      <Total
        name={words.compactions}
        value={count(compactions)}
        {...(repeated > 0 && { note: words.repeated(repeated) })}
      />
      <Total
        name={words.spend}
        value={isUnknown ? strings.gateway.unknown : dollars(spend + cost)}
        note={[words.summaries(cost), ...(unpriced > 0 ? [words.unpriced(unpriced)] : [])].join(", ")}
      />
      <Total
        name={words.conversations}
        value={count(totals.conversations)}
        note={words.messages(totals.messages)}
      />
    </dl>
  );
}

function Total(props: { name: string; value: string; note?: string; kind?: string }) {
  const { name, value, note, kind } = props;
  return (
    <div className={kind}>
      <dt>{name}</dt>
      <dd>
        {value}
        {note === undefined ? null : <small>{note}</small>}
      </dd>
    </div>
  );
}

/** Ticks of an axis aren't closer than this: prices of requests are small, and so are rates. */
const LEAST_DOLLARS = 1e-6;
const LEAST_RATE = 1e-3;

const add = (parts: readonly TotalsPart[], name: Exclude<keyof TotalsPart, "at" | "name">): number =>
  parts.reduce((sum, part) => sum + part[name], 0);
const asked = (parts: readonly TotalsPart[]) => parts.filter(({ requests }) => requests > 0);

/** What is drawn of each stretch of time, of the sums of one name or of several; null where there is nothing to draw. */
const CHARTS: readonly {
  readonly name: keyof typeof words.charts;
  value(parts: readonly TotalsPart[]): number | null;
  readonly format: (value: number) => string;
  readonly ticks?: Pick<Parameters<typeof TokenChart>[0], "formatTick" | "leastStep">;
  /** A line of points, and not bars on top of each other. `alone`: of several names together it isn't known. */
  readonly line?: "summed" | "alone";
}[] = [
  { name: "requests", value: (parts) => add(parts, "requests"), format: short },
  {
    name: "errors",
    value: (parts) => (asked(parts).length === 0 ? null : add(parts, "errors") / add(parts, "requests")),
    format: rate,
    ticks: { leastStep: LEAST_RATE },
    line: "summed",
  },
  {
    name: "latency",
    value: (parts) => asked(parts)[0]?.p95 ?? null,
    format: duration,
    line: "alone",
  },
  { name: "tokens", value: (parts) => add(parts, "input") + add(parts, "output"), format: short },
  ...(["spend", "saved"] as const).map((name) => ({
    name,
    value: (parts: readonly TotalsPart[]) =>
      name === "saved" ? add(parts, "net") : add(parts, "spend") + add(parts, "cost"),
    format: signedDollars,
    ticks: { formatTick: dollarTick, leastStep: LEAST_DOLLARS },
  })),
];

type Narrowed = Totals & { readonly query: TotalsQuery };

/** Sums over time, by model or client, and the same as a table. */
export function Charts(props: { totals: Narrowed; by: By; onBy: (by: By) => void }) {
  const { totals, by, onBy } = props;
  const { query, unpriced } = totals;
  const app = useApp();
  const { value: drawn, error } = useLoaded(async () => {
    const { since = totals.since, until = Date.now() } = query;
    const every = stretchOf(until - since);
    const first = Math.floor(since / every) * every;
    const x = Array.from(
      { length: Math.max(1, Math.ceil((until - first) / every)) },
      (_, n) => first + n * every,
    );
    const { parts = [] } = await app.api.call(routes.totals, { query: { ...query, since, every } });
    const by: By = query.by ?? "all";
    return { x, every, parts, by, sums: byRequests(totals.parts ?? []) };
  }, [app, totals]);
  return (
    <section>
      <Tabs legend={strings.gateway.by} names={strings.gateway.bys} chosen={by} onChoose={onBy} />
      {error === undefined ? null : <Failure error={error} />}
      {totals.requests + totals.cost === 0 ? (
        <p className="help">{words.none}</p>
      ) : drawn === undefined ? null : (
        <>
          <Drawn {...drawn} />
          {drawn.by === "all" ? null : <Table parts={drawn.sums} by={drawn.by} isPriced={unpriced === 0} />}
        </>
      )}
    </section>
  );
}

/** Those with most requests first. */
const byRequests = (parts: readonly TotalsPart[]) => parts.toSorted((a, b) => b.requests - a.requests);

interface Group {
  readonly label: string;
  readonly at: ReadonlyMap<number, readonly TotalsPart[]>;
  readonly isSeveral?: true;
}

function Drawn(props: {
  x: readonly number[];
  every: number;
  parts: readonly TotalsPart[];
  /** Of the whole time, those with most requests first. */
  sums: readonly TotalsPart[];
  by: By;
}) {
  const { x, every, parts, sums, by } = props;
  const groups = useMemo((): Group[] => {
    const at = (of: readonly string[]) =>
      Map.groupBy(
        parts.filter(({ name }) => of.includes(name)),
        (part) => part.at ?? 0,
      );
    const names = by === "all" ? [""] : sums.map(({ name }) => name);
    const rest = names.slice(MOST_NAMES);
    return [
      ...names.slice(0, MOST_NAMES).map((name) => ({ label: name || words.unnamed[by], at: at([name]) })),
      ...(rest.length === 0 ? [] : [{ label: words.others, at: at(rest), isSeveral: true as const }]),
    ];
  }, [parts, sums, by]);
  const formatX = x.at(-1)! - x[0]! < DAY_MS ? hourOf : dayOf;
  return (
    <>
      {by === "all" ? null : <Legend items={groups.map(({ label }, n) => ({ label, color: COLORS[n]! }))} />}
      <div className="usage-charts">
        {CHARTS.map((chart) => (
          <figure key={chart.name}>
            <figcaption>{words.charts[chart.name]}</figcaption>
            <OneChart chart={chart} x={x} every={every} groups={groups} formatX={formatX} />
          </figure>
        ))}
      </div>
    </>
  );
}

function OneChart(props: {
  chart: (typeof CHARTS)[number];
  x: readonly number[];
  every: number;
  groups: readonly Group[];
  formatX: (at: number) => string;
}) {
  const { chart, x, every, groups, formatX } = props;
  const series = useMemo(
    () =>
      groups
        .filter(({ isSeveral = false }) => chart.line !== "alone" || !isSeveral)
        .map(({ label, at }, n) => ({
          label,
          color: COLORS[n]!,
          values: x.map((place) => chart.value(at.get(place) ?? [])),
        })),
    [chart, x, groups],
  );
  return (
    <TokenChart
      x={x}
      series={series}
      height={CHART_HEIGHT}
      label={words.charts[chart.name]}
      formatX={formatX}
      formatY={chart.format}
      {...chart.ticks}
      isTime
      {...(chart.line === undefined ? { bars: every } : { hasPoints: true })}
    />
  );
}

function Table(props: { parts: readonly TotalsPart[]; by: By; isPriced: boolean }) {
  const { parts, by, isPriced } = props;
  return (
    <ScrollArea className="table-scroll" label={words.table}>
      <table className="sums">
        <thead>
          <tr>
            {[words.names[by], ...Object.values(words.columns)].map((one) => (
              <th key={one}>{one}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {byRequests(parts).map(
            ({ name, requests, errors, p50, p95, input, output, cacheRead, spend, cost, net }) => (
              <tr key={name}>
                <td>{name || words.unnamed[by]}</td>
                <td>{count(requests)}</td>
                <td>
                  {count(errors)}
                  {errors === 0 ? null : <small>{rate(errors / requests)}</small>}
                </td>
                <td>{requests === 0 ? "–" : duration(p50)}</td>
                <td>{requests === 0 ? "–" : duration(p95)}</td>
                <td>{short(input + output)}</td>
                <td>{percent(cacheRead / Math.max(1, input))}</td>
                <td>
                  {spend + cost === 0 && input > 0 && !isPriced
                    ? strings.gateway.unknown
                    : dollars(spend + cost)}
                  {cost === 0 ? null : <small>{words.summaries(cost)}</small>}
                </td>
                <td>{signedDollars(net)}</td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </ScrollArea>
  );
}
