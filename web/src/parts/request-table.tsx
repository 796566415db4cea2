import { useEffect, useState } from "react";
import { type RequestFact, type RequestQuery, routes } from "../../../src/gateway/api.ts";
import { ago, count, dollars, duration, percent } from "../state/format.ts";
import { strings } from "../strings.ts";
import { ScrollArea } from "./scroll-area.tsx";
import { PlaceLink } from "./sidebar.tsx";
import { useApp } from "./use-store.ts";

const words = strings.gateway;
/** Requests that are shown at once. */
const SHOWN = 100;
/** Typing shouldn't ask for every letter, and a busy server not for every request (milliseconds). */
const SETTLE_MS = 250;

const OUTCOMES = ["failed", "compacted", "view", "pass", "observed", "off", "untouched"] as const;

/** Requests of clients: also those from before a reload or a restart, searched and filtered. */
export function RequestTable() {
  const app = useApp();
  const [query, setQuery] = useState<RequestQuery>({ from: "client" });
  const [requests, setRequests] = useState<readonly RequestFact[]>([]);
  const [known, setKnown] = useState<readonly RequestFact[]>([]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = () => {
      clearTimeout(timer);
      timer = setTimeout(
        () =>
          void app.attempt(async () => {
            const answer = await app.api.call(routes.requests, { query: { ...query, limit: SHOWN } });
            setRequests(answer.requests);
            if (Object.keys(query).length === 1) setKnown(answer.requests);
          }),
        SETTLE_MS,
      );
    };
    load();
    const off = app.live.on((event) => {
      if (event.type === "request") load();
    });
    return () => {
      clearTimeout(timer);
      off();
    };
  }, [app, query]);
  const change = (changes: { [K in keyof RequestQuery]: RequestQuery[K] | undefined }) =>
    setQuery((before) => {
      const merged = Object.entries({ ...before, ...changes }).filter(([, value]) => value);
      return Object.fromEntries(merged) as RequestQuery;
    });
  const isFiltered = Object.keys(query).length > 1;
  return (
    <section>
      <h2>{words.live}</h2>
      <fieldset className="tabs">
        <legend className="visually-hidden">{words.from}</legend>
        {(["client", "page"] as const).map((from) => (
          <button
            key={from}
            type="button"
            aria-pressed={query.from === from}
            // Models and clients of the one needn't be there in the other.
            onClick={() => setQuery({ from })}
          >
            {words.sides[from]}
          </button>
        ))}
      </fieldset>
      <form
        className="request-filters"
        aria-label={words.filters}
        onSubmit={(event) => event.preventDefault()}
      >
        <label>
          <span className="visually-hidden">{words.search}</span>
          <input
            type="search"
            placeholder={words.search}
            value={query.search ?? ""}
            onChange={(event) => change({ search: event.target.value })}
          />
        </label>
        <Filter
          label={words.columns.model}
          values={distinct(known.map(({ model }) => model))}
          value={query.model}
          onChange={(model) => change({ model })}
        />
        <Filter
          label={words.columns.client}
          values={distinct(known.map(({ client }) => client))}
          value={query.client}
          onChange={(client) => change({ client })}
        />
        <Filter
          label={words.columns.what}
          values={OUTCOMES}
          text={(value) => words.outcomes[value as "pass"]}
          value={query.outcome}
          onChange={(outcome) => change({ outcome: outcome as RequestQuery["outcome"] })}
        />
      </form>
      {requests.length === 0 ? (
        <p className="help">
          {isFiltered ? (
            words.noneMatch
          ) : query.from === "page" ? (
            words.pageNone
          ) : (
            <>
              {words.liveNone} <code>{`${location.origin}/v1`}</code>
            </>
          )}
        </p>
      ) : (
        <>
          <LostCache requests={requests} />
          <ScrollArea className="table-scroll" label={words.live}>
            <table className="requests">
              <thead>
                <tr>
                  {Object.values(words.columns).map((name) => (
                    <th key={name}>{name}</th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {requests.map((request, n) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: requests have no name of their own
                  <RequestRow key={`${request.at}-${n}`} request={request} />
                ))}
              </tbody>
            </table>
          </ScrollArea>
        </>
      )}
    </section>
  );
}

function RequestRow({ request }: { request: RequestFact }) {
  const { conversation, usage, spend, tokens, cacheLost } = request;
  return (
    <tr>
      <td>
        {conversation === undefined ? (
          ago(request.at, Date.now())
        ) : (
          <PlaceLink to={{ page: "chat", id: conversation, tab: "inspect" }}>
            {ago(request.at, Date.now())}
          </PlaceLink>
        )}
      </td>
      <td>{request.model ?? "–"}</td>
      <td>{request.client ?? "–"}</td>
      <td>{request.path}</td>
      <td className={request.status >= 400 ? "bad" : undefined}>{request.status}</td>
      <td>
        {tokens === undefined
          ? usage === undefined
            ? "–"
            : // What is passed on as it is isn't counted here; the provider counted it.
              count(usage.input)
          : tokens.before === tokens.after
            ? count(tokens.after)
            : words.became(tokens.before, tokens.after)}
      </td>
      <td title={cacheLost && words.lost[cacheLost]}>
        {usage === undefined
          ? "–"
          : words.cached(usage.cacheRead ?? 0, percent((usage.cacheRead ?? 0) / Math.max(1, usage.input)))}
      </td>
      <td>{spend === undefined ? words.unknown : dollars(spend)}</td>
      <td>{duration(request.ms)}</td>
      <td>{words.outcomes[request.outcome]}</td>
    </tr>
  );
}

/** What was spent on requests whose beginning precis changed, by the reason for it. */
function LostCache({ requests }: { requests: readonly RequestFact[] }) {
  const causes = new Map<NonNullable<RequestFact["cacheLost"]>, { requests: number; spend: number }>();
  for (const { cacheLost, spend = 0 } of requests) {
    if (cacheLost === undefined) continue;
    const before = causes.get(cacheLost) ?? { requests: 0, spend: 0 };
    causes.set(cacheLost, { requests: before.requests + 1, spend: before.spend + spend });
  }
  if (causes.size === 0) return null;
  return (
    <p className="help lost-cache">
      {words.lostTitle}{" "}
      {[...causes]
        .map(([cause, { requests: n, spend }]) => words.lostBy(words.lost[cause], count(n), spend))
        .join("; ")}
      .
    </p>
  );
}

function Filter({
  label,
  values,
  text = (value) => value,
  value,
  onChange,
}: {
  label: string;
  values: readonly string[];
  text?: (value: string) => string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}) {
  if (values.length < 2) return null;
  return (
    <select
      aria-label={label}
      value={value ?? ""}
      onChange={(event) => onChange(event.target.value || undefined)}
    >
      <option value="">{words.any(label)}</option>
      {values.map((one) => (
        <option key={one} value={one}>
          {text(one)}
        </option>
      ))}
    </select>
  );
}

const distinct = (values: readonly (string | undefined)[]): readonly string[] =>
  [...new Set(values)].filter((value) => value !== undefined).sort();
