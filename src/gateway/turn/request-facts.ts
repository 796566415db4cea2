import type { Report, Usage } from "../../core/types.ts";
import { spendOf } from "../../tokens/spend-of.ts";
import type { RequestFact } from "../api.ts";
import type { Turn, TurnParts } from "./turn.ts";

/** What operators want to know of a request beside its tokens. */
export type RequestDetails = Pick<RequestFact, "upstream" | "client" | "usage" | "spend" | "cacheLost">;

export function requestFacts(
  { windows }: Pick<TurnParts, "windows">,
  { client, upstream, asked }: Pick<Turn, "client" | "upstream" | "asked">,
  usage: Usage | undefined,
  report: Report | undefined,
): RequestDetails {
  const { prices } = windows.of(upstream, asked.model, client.tenant);
  const cacheLost = report?.prefixChanged ? report.prefixReason : undefined;
  return {
    upstream: upstream.name,
    ...(client.name !== undefined && { client: client.name }),
    ...(usage && { usage }),
    ...(usage && prices && { spend: spendOf(usage, prices) }),
    ...(cacheLost !== undefined && { cacheLost }),
  };
}
