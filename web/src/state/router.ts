import { createStore, type Store } from "./store.ts";

/** What a conversation can be looked at as. */
export type ChatTab = "chat" | "inspect" | "timeline";

export type Place =
  | { readonly page: "home" }
  | { readonly page: "chat"; readonly id: string; readonly tab: ChatTab }
  | { readonly page: "compare"; readonly id: string | undefined }
  | { readonly page: "settings" }
  | { readonly page: "gateway" }
  | { readonly page: "stream" };

export interface Router {
  readonly store: Store<{ readonly place: Place }>;
  go(place: Place, how?: "push" | "replace"): void;
}

function placeOf(path: string): Place {
  const [page, id, tab] = path.split("/").filter(Boolean).map(decodeURIComponent);
  if (page === "c" && id !== undefined)
    return { page: "chat", id, tab: tab === "inspect" || tab === "timeline" ? tab : "chat" };
  if (page === "compare") return { page: "compare", id };
  if (page === "settings" || page === "gateway" || page === "stream") return { page };
  return { page: "home" };
}

export function pathOf(place: Place): string {
  switch (place.page) {
    case "home":
      return "/";
    case "chat":
      return `/c/${encodeURIComponent(place.id)}${place.tab === "chat" ? "" : `/${place.tab}`}`;
    case "compare":
      return place.id === undefined ? "/compare" : `/compare/${encodeURIComponent(place.id)}`;
    default:
      return `/${place.page}`;
  }
}

export function createRouter(window: Pick<Window, "location" | "history" | "addEventListener">): Router {
  const store = createStore<{ place: Place }>({ place: placeOf(window.location.pathname) });
  window.addEventListener("popstate", () => store.set({ place: placeOf(window.location.pathname) }));
  return {
    store,
    go(place, how = "push") {
      const path = pathOf(place);
      if (path !== window.location.pathname)
        window.history[how === "push" ? "pushState" : "replaceState"](null, "", path);
      store.set({ place });
    },
  };
}
