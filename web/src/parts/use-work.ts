import { useCallback, useEffect, useState } from "react";
import type { Progress } from "../../../src/gateway/api.ts";
import { explain } from "../state/api-client.ts";

/** Long work of the server, as far as it is. */
export interface Work<T> {
  readonly done: number;
  readonly total: number | undefined;
  readonly answer: T | undefined;
  readonly error: string | undefined;
  readonly isCancelled: boolean;
}

const BEGUN = { done: 0, total: undefined, answer: undefined, error: undefined, isCancelled: false };

/** Follows work of the server while it is looked at. Another `start` begins anew. */
export function useWork<T>(start: (signal: AbortSignal) => AsyncIterable<{ readonly event: Progress<T> }>): {
  readonly work: Work<T>;
  cancel(): void;
  again(): void;
} {
  const [work, setWork] = useState<Work<T>>(BEGUN);
  const [round, setRound] = useState(0);
  const [controller, setController] = useState<AbortController>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round begins anew
  useEffect(() => {
    const mine = new AbortController();
    setController(mine);
    setWork(BEGUN);
    const follow = async () => {
      for await (const { event } of start(mine.signal)) {
        if (event.type === "progress") setWork((old) => ({ ...old, done: event.done, total: event.total }));
        else if (event.type === "done") setWork((old) => ({ ...old, answer: event.answer }));
        else setWork((old) => ({ ...old, error: event.error.message.replace(/^precis: /, "") }));
      }
    };
    follow().catch((cause) => {
      if (!mine.signal.aborted) setWork((old) => ({ ...old, error: explain(cause).message }));
    });
    return () => mine.abort();
  }, [start, round]);
  return {
    work,
    cancel: useCallback(() => {
      controller?.abort();
      setWork((old) => ({ ...old, isCancelled: true }));
    }, [controller]),
    again: useCallback(() => setRound((n) => n + 1), []),
  };
}
