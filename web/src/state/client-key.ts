import type { ApiError } from "../../../src/gateway/api.ts";
import { forThisTab, kept } from "./kept.ts";
import { createStore, type Store } from "./store.ts";

interface ClientKeyState {
  /** The server refused the page because it had no key, or one that the server doesn't know. */
  readonly wanted: boolean;
  readonly given: boolean;
}

/** The key by which a shared server knows who uses the page. */
export interface ClientKey {
  readonly store: Store<ClientKeyState>;
  /** Sends the key with each request, and notices when the server wants one. */
  readonly fetch: typeof fetch;
  /** "" forgets it. */
  give(key: string): void;
}

const keys = kept<string>("client-key", forThisTab);
const HERE = "here";

/** The key stays in its tab: a reload keeps it, and with the tab it is gone. */
export function createClientKey(fetcher: typeof fetch): ClientKey {
  let key = keys.read(HERE) ?? "";
  const store = createStore<ClientKeyState>({ wanted: false, given: key !== "" });
  return {
    store,
    async fetch(input, init) {
      const headers = new Headers(init?.headers);
      if (key !== "") headers.set("x-precis-key", key);
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
  };
}

/** Refused by the server itself. A provider's refusal of its own key comes with another code. */
async function isOurRefusal(response: Response): Promise<boolean> {
  const body = (await response.json().catch(() => undefined)) as ApiError | undefined;
  return body?.error?.code === "unauthorized";
}
