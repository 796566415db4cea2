import { useEffect, useState } from "react";
import { type RequestFact, type RequestQuery, routes } from "../../../src/gateway/api.ts";
import { useApp } from "./use-store.ts";

/** Requests that are shown at once. */
const SHOWN = 100;
/** Typing shouldn't ask for every letter, and a busy server not for every request (milliseconds). */
const SETTLE_MS = 250;

/** Whose requests: those of clients, or those of the page's chats. */
export type RequestSide = NonNullable<RequestQuery["from"]>;

/** What narrows the list; "" doesn't. */
export type RequestFilters = { readonly [K in "search" | "model" | "client" | "outcome"]: string };

export const NO_FILTERS: RequestFilters = { search: "", model: "", client: "", outcome: "" };

/** The newest requests that match, as they come in; and the models and clients that there are among them without filters. */
export function useRequests(from: RequestSide, filters: RequestFilters) {
  const app = useApp();
  const [requests, setRequests] = useState<readonly RequestFact[]>([]);
  const [met, setMet] = useState<{
    from: RequestSide;
    models: readonly string[];
    clients: readonly string[];
  }>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ""));
    const query: RequestQuery = { ...given, from, limit: SHOWN };
    const load = () => {
      clearTimeout(timer);
      timer = setTimeout(
        () =>
          void app.attempt(async () => {
            const answer = await app.api.call(routes.requests, { query });
            setRequests(answer.requests);
            setMet((before) => {
              const known = before?.from === from ? before : { models: [], clients: [] };
              return {
                from,
                models: joined(known.models, answer.requests, "model"),
                clients: joined(known.clients, answer.requests, "client"),
              };
            });
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
  }, [app, from, filters]);
  return { requests, models: met?.models ?? [], clients: met?.clients ?? [] };
}

/** Names that were met before, and those of these requests. */
function joined(
  before: readonly string[],
  requests: readonly RequestFact[],
  field: "model" | "client",
): readonly string[] {
  const names = requests.flatMap((request) => request[field] || []);
  return [...new Set([...before, ...names])].sort();
}
