import type { ChatInput } from "../../../src/gateway/api.ts";
import { kept } from "./kept.ts";
import { createStore } from "./store.ts";

/** Something typed that the server doesn't have yet. */
export interface Unsent {
  /** The server takes what has the same id only once, however often it is sent. */
  readonly id: string;
  readonly text: string;
  readonly images?: readonly string[];
  /** Why it is still here; undefined while it is on its way. */
  readonly why?: Obstacle;
}

/** `offline`, `busy` and `behind` (another one goes first) pass by themselves; what was refused waits for the person. */
export type Obstacle =
  | { readonly type: "offline" }
  | { readonly type: "busy" }
  | { readonly type: "behind" }
  | { readonly type: "refused"; readonly message: string; readonly fix?: string };

const boxes = kept<readonly Unsent[]>("outbox");

export type Outbox = ReturnType<typeof createOutbox>;

/** What was typed in one chat and isn't sent, kept in the browser: over reloads, for all tabs. */
export function createOutbox(
  chat: string,
  tabs: Pick<Window, "addEventListener" | "removeEventListener"> | undefined = globalThis.window,
) {
  const read = () => ({ items: boxes.read(chat) ?? [] });
  const store = createStore<{ items: readonly Unsent[] }>(read());
  const write = (items: readonly Unsent[]) => {
    store.set({ items });
    // Pictures may be larger than what a browser keeps: then they stay for as long as the page is open.
    boxes.keep(chat, items.length > 0 ? items : undefined);
  };
  const onStorage = (event: StorageEvent) => {
    if (event.key === boxes.name(chat)) store.set(read());
  };
  tabs?.addEventListener("storage", onStorage);
  return {
    store,
    add(input: ChatInput) {
      const { text, images } = input;
      const item: Unsent = { id: randomId(), text, ...(images && { images }) };
      write([...store.get().items, item]);
      return item;
    },
    /** The oldest one as it stands now: another tab may have sent it. */
    first: () => store.get().items[0],
    hold(id: string, why: Obstacle | undefined) {
      write(
        store.get().items.map((item) => {
          const { why: _, ...rest } = item;
          return item.id === id ? { ...rest, ...(why && { why }) } : item;
        }),
      );
    },
    remove: (id: string) => write(store.get().items.filter((item) => item.id !== id)),
    close: () => tabs?.removeEventListener("storage", onStorage),
  };
}

/** Why one of the unsent is still here; undefined while it is on its way. They go out one after the other. */
export function obstacleAt(items: readonly Unsent[], nth: number): Obstacle | undefined {
  const own = items[nth]?.why;
  if (own !== undefined || nth === 0) return own;
  const before = items[0]!.why;
  return before === undefined || before.type === "refused" ? { type: "behind" } : before;
}

/** `randomUUID` is there only where a page counts as secure, which one by plain HTTP from another machine doesn't. */
const randomId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
