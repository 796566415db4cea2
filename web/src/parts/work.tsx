import { useEffect, useRef, useState } from "react";
import type { Progress } from "../../../src/gateway/api.ts";
import { ApiFailure } from "../state/api-client.ts";
import { percent } from "../state/format.ts";
import { strings } from "../strings.ts";
import { Button, Failure } from "./controls.tsx";

/** Long work of the server, as far as it is. */
interface Work<T> {
  readonly share?: number;
  /** Of the last time that it came to its end. */
  readonly answer?: T | undefined;
  readonly error?: unknown;
  readonly state: "running" | "ended" | "cancelled";
}

/** Follows work of the server while it is looked at. Another `start` begins anew; without one there is nothing to do. */
export function useWork<T>(
  start: ((signal: AbortSignal) => AsyncIterable<{ readonly event: Progress<T> }>) | undefined,
) {
  const [work, setWork] = useState<Work<T>>({ state: "running" });
  const [round, setRound] = useState(0);
  const controller = useRef<AbortController>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round begins anew
  useEffect(() => {
    if (start === undefined) return;
    const mine = new AbortController();
    controller.current = mine;
    setWork(({ answer }) => ({ answer, state: "running" }));
    const follow = async () => {
      for await (const { event } of start(mine.signal)) {
        if (event.type === "progress")
          setWork((old) => ({ ...old, share: event.done / Math.max(1, event.total) }));
        else if (event.type === "done") setWork({ answer: event.answer, state: "ended" });
        else throw new ApiFailure(event.error);
      }
    };
    follow().catch((error) => {
      if (!mine.signal.aborted) setWork({ error, state: "ended" });
    });
    return () => mine.abort();
  }, [start, round]);
  return {
    ...work,
    cancel: () => {
      controller.current?.abort();
      setWork({ state: "cancelled" });
    },
    again: () => setRound(round + 1),
  };
}

/** How far long work is, with a way out; or why there is no result. */
export function WorkProgress(props: { work: ReturnType<typeof useWork>; label: string }) {
  const { share, error, state, cancel, again } = props.work;
  if (state !== "running")
    return (
      <div className="empty work">
        {error === undefined ? <p role="status">{strings.work.cancelled}</p> : <Failure error={error} />}
        <Button onClick={again}>{strings.work.again}</Button>
      </div>
    );
  return (
    <div className="empty work">
      <p>
        {props.label} {share === undefined ? null : <strong>{percent(share)}</strong>}
      </p>
      <progress aria-label={props.label} {...(share !== undefined && { value: share })} />
      <Button onClick={cancel}>{strings.cancel}</Button>
    </div>
  );
}
