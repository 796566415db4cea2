import { routes, type Totals, type TotalsQuery, urlOf } from "../../src/gateway/api.ts";

/** What a server says that its requests come to. */
export async function totalsOf(url: string, query: TotalsQuery = {}, headers = {}): Promise<Totals> {
  return (await (await fetch(url + urlOf(routes.totals, {}, query), { headers })).json()) as Totals;
}
