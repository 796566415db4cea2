import type { Store } from "./store.ts";

/** What only informs has been read after this time; it would cover the page until somebody closes it (milliseconds). */
const INFORMED_MS = 8_000;

/** Takes away what only informs. Errors stay until a person closes them or tries again, and so does what offers to undo something. */
export function letInformationGo<
  K extends string,
  T extends { readonly [Key in K]: { readonly kind: string; readonly undo?: unknown } | undefined },
>(store: Store<T>, key: K, closed?: AbortSignal): void {
  let timed: T[K] | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const unsubscribe = store.subscribe(() => {
    const told = store.get()[key];
    if (told === timed) return;
    clearTimeout(timer);
    timed = told;
    if (told?.kind === "info" && told.undo === undefined)
      timer = setTimeout(() => {
        if (store.get()[key] === told) store.set({ [key]: undefined } as Partial<T>);
      }, INFORMED_MS);
  });
  closed?.addEventListener("abort", () => {
    clearTimeout(timer);
    unsubscribe();
  });
}
