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
  let question = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ask = async (work: () => Promise<Partial<InspectionState>>) => {
    question += 1;
    const mine = question;
    store.set({ isLoading: true });
    try {
      const found = await work();
      if (mine === question) store.set({ ...found, error: undefined, isLoading: false });
    } catch (error) {
      if (mine === question) store.set({ error: troubleOf(error), tried: undefined, isLoading: false });
    }
  };
  const tryNow = () => {
    const { whatIf } = store.get();
    return ask(async () => ({ tried: await api.call(routes.whatIf, { params: { id }, body: whatIf }) }));
  };
  return {
    store,
    async load(length) {
      await ask(async () => ({
        view: await api.call(routes.view, {
          params: { id },
          query: length === undefined ? {} : { length, ...(isReplayed && { replayed: true }) },
        }),
      }));
      if (isAsked(store.get().whatIf)) await tryNow();
    },
    try(whatIf) {
      clearTimeout(timer);
      store.set({ whatIf });
      if (!isAsked(whatIf)) {
        question += 1;
        store.set({ tried: undefined, error: undefined, isLoading: false });
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
