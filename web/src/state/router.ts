import { createStore } from "./store.ts";

/** What a conversation can be looked at as. */
export type ChatTab = "chat" | "inspect" | "timeline";

export type Place =
  | { readonly page: "home" }
  | {
      readonly page: "chat";
      readonly id: string;
      readonly tab: ChatTab;
      readonly message?: number;
    }
  | { readonly page: "compare"; readonly id: string | undefined }
  | { readonly page: "settings" }
  | { readonly page: "gateway"; readonly filters?: RequestFilters }
  | { readonly page: "request"; readonly id: string }
  | { readonly page: "stream" }
  /** An address that leads nowhere. */
  | { readonly page: "nowhere"; readonly path: string };

/** What the page of operators is narrowed to, and what of it is shown. */
const FILTERS = [
  ...(["from", "search", "model", "client", "outcome"] as const),
  ...(["hours", "since", "until", "show", "by", "sort", "order"] as const),
] as const;
export type RequestFilters = { readonly [K in (typeof FILTERS)[number]]?: string };

type Address = Pick<Location, "pathname" | "search" | "hash">;

function placeOf({ pathname, search, hash }: Address): Place {
  const [page, id, tab] = pathname.split("/").filter(Boolean).map(decodeURIComponent);
  const message = /^#message-(\d{1,9})$/.exec(hash)?.[1];
  if (page === "c" && id !== undefined)
    return {
      page: "chat",
      id,
      tab: tab === "inspect" || tab === "timeline" ? tab : "chat",
      ...(message !== undefined && { message: Number(message) }),
    };
  if (page === "compare") return { page: "compare", id };
  if (page === "requests" && id !== undefined) return { page: "request", id };
  if (page === "gateway") return { page, filters: filtersOf(search) };
  if (page === "settings" || page === "stream") return { page };
  return page === undefined ? { page: "home" } : { page: "nowhere", path: pathname };
}

function filtersOf(search: string): RequestFilters {
  const given = new URLSearchParams(search);
  return Object.fromEntries(FILTERS.flatMap((name) => (given.get(name) ? [[name, given.get(name)!]] : [])));
}

export function pathOf(place: Place): string {
  switch (place.page) {
    case "home":
      return "/";
    case "chat":
      return `/c/${encodeURIComponent(place.id)}${place.tab === "chat" ? "" : `/${place.tab}`}${place.message === undefined ? "" : `#message-${place.message}`}`;
    case "compare":
      return place.id === undefined ? "/compare" : `/compare/${encodeURIComponent(place.id)}`;
    case "request":
      return `/requests/${encodeURIComponent(place.id)}`;
    case "gateway": {
      const query = new URLSearchParams(
        Object.entries(place.filters ?? {}).filter(([, value]) => value !== ""),
      );
      return query.size === 0 ? "/gateway" : `/gateway?${query}`;
    }
    case "nowhere":
      return place.path;
    default:
      return `/${place.page}`;
  }
}

/** Of an entry of the history, also after a reload. */
const ARRIVED = "arrived";

export type Router = ReturnType<typeof createRouter>;

export function createRouter(window: Pick<Window, "location" | "history" | "addEventListener">) {
  const { location, history } = window;
  // A reload stays where the person went from there.
  const hash = history.state === ARRIVED ? "" : location.hash;
  const store = createStore<{ place: Place }>({
    place: placeOf({ pathname: location.pathname, search: location.search, hash }),
  });
  window.addEventListener("popstate", () => store.set({ place: placeOf(window.location) }));
  return {
    store,
    /** Somebody was taken to the message that the address names. */
    arrive: () => history.replaceState(ARRIVED, ""),
    go(place: Place, how: "push" | "replace" = "push") {
      const path = pathOf(place);
      const { pathname, search, hash } = window.location;
      if (path !== pathname + search + hash)
        window.history[how === "push" ? "pushState" : "replaceState"](null, "", path);
      store.set({ place });
    },
  };
}
