import { ScrollArea } from "../parts/controls.tsx";
import { RequestTable } from "../parts/request-table.tsx";
import { Usage } from "../parts/usage.tsx";
import { useApp, useStore } from "../parts/use-store.ts";
import { strings } from "../strings.ts";

export default function GatewayView() {
  const app = useApp();
  const { status } = useStore(app.store);
  const words = strings.gateway;
  return (
    <ScrollArea className="page" label={words.title}>
      <h1>{words.title}</h1>
      <p className="lead">{words.lead}</p>
      <Usage />
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
