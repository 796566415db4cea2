import type { Divider } from "../../../src/gateway/api.ts";
import type { Chat } from "../state/chat-state.ts";
import { openFailure } from "../state/turns.ts";
import { strings } from "../strings.ts";
import { Icon } from "./icon.tsx";
import { useStore } from "./use-store.ts";

const covered = ({ covers }: Divider): number => covers.reduce((sum, run) => sum + run.to - run.from, 0);

/** What a person should know right now: a compaction under way, one that failed, an error. */
export function Notices({ chat, onShow }: { chat: Chat; onShow: (checkpoint: string) => void }) {
  const { compacting, notice, timeline, fresh, failure: asked, dismissed } = useStore(chat.store);
  const failure = asked ?? openFailure(timeline, dismissed);
  return (
    <div className="notices" aria-live="polite">
      {compacting === undefined ? null : (
        <div className="notice busy">
          <span className="spinner" aria-hidden="true" />
          <div>
            <strong>{strings.compaction.running}</strong>
            <small>{strings.compaction.runningWhy(compacting.reason)}</small>
          </div>
          <button type="button" className="button" onClick={() => chat.stop()}>
            {strings.compaction.cancel}
          </button>
        </div>
      )}
      {failure === undefined || compacting !== undefined ? null : (
        <div className="notice warn">
          <Icon name="warn" />
          <div>
            <strong>{strings.compaction.failed}</strong>
            <small>
              {failure.message}{" "}
              {failure.fallback === undefined
                ? strings.compaction.failedNothing
                : strings.compaction.failedInstead(failure.fallback)}
            </small>
          </div>
          <button type="button" className="button" onClick={() => chat.rebuild()}>
            {strings.retry}
          </button>
          <button type="button" className="icon-button" aria-label={strings.close} onClick={chat.dismiss}>
            <Icon name="close" />
          </button>
        </div>
      )}
      {fresh === undefined || compacting !== undefined ? null : (
        <div className="notice done">
          <Icon name="fold" />
          <div>
            <strong>{strings.compaction.covered(covered(fresh))}</strong>
            <small>{strings.compaction.tokens(fresh.tokens.before, fresh.tokens.after)}</small>
          </div>
          <button
            type="button"
            className="button"
            onClick={() => {
              onShow(fresh.checkpoint);
              chat.dismiss();
            }}
          >
            {strings.compaction.show}
          </button>
          <button type="button" className="button" onClick={() => chat.undo()}>
            {strings.compaction.undo}
          </button>
          <button type="button" className="icon-button" aria-label={strings.close} onClick={chat.dismiss}>
            <Icon name="close" />
          </button>
        </div>
      )}
      {notice === undefined ? null : (
        <div className={`notice ${notice.kind}`} role={notice.kind === "error" ? "alert" : undefined}>
          <Icon name={notice.kind === "error" ? "warn" : "check"} />
          <div>
            <strong>{notice.message}</strong>
            {notice.fix === undefined ? null : <small>{notice.fix}</small>}
          </div>
          <button type="button" className="icon-button" aria-label={strings.close} onClick={chat.dismiss}>
            <Icon name="close" />
          </button>
        </div>
      )}
    </div>
  );
}
