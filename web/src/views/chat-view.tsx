import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { routes } from "../../../src/gateway/api.ts";
import { ChatHeader } from "../parts/chat-header.tsx";
import { SourcesContext, useSources } from "../parts/cited.tsx";
import { Composer } from "../parts/composer.tsx";
import { Button, Form } from "../parts/controls.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Guard } from "../parts/guard.tsx";
import { lazyView } from "../parts/lazy-view.tsx";
import type { MessageActions } from "../parts/message-actions.tsx";
import { Notices } from "../parts/notices.tsx";
import { PlaceLink } from "../parts/place-link.tsx";
import { AnswerStatus, TranscriptEnd } from "../parts/transcript-end.tsx";
import { type TranscriptHandle, TranscriptList } from "../parts/transcript-list.tsx";
import { useLoaded } from "../parts/use-loaded.ts";
import { NumberContext, useApp, usePiece, useStore, useSummaryPrice } from "../parts/use-store.ts";
import type { Chat } from "../state/chat.ts";
import { newestOf } from "../state/chat-state.ts";
import type { ChatTab } from "../state/router.ts";
import { strings } from "../strings.ts";

const InspectView = lazyView(() => import("./inspect-view.tsx"));
const TimelineView = lazyView(() => import("./timeline-view.tsx"));

export function ChatView(props: {
  chat: Chat;
  tab: ChatTab;
  /** A new object whenever somebody goes somewhere, also to the same message again. */
  place: { readonly message?: number };
}) {
  const { chat, tab, place } = props;
  const app = useApp();
  const lead = usePiece(chat.transcript.store, (state) => state.lead);
  const missing = usePiece(chat.store, (state) => state.missing);
  const sources = useSources(chat);
  const [isCompactOpen, setCompactOpen] = useState(false);
  const handle = useRef<TranscriptHandle>(null);
  const openCompact = () => setCompactOpen(true);
  const toChat = () => app.router.go({ page: "chat", id: chat.id, tab: "chat" });
  if (missing)
    return (
      <div className="empty">
        <h1>{strings.chat.gone}</h1>
        <p>{strings.chat.goneFix}</p>
      </div>
    );
  return (
    <NumberContext value={lead + 1}>
      <div className="chat">
        <ChatHeader chat={chat} tab={tab} onCompact={openCompact} />
        <SourcesContext value={sources}>
          <Guard
            at={tab}
            back={tab === "chat" ? undefined : { label: strings.errors.backToChat, go: toChat }}
          >
            {tab === "inspect" ? (
              <InspectView chat={chat} />
            ) : tab === "timeline" ? (
              <TimelineView chat={chat} />
            ) : (
              <Talk chat={chat} handle={handle} onCompact={openCompact} place={place} />
            )}
          </Guard>
        </SourcesContext>
        {isCompactOpen ? (
          <CompactDialog
            chat={chat}
            onClose={() => setCompactOpen(false)}
            onCompact={(focus) => {
              setCompactOpen(false);
              toChat();
              void chat.compact(focus === undefined ? {} : { focus });
            }}
          />
        ) : null}
      </div>
    </NumberContext>
  );
}

