import { useMemo } from "react";
import { routes, type TotalsQuery } from "../../../src/gateway/api.ts";
import { Choice, Failure, Form, ScrollArea, Tabs } from "../parts/controls.tsx";
import { RequestTable } from "../parts/request-table.tsx";
import { Charts, Sums } from "../parts/usage.tsx";
import { useLoaded, useRequestNews } from "../parts/use-loaded.ts";
import { useApp } from "../parts/use-store.ts";
import { filtersOf, rangeOf } from "../state/request-filters.ts";
import type { RequestFilters } from "../state/router.ts";
import { strings } from "../strings.ts";

const words = strings.gateway;
/** A time that is typed shouldn't ask for every figure (milliseconds). */
const SETTLE_MS = 250;

/** What requests come to in a range of time, and each of them. One bar of filters is for all of it, and the address keeps it. */
export default function GatewayView({ filters: given }: { filters: RequestFilters }) {
  const app = useApp();
  const filters = useMemo(() => filtersOf(given), [given]);
  const { show, hours, since, until, model, client, by } = filters;
  const news = useRequestNews();
  const { value: all } = useLoaded(() => app.api.call(routes.totals), [app], { news });
  const { value: totals, error } = useLoaded(
    async () => {
      const range = rangeOf({ hours, since, until });
      const named = Object.entries({ model, client, by }).filter(([, one]) => one !== "" && one !== "all");
      const query: TotalsQuery = { ...range, ...Object.fromEntries(named) };
      return { ...(await app.api.call(routes.totals, { query })), query };
    },
    [app, hours, since, until, model, client, by],
    { settleMs: SETTLE_MS, news },
  );
  const change = (changes: RequestFilters) =>
    app.router.go({ page: "gateway", filters: { ...given, ...changes } }, "replace");
  return (
    <ScrollArea className="page gateway" label={words.title}>
      <h1>{words.title}</h1>
      <p className="lead">{words.lead}</p>
      <Form className="request-filters" aria-label={words.narrowed}>
        <Tabs
          legend={words.when}
          names={words.ranges}
          chosen={hours}
          onChoose={(chosen) => {
            const { since = all?.since, until = Date.now() } = rangeOf(filters);
            change({
              hours: chosen,
              since: "",
              until: "",
              ...(chosen === "custom" && { since: `${since}`, until: `${until}` }),
            });
          }}
        />
        {hours === "custom"
          ? (["since", "until"] as const).map((name) => (
              <TimeInput
                key={name}
                label={words[name]}
                value={filters[name]}
                onChange={(at) => change({ [name]: at })}
              />
            ))
          : null}
        {(["model", "client"] as const).map((name) => {
          const values = new Set(all?.[`${name}s`]);
          // A narrower list may be the address's own.
          if (filters[name] !== "") values.add(filters[name]);
          if (values.size < 2 && filters[name] === "") return null;
          const label = words.columns[name];
          return (
            <Choice
              key={name}
              isBrief
              label={label}
              none={words.any(label)}
              values={[...values].map((one) => [one, one] as const)}
              chosen={filters[name] || undefined}
              onChoose={(one = "") => change({ [name]: one })}
            />
          );
        })}
      </Form>
      {error === undefined ? null : <Failure error={error} />}
      {totals === undefined ? null : <Sums totals={totals} />}
      <Tabs legend={words.shown} names={words.shows} chosen={show} onChoose={(show) => change({ show })} />
      {show === "requests" ? (
        <RequestTable filters={filters} news={news} onChange={change} />
      ) : totals === undefined ? null : (
        <Charts totals={totals} by={by} onBy={(by) => change({ by })} />
      )}
    </ScrollArea>
  );
}

const MINUTE_MS = 60_000;

/** A moment of the browser's own time zone. Its value is in milliseconds, or "" for none. */
function TimeInput(props: { label: string; value: string; onChange: (value: string) => void }) {
  const { label, value, onChange } = props;
  const at = Number(value);
  const local = at - new Date(at).getTimezoneOffset() * MINUTE_MS;
  return (
    <label className="time">
      {label}
      <input
        type="datetime-local"
        value={value === "" ? "" : new Date(local).toISOString().slice(0, 16)}
        onChange={(event) => {
          const chosen = new Date(event.target.value).getTime();
          onChange(Number.isNaN(chosen) ? "" : String(chosen));
        }}
      />
    </label>
  );
}
