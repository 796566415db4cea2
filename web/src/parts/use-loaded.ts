import { useEffect, useReducer, useRef, useState } from "react";
import { useApp } from "./use-store.ts";

/** What was asked for, as far as it is here. */
interface Loaded<T> {
  /** Of the last question that was answered. */
  readonly value?: T | undefined;
  readonly error?: unknown;
  readonly isLoading: boolean;
}

/** So often the same question is asked again at most, because there is news (milliseconds). */
const REFRESH_MS = 500;

/**
 * Asks whenever one of `reasons` is another one; the newest question wins. A `load` that gives nothing asks nothing, and
 * forgets what there was. What a person types settles first: after `settleMs` without another question. Other `news` asks
 * the same again: an answer under way is shown first, and one that fails leaves what there was.
 */
export function useLoaded<T>(
  load: () => Promise<T> | undefined,
  reasons: readonly unknown[],
  { settleMs = 0, news }: { readonly settleMs?: number; readonly news?: unknown } = {},
): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ isLoading: true });
  const refresh = useRef(() => {});
  useEffect(() => {
    let isNewest = true;
    let isAnswered = false;
    let isUnderWay = false;
    let isOutdated = false;
    let askedAt = 0;
    const ask = async () => {
      timer = undefined;
      const asked = load();
      if (asked === undefined) return setLoaded({ isLoading: false });
      isUnderWay = true;
      askedAt = performance.now();
      isOutdated = false;
      setLoaded((before) => ({ ...before, isLoading: true }));
      const found: Loaded<T> = await asked.then(
        (value) => ({ value, isLoading: false }),
        (error: unknown) => ({ error, isLoading: false }),
      );
      isUnderWay = false;
      if (!isNewest) return;
      setLoaded((before) => (isAnswered ? { ...before, error: undefined, ...found } : found));
      if (!("error" in found)) isAnswered = true;
      if (isOutdated) refresh.current();
    };
    let timer: ReturnType<typeof setTimeout> | undefined = setTimeout(ask, settleMs);
    refresh.current = () => {
      if (isUnderWay) isOutdated = true;
      else timer ??= setTimeout(ask, Math.max(0, askedAt + REFRESH_MS - performance.now()));
    };
    return () => {
      isNewest = false;
      clearTimeout(timer);
    };
    // biome-ignore lint/correctness/useExhaustiveDependencies: the reasons say when to ask again
  }, reasons);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the news says when to ask again
  useEffect(() => refresh.current(), [news]);
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
