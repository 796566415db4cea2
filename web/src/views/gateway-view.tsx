import { ScrollArea } from "../parts/controls.tsx";
import { RequestTable } from "../parts/request-table.tsx";
import { Usage } from "../parts/usage.tsx";
import type { RequestFilters } from "../state/router.ts";
import { strings } from "../strings.ts";

const words = strings.gateway;

export default function GatewayView({ filters }: { filters: RequestFilters }) {
  return (
    <ScrollArea className="page" label={words.title}>
      <h1>{words.title}</h1>
      <p className="lead">{words.lead}</p>
      <Usage />
      <RequestTable filters={filters} />
    </ScrollArea>
  );
}
