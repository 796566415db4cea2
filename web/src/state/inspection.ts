import { type ApiView, routes, type WhatIf, type WhatIfAnswer } from "../../../src/gateway/api.ts";
import { type Api, ApiFailure, explain, type Trouble } from "./api-client.ts";
import { createStore, type Store } from "./store.ts";

/** Typing a number shouldn't ask for every digit. */
const SETTLE_MS = 250;

interface InspectionState {
  readonly view: ApiView | undefined;
  /** What another window, profile or strategy would give. */
  readonly tried: WhatIfAnswer | undefined;
  readonly whatIf: WhatIf;
  /** `isImpossible`: the question is a good one, and nothing can fit. */
  readonly error: (Trouble & { readonly isImpossible: boolean }) | undefined;
  readonly isLoading: boolean;
}

export interface Inspection {
  readonly store: Store<InspectionState>;
  /** Reads the view; with `length`, as it was then. */
  load(length?: number): Promise<void>;
  try(whatIf: WhatIf): void;
}

/** A conversation's view, and what it would be under other options. The newest question wins. */
export function createInspection(
  api: Api,
  id: string,
  /** `isReplayed`: views of another length are those of the last replay. */
  {
    settleMs = SETTLE_MS,
    isReplayed = false,
  }: { readonly settleMs?: number; readonly isReplayed?: boolean } = {},
): Inspection {
  const store = createStore<InspectionState>({
    view: undefined,
    tried: undefined,
    whatIf: {},
    error: undefined,
    isLoading: false,
  });
  let loads = 0;
  let questions = 0;
  /** The view that was asked for last. */
  let newest: { readonly length: number | undefined; readonly failed: boolean } = {
    length: undefined,
    failed: false,
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** A question about other options stands in the foreground; the view is read beside it all the same. */
  const isTrying = () => isAsked(store.get().whatIf);
  const tryNow = async () => {
    questions += 1;
    const mine = questions;
    const { whatIf } = store.get();
    store.set({ isLoading: true });
    try {
      const tried = await api.call(routes.whatIf, { params: { id }, body: whatIf });
      if (mine === questions) store.set({ tried, error: undefined, isLoading: false });
    } catch (error) {
      if (mine === questions) store.set({ error: troubleOf(error), tried: undefined, isLoading: false });
    }
  };
  const load = async (length?: number) => {
    loads += 1;
    const mine = loads;
    newest = { length, failed: false };
    store.set({ isLoading: true });
    try {
      const view = await api.call(routes.view, {
        params: { id },
        query: length === undefined ? {} : { length, ...(isReplayed && { replayed: true }) },
      });
      if (mine !== loads) return;
      store.set({ view, ...(!isTrying() && { error: undefined, isLoading: false }) });
    } catch (error) {
      if (mine !== loads) return;
      newest = { length, failed: true };
      if (!isTrying()) store.set({ error: troubleOf(error), isLoading: false });
    }
    if (isTrying()) await tryNow();
  };
  return {
    store,
    load,
    try(whatIf) {
      clearTimeout(timer);
      store.set({ whatIf });
      if (!isAsked(whatIf)) {
        questions += 1;
        store.set({ tried: undefined, error: undefined, isLoading: store.get().view === undefined });
        if (newest.failed) void load(newest.length);
        return;
      }
      timer = setTimeout(() => void tryNow(), settleMs);
    },
  };
}

const troubleOf = (error: unknown): Trouble & { readonly isImpossible: boolean } => ({
  ...explain(error),
  isImpossible: error instanceof ApiFailure && error.code === "budget-impossible",
});

export const isAsked = (whatIf: WhatIf): boolean =>
  Object.values(whatIf).some((value) => value !== undefined && value !== false);
