import type { ApiError } from "../../../src/gateway/api.ts";
import { forThisTab, kept } from "./kept.ts";
import { createStore, type Store } from "./store.ts";

interface ClientKeyState {
  /** The server refused the page because it had no key, or one that the server doesn't know. */
  readonly wanted: boolean;
  readonly given: boolean;
  /** Upstreams that a person gave a key for here. */
  readonly upstreams: readonly string[];
}

/** The key by which a shared server knows who uses the page, and those for upstreams that have none on the server. */
export interface ClientKey {
  readonly store: Store<ClientKeyState>;
  /** Sends the key with each request, and notices when the server wants one. */
  readonly fetch: typeof fetch;
  /** "" forgets it. */
  give(key: string): void;
  /** The same for the key of an upstream. */
  giveFor(upstream: string, key: string): void;
}

const keys = kept<string>("client-key", forThisTab);
const upstreamKeys = kept<Readonly<Record<string, string>>>("upstream-keys", forThisTab);
const HERE = "here";

/** Keys stay in their tab: a reload keeps them, and with the tab they are gone. */
export function createClientKey(fetcher: typeof fetch): ClientKey {
  let key = keys.read(HERE) ?? "";
  let named = upstreamKeys.read(HERE) ?? {};
  const store = createStore<ClientKeyState>({
    wanted: false,
    given: key !== "",
    upstreams: Object.keys(named),
  });
  return {
    store,
    async fetch(input, init) {
      const headers = new Headers(init?.headers);
      if (key !== "") headers.set("x-precis-key", key);
      if (Object.keys(named).length > 0)
        headers.set("x-precis-upstream-keys", String(new URLSearchParams(named)));
      const response = await fetcher(input, { ...init, headers });
      const wanted = response.status === 401 && (await isOurRefusal(response.clone()));
      if (store.get().wanted !== wanted && (wanted || response.ok)) store.set({ wanted });
      return response;
    },
    give(text) {
      key = text.trim();
      // Where a browser keeps nothing for pages, the key is asked for again after a reload.
      keys.keep(HERE, key === "" ? undefined : key);
      store.set({ given: key !== "" });
    },
    giveFor(upstream, text) {
      const { [upstream]: _, ...others } = named;
      named = text.trim() === "" ? others : { ...others, [upstream]: text.trim() };
      const upstreams = Object.keys(named);
      upstreamKeys.keep(HERE, upstreams.length === 0 ? undefined : named);
      store.set({ upstreams });
    },
  };
}

/** Refused by the server itself. A provider's refusal of its own key comes with another code. */
async function isOurRefusal(response: Response): Promise<boolean> {
  const body = (await response.json().catch(() => undefined)) as ApiError | undefined;
  return body?.error?.code === "unauthorized";
}