function Talk(props: {
  chat: Chat;
  handle: React.RefObject<TranscriptHandle | null>;
  onCompact: () => void;
  place: { readonly message?: number };
}) {
  const { chat, handle, onCompact, place } = props;
  const app = useApp();
  const status = usePiece(app.store, (state) => state.status);
  const { answer, conversation, returned } = useStore(chat.store);
  const { total, loaded, lead } = useStore(chat.transcript.store);
  const unsent = usePiece(chat.outbox.store, ({ items }) => items.length);
  const isOffline = status?.hasUpstream === false;
  const isBusy = answer !== undefined || conversation?.busy === "answering";
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each time that somebody goes there
  useEffect(() => {
    const { message } = place;
    if (!loaded || message === undefined) return;
    if (message < total) handle.current?.show(message);
    else chat.store.set({ notice: { kind: "info", message: strings.chat.noMessage(message + lead + 1, total + lead) } });
    // A reload stays where the person was by then.
    app.router.go({ page: "chat", id: chat.id, tab: "chat" }, "replace");
  }, [loaded, place]);
  const dock = useRef<HTMLDivElement>(null);
  useDock(dock);
  const [rangeStart, setRangeStart] = useState<number>();
  const atPoint = usePiece(chat.store, (state) => state.atPoint);
  const newest = usePiece(chat.transcript.store, newestOf);
  useEffect(() => {
    if (!atPoint || newest === undefined) return;
    handle.current?.showDivider(newest.checkpoint);
    chat.store.set({ atPoint: false, fresh: newest });
  }, [chat, handle, atPoint, newest]);
  const actions = useMemo<MessageActions>(
    () => ({
      edit: (index, text) => chat.edit(index, text),
      regenerate: (index) => void chat.regenerate(index),
      showBranch: isBusy ? undefined : (hash) => void chat.showBranch(hash),
      fork: (length) => void chat.fork(length),
      pin: (index, on) => void chat.pin(index, on),
      show: (index) => handle.current?.show(index),
      compactUpTo: (index) => void chat.compact({ upTo: index + 1 }),
      startRange: setRangeStart,
      compactRange: (a, b) => {
        setRangeStart(undefined);
        void chat.compact({ range: { from: Math.min(a, b), to: Math.max(a, b) + 1 } });
      },
    }),
    [chat, handle, isBusy],
  );
  return (
    <>
      {loaded && total === 0 && answer === undefined && unsent === 0 ? (
        <div className="empty">
          <p>{strings.chat.empty}</p>
        </div>
      ) : (
        <TranscriptList
          key={chat.id}
          chat={chat}
          actions={actions}
          rangeStart={rangeStart}
          onCompact={onCompact}
          handle={handle}
          footer={<TranscriptEnd chat={chat} />}
        />
      )}
      <AnswerStatus key={`${chat.id} answer`} chat={chat} />
      <div className="dock" ref={dock}>
        <Notices chat={chat} onShow={(checkpoint) => handle.current?.showDivider(checkpoint)} />
        {isOffline ? (
          <p className="offline-note">
            {strings.offline.text} <PlaceLink to={{ page: "settings" }}>{strings.models.open}</PlaceLink>
          </p>
        ) : null}
        <Composer
          key={chat.id}
          id={chat.id}
          placeholder={isOffline ? strings.composer.offlinePlaceholder : strings.composer.placeholder}
          isBusy={isBusy}
          returned={returned}
          onReturned={() => chat.store.set({ returned: undefined })}
          onSend={(input) => void chat.send(input)}
          onStop={() => void chat.stop()}
        />
      </div>
    </>
  );
}

/** Tells styles how high the dock of a chat is (`--dock`), so that nothing that floats lies over the message box. */
function useDock(dock: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = dock.current;
    if (element === null) return;
    const root = document.documentElement;
    const observer = new ResizeObserver(() => root.style.setProperty("--dock", `${element.offsetHeight}px`));
    observer.observe(element);
    return () => {
      observer.disconnect();
      root.style.removeProperty("--dock");
    };
  }, [dock]);
}

function CompactDialog(props: {
  chat: Chat;
  onClose: () => void;
  onCompact: (focus: string | undefined) => void;
}) {
  const { chat, onClose, onCompact } = props;
  const app = useApp();
  const price = useSummaryPrice(chat);
  // No model is asked for it: a summary of another hand takes about as much room.
  const { value: tried, isLoading } = useLoaded(
    () => app.api.call(routes.whatIf, { params: { id: chat.id }, body: { force: true } }),
    [app, chat],
  );
  const [focus, setFocus] = useState("");
  const words = strings.compaction;
  return (
    <Dialog title={words.focusTitle} onClose={onClose}>
      <Form className="form" onSubmit={() => onCompact(focus.trim() || undefined)}>
        <p className="help">
          {words.focusHelp} {price}
        </p>
        <p className="gain" role="status">
          {tried === undefined
            ? isLoading && words.gainLooking
            : tried.isJustCompacted
              ? words.justCompacted
              : tried.outcome === "compacted" && tried.tokens.after < tried.tokens.before
                ? words.gain(tried.tokens.before, tried.tokens.after)
                : words.nothingToGain}
        </p>
        <label>
          {words.focusLabel}
          <textarea
            rows={3}
            value={focus}
            placeholder={words.focusPlaceholder}
            onChange={(event) => setFocus(event.target.value)}
          />
        </label>
        <div className="row end">
          <Button onClick={onClose}>{strings.cancel}</Button>
          <Button look="button primary" type="submit">
            {words.focusGo}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
