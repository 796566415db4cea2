import { useEffect, useReducer, useState } from "react";
import { useApp } from "./use-store.ts";

/** What was asked for, as far as it is here. */
interface Loaded<T> {
  /** Of the last question that was answered. */
  readonly value?: T | undefined;
  readonly error?: unknown;
  readonly isLoading: boolean;
}

/**
 * Asks whenever one of `reasons` is another one; the newest question wins. A `load` that gives nothing asks nothing, and
 * forgets what there was. What a person types settles first: after `settleMs` without another question.
 */
export function useLoaded<T>(
  load: () => Promise<T> | undefined,
  reasons: readonly unknown[],
  settleMs = 0,
): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ isLoading: true });
  useEffect(() => {
    let isNewest = true;
    const ask = async () => {
      const asked = load();
      if (asked === undefined) return setLoaded({ isLoading: false });
      setLoaded((before) => ({ ...before, isLoading: true }));
      const found: Loaded<T> = await asked.then(
        (value) => ({ value, isLoading: false }),
        (error: unknown) => ({ error, isLoading: false }),
      );
      if (isNewest) setLoaded(found);
    };
    const timer = setTimeout(ask, settleMs);
    return () => {
      isNewest = false;
      clearTimeout(timer);
    };
    // biome-ignore lint/correctness/useExhaustiveDependencies: the reasons say when to ask again
  }, reasons);
  return loaded;
}

/** Another number whenever a request has ended somewhere. */
export function useRequestNews(): number {
  const { live } = useApp();
  const [news, add] = useReducer((n: number) => n + 1, 0);
  useEffect(
    () =>
      live.on((event) => {
        if (event.type === "request") add();
      }),
    [live],
  );
  return news;
}
