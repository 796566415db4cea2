import { percent } from "../state/format.ts";
import { strings } from "../strings.ts";
import { Button } from "./controls.tsx";
import type { Work } from "./use-work.ts";

/** How far long work is, with a way out; or why there is no result. */
export function WorkProgress(props: {
  work: Work<unknown>;
  label: string;
  onCancel: () => void;
  onAgain: () => void;
}) {
  const { work, label, onCancel, onAgain } = props;
  const words = strings.work;
  if (work.error !== undefined || work.isCancelled)
    return (
      <div className="empty work">
        <p role={work.error === undefined ? "status" : "alert"}>{work.error ?? words.cancelled}</p>
        <Button onClick={onAgain}>{words.again}</Button>
      </div>
    );
  const share = work.total === undefined ? undefined : work.done / Math.max(1, work.total);
  return (
    <div className="empty work">
      <p>
        {label} {share === undefined ? null : <strong>{percent(share)}</strong>}
      </p>
      <progress aria-label={label} {...(share !== undefined && { value: share })} />
      <Button onClick={onCancel}>{strings.cancel}</Button>
    </div>
  );
}
