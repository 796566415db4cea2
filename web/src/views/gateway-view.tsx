import { useMemo } from "react";
import { routes } from "../../../src/gateway/api.ts";
import { Choice, Failure, Form, ScrollArea, Tabs } from "../parts/controls.tsx";
import { RequestTable } from "../parts/request-table.tsx";
import { Charts, Sums } from "../parts/usage.tsx";
import { useLoaded, useRequestNews } from "../parts/use-loaded.ts";
import { useApp } from "../parts/use-store.ts";
import { filtersOf, STRETCHES, startOf } from "../state/request-filters.ts";
import type { RequestFilters } from "../state/router.ts";
import { strings } from "../strings.ts";

const words = strings.gateway;
/** Typing shouldn't ask for every letter, and a busy server not for every request (milliseconds). */
const SETTLE_MS = 250;

/** What requests come to in a range of time, and each of them. One bar of filters is for all of it, and the address keeps it. */
export default function GatewayView({ filters: given }: { filters: RequestFilters }) {
  const app = useApp();
  const filters = useMemo(() => filtersOf(given), [given]);
  const { show, hours, model, client, by } = filters;
  const news = useRequestNews();
  const { value: all } = useLoaded(() => app.api.call(routes.totals), [app, news], SETTLE_MS);
  const { value: totals, error } = useLoaded(
    async () => {
      const since = startOf(hours);
      const every = STRETCHES[hours];
      const query = { since, every, by, ...(model && { model }), ...(client && { client }) };
      return { ...(await app.api.call(routes.totals, { query })), query };
    },
    [app, hours, model, client, by, news],
    SETTLE_MS,
  );
  const change = (changes: RequestFilters) =>
    app.router.go({ page: "gateway", filters: { ...given, ...changes } }, "replace");
  return (
    <ScrollArea className="page" label={words.title}>
      <h1>{words.title}</h1>
      <p className="lead">{words.lead}</p>
      <Form className="request-filters" aria-label={words.narrowed}>
        <Tabs
          legend={words.when}
          names={words.ranges}
          chosen={hours}
          onChoose={(hours) => change({ hours })}
        />
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
