import type { FailedSummary } from "../../../src/gateway/api.ts";
import type { Chat } from "../state/chat.ts";
import { short } from "../state/format.ts";
import { compactionOf, hiddenBy, openFailure } from "../state/turns.ts";
import { strings } from "../strings.ts";
import type { CompactWish } from "./compact-dialog.tsx";
import { Button, Notice } from "./controls.tsx";
import { PlaceLink } from "./place-link.tsx";
import { useApp, useAuto, usePiece, useStore, useSummaryPrice } from "./use-store.ts";

const words = strings.compaction;

/** What a person should know right now: a compaction under way, one that failed, an error. */
export function Notices(props: {
  chat: Chat;
  onShow: (checkpoint: string) => void;
  onCompact: (wish: CompactWish) => void;
}) {
  const { chat, onShow, onCompact } = props;
  const { compacting, notice, timeline, fresh, dismissed } = useStore(chat.store);
  const made = fresh && compactionOf(timeline, fresh.checkpoint);
  const failure = openFailure(timeline, dismissed);
  return (
    <div className="notices" aria-live="polite">
      {compacting === undefined ? null : (
        <Notice kind="busy" title={words.running} help={words.runningWhy(compacting.reason)}>
          <Button onClick={() => chat.stop()}>{words.cancel}</Button>
        </Notice>
      )}
      {failure === undefined || compacting !== undefined ? null : (
        <Notice
          kind="warn"
          icon="warn"
          title={words.failed}
          help={failureText(failure)}
          onClose={chat.dismiss}
        >
          <Button onClick={() => onCompact("rebuild")}>{words.writeAgain}</Button>
        </Notice>
      )}
      {fresh === undefined || compacting !== undefined ? null : (
        <Notice
          kind="done"
          icon="fold"
          title={words.guide(
            hiddenBy(fresh),
            made?.tokens.transcript ?? fresh.tokens.before,
            fresh.tokens.after,
          )}
          help={words.guideHelp(made?.cost ?? 0)}
          onClose={chat.dismiss}
        >
          <Button
            onClick={() => {
              onShow(fresh.checkpoint);
              chat.dismiss();
            }}
          >
            {words.show}
          </Button>
          <PlaceLink className="button" to={{ page: "chat", id: chat.id, tab: "inspect" }}>
            {words.sides}
          </PlaceLink>
          <Button onClick={() => chat.undo()}>{words.undo}</Button>
        </Notice>
      )}
      {fresh === undefined && compacting === undefined ? (
        <>
          <SmallerWindow chat={chat} />
          <OverBudget chat={chat} />
        </>
      ) : null}
      {notice?.passes ? null : <ConnectionLost />}
      {notice === undefined ? null : (
        <Notice
          kind={notice.kind}
          icon={notice.kind === "error" ? "warn" : "check"}
          title={notice.message}
          help={notice.fix}
          role={notice.kind === "error" ? "alert" : undefined}
          onClose={chat.dismiss}
        >
          {notice.undo === undefined ? null : (
            <Button onClick={() => void chat.restoreSummaries()}>{words.undo}</Button>
          )}
        </Notice>
      )}
    </div>
  );
}

/** Why there is no summary by the model, and what was done instead. */
const failureText = ({ message, fallback }: FailedSummary): string =>
  `${message} ${fallback === undefined ? words.failedNothing : words.failedInstead(fallback)}`;

/** Without a notice about what couldn't be done, the connection alone is told. */
function ConnectionLost() {
  const app = useApp();
  const connection = usePiece(app.live.store, (state) => state.connection);
  const wanted = usePiece(app.clientKey.store, (state) => state.wanted);
  if (connection !== "lost" || wanted) return null;
  return <Notice kind="busy" title={strings.connection.lost} role="status" />;
}

/** A smaller window was chosen, or a compaction was cancelled: what follows from that is said before it happens. */
function OverBudget({ chat }: { chat: Chat }) {
  const { pressure, conversation, answer, notice } = useStore(chat.store);
  const auto = useAuto(chat);
  const price = useSummaryPrice(chat);
  if (pressure === undefined || pressure.pressure <= 1 || answer !== undefined || notice !== undefined)
    return null;
  // What a client sends is its own business, and where nothing is done by itself, nothing is foretold.
  if (conversation === undefined || conversation.client !== undefined || !auto) return null;
  const isImpossible = pressure.next === "impossible";
  // The answer that failed says it already.
  if (isImpossible && conversation.failure !== undefined) return null;
  return (
    <Notice
      kind="info"
      icon={isImpossible ? "warn" : "fold"}
      title={words.over(pressure.tokens, pressure.budget.budget)}
      help={isImpossible ? words.overImpossible : [words.overHelp, price].join(" ")}
    >
      {isImpossible ? null : <Button onClick={() => void chat.compact()}>{words.now}</Button>}
    </Notice>
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
  if (!wasOpened || pressure === undefined || dividers > 0) return null;
  const { tokens, window = pressure.budget.budget } = pressure;
  const smaller = WINDOWS.find((one) => one < window && tokens > OUTGROWN * one);
  if (smaller === undefined || tokens > pressure.startsAt * pressure.budget.budget) return null;
  return (
    <Notice
      kind="info"
      icon="eye"
      title={pressure.isOpen ? words.seeInNoModel(tokens) : words.seeInTitle(tokens, window)}
      help={words.seeInHelp(short(smaller))}
      onClose={() => chat.store.set({ wasOpened: false })}
    >
      <Button onClick={() => void chat.seeIn(smaller)}>{words.seeIn(short(smaller))}</Button>
    </Notice>
  );
}
