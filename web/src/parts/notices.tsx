import type { Chat } from "../state/chat-state.ts";
import { short } from "../state/format.ts";
import { hiddenBy, openFailure } from "../state/turns.ts";
import { strings } from "../strings.ts";
import { Icon } from "./icon.tsx";
import { PlaceLink } from "./sidebar.tsx";
import { useAuto } from "./use-auto.ts";
import { useApp, usePiece, useStore } from "./use-store.ts";

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
            <strong>
              {strings.compaction.guide(hiddenBy(fresh), fresh.tokens.before, fresh.tokens.after)}
            </strong>
            <small>
              {fresh.text === "" ? strings.compaction.guideHelpWithoutSummary : strings.compaction.guideHelp}
            </small>
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
          <PlaceLink className="button" to={{ page: "chat", id: chat.id, tab: "inspect" }}>
            {strings.compaction.sides}
          </PlaceLink>
          <button type="button" className="button" onClick={() => chat.undo()}>
            {strings.compaction.undo}
          </button>
          <button type="button" className="icon-button" aria-label={strings.close} onClick={chat.dismiss}>
            <Icon name="close" />
          </button>
        </div>
      )}
      {fresh === undefined && compacting === undefined ? (
        <>
          <SmallerWindow chat={chat} />
          <OverBudget chat={chat} />
        </>
      ) : null}
      {notice?.passes ? null : <ConnectionLost />}
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

/** Without a notice about what couldn't be done, the connection alone is told. */
function ConnectionLost() {
  const app = useApp();
  const connection = usePiece(app.live.store, (state) => state.connection);
  const wanted = usePiece(app.clientKey.store, (state) => state.wanted);
  if (connection !== "lost" || wanted) return null;
  return (
    <div className="notice busy" role="status">
      <span className="spinner" aria-hidden="true" />
      <strong>{strings.connection.lost}</strong>
    </div>
  );
}

/** A smaller window was chosen, or a compaction was cancelled: what follows from that is said before it happens. */
function OverBudget({ chat }: { chat: Chat }) {
  const { pressure, conversation, answer, notice } = useStore(chat.store);
  const auto = useAuto(chat);
  if (pressure === undefined || pressure.pressure <= 1 || answer !== undefined || notice !== undefined)
    return null;
  // What a client sends is its own business, and where nothing is done by itself, nothing is foretold.
  if (conversation?.source !== "page" || !auto) return null;
  const words = strings.compaction;
  const isImpossible = pressure.next === "impossible";
  // The answer that failed says it already.
  if (isImpossible && conversation.failure !== undefined) return null;
  return (
    <div className="notice info">
      <Icon name={isImpossible ? "warn" : "fold"} />
      <div>
        <strong>{words.over(pressure.tokens, pressure.budget.budget)}</strong>
        <small>{isImpossible ? words.overImpossible : words.overHelp}</small>
      </div>
      {isImpossible ? null : (
        <button type="button" className="button" onClick={() => void chat.compact()}>
          {words.now}
        </button>
      )}
    </div>
  );
}

/** Windows that show what a summary does, largest first (tokens). */
const WINDOWS = [32_000, 8_000];
/** From this share of a window on it would need a summary. */
const OUTGROWN = 0.8;

/** A file that was just opened and fits its model whole: the way to see what happens where it doesn't. */
function SmallerWindow({ chat }: { chat: Chat }) {
  const { wasOpened, pressure } = useStore(chat.store);
  const dividers = usePiece(chat.transcript.store, (state) => state.dividers.length);
  if (!wasOpened || pressure?.window === undefined || dividers > 0) return null;
  const { tokens, window } = pressure;
  const smaller = WINDOWS.find((one) => one < window && tokens > OUTGROWN * one);
  if (smaller === undefined || tokens > pressure.startsAt * pressure.budget.budget) return null;
  const words = strings.compaction;
  return (
    <div className="notice info">
      <Icon name="eye" />
      <div>
        <strong>{words.seeInTitle(tokens, window)}</strong>
        <small>{words.seeInHelp(short(smaller))}</small>
      </div>
      <button type="button" className="button" onClick={() => void chat.seeIn(smaller)}>
        {words.seeIn(short(smaller))}
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label={strings.close}
        onClick={() => chat.store.set({ wasOpened: false })}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}
