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
  | { readonly page: "gateway" }
  | { readonly page: "request"; readonly id: string }
  | { readonly page: "stream" };

function placeOf({ pathname, hash }: Pick<Location, "pathname" | "hash">): Place {
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
  if (page === "settings" || page === "gateway" || page === "stream") return { page };
  return { page: "home" };
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
    default:
      return `/${place.page}`;
  }
}

export type Router = ReturnType<typeof createRouter>;

export function createRouter(window: Pick<Window, "location" | "history" | "addEventListener">) {
  const store = createStore<{ place: Place }>({ place: placeOf(window.location) });
  window.addEventListener("popstate", () => store.set({ place: placeOf(window.location) }));
  return {
    store,
    go(place: Place, how: "push" | "replace" = "push") {
      const path = pathOf(place);
      if (path !== window.location.pathname + window.location.hash)
        window.history[how === "push" ? "pushState" : "replaceState"](null, "", path);
      store.set({ place });
    },
  };
}
