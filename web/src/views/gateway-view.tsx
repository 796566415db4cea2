import { useEffect, useState } from "react";
import { routes, type Totals } from "../../../src/gateway/api.ts";
import { ScrollArea } from "../parts/controls.tsx";
import { RequestTable } from "../parts/request-table.tsx";
import { useApp, useStore } from "../parts/use-store.ts";
import { count, dollars, short } from "../state/format.ts";
import { strings } from "../strings.ts";

const REFRESH_MS = 5_000;

export default function GatewayView() {
  const app = useApp();
  const { status } = useStore(app.store);
  const [totals, setTotals] = useState<Totals>();
  const words = strings.gateway;
  useEffect(() => {
    const load = () => void app.attempt(async () => setTotals(await app.api.call(routes.totals)));
    load();
    const timer = setInterval(load, REFRESH_MS);
    const off = app.live.on((event) => {
      if (event.type === "request") load();
    });
    return () => {
      clearInterval(timer);
      off();
    };
  }, [app]);
  return (
    <ScrollArea className="page" label={words.title}>
      <h1>{words.title}</h1>
      <p className="lead">{words.lead}</p>
      {totals === undefined ? null : (
        <dl className="totals">
          <Total
            name={words.saved}
            value={short(totals.tokensSaved)}
            {...(totals.tokensBefore > 0 && {
              note: words.savedOf(totals.tokensSaved / totals.tokensBefore),
            })}
            isMain
          />
          <Total
            name={words.requests}
            value={count(totals.requests)}
            note={[
              words.errors(totals.errors),
              ...Object.entries(totals.refused).map(([reason, n]) => words.refused(reason, n)),
            ].join(", ")}
          />
          <Total name={words.compactions} value={count(totals.compactions)} />
          <Spent totals={totals} />
          <Total
            name={words.conversations}
            value={count(totals.conversations)}
            note={words.messages(totals.messages)}
          />
        </dl>
      )}
      <RequestTable />
      <section>
        <h2>{words.upstreams}</h2>
        {status?.upstreams.length === 0 ? (
          <p className="help">
            {words.noUpstream} {strings.offline.how}
          </p>
        ) : null}
        <ul className="served">
          {status?.upstreams.map((upstream) => (
            <li key={upstream.name}>
              <strong>{upstream.name}</strong>
              <span>
                {upstream.baseURL} · {upstream.dialects.join(", ")} · {words.keys[upstream.keys]}
              </span>
            </li>
          ))}
        </ul>
      </section>
    </ScrollArea>
  );
}

/** What nobody knows the price of isn't free. */
function Spent({ totals: { cost, unpriced } }: { totals: Totals }) {
  const words = strings.gateway;
  if (unpriced === 0) return <Total name={words.cost} value={dollars(cost)} />;
  if (cost === 0) return <Total name={words.cost} value={words.unknown} />;
  return <Total name={words.cost} value={dollars(cost)} note={words.unpriced(unpriced)} />;
}

function Total(props: { name: string; value: string; note?: string; isMain?: boolean }) {
  const { name, value, note, isMain = false } = props;
  return (
    <div className={isMain ? "main" : undefined}>
      <dt>{name}</dt>
      <dd>
        {value}
        {note === undefined ? null : <small>{note}</small>}
      </dd>
    </div>
  );
}
