import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { ChatHeader } from "../parts/chat-header.tsx";
import { SourcesContext, useSources } from "../parts/cited.tsx";
import { CompactDialog, type CompactWish } from "../parts/compact-dialog.tsx";
import { Composer } from "../parts/composer.tsx";
import { Button } from "../parts/controls.tsx";
import { Guard } from "../parts/guard.tsx";
import { lazyView } from "../parts/lazy-view.tsx";
import type { MessageActions } from "../parts/message-actions.tsx";
import { Notices } from "../parts/notices.tsx";
import { PlaceLink } from "../parts/place-link.tsx";
import { AnswerStatus, TranscriptEnd } from "../parts/transcript-end.tsx";
import { type TranscriptHandle, TranscriptList } from "../parts/transcript-list.tsx";
import { NumberContext, useApp, usePiece, useStore } from "../parts/use-store.ts";
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
  const [wish, setWish] = useState<CompactWish>();
  const handle = useRef<TranscriptHandle>(null);
  const toChat = () => app.router.go({ page: "chat", id: chat.id, tab: "chat" });
  if (missing)
    return (
      <div className="empty">
        <h1>{strings.chat.gone}</h1>
        <p>{strings.chat.goneFix}</p>
        <p>
          <Button icon="plus" onClick={() => void app.newChat()}>
            {strings.sidebar.newChat}
          </Button>
        </p>
      </div>
    );
  return (
    <NumberContext value={lead + 1}>
      <div className="chat">
        <ChatHeader chat={chat} tab={tab} onCompact={setWish} />
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
              <Talk chat={chat} handle={handle} onCompact={setWish} place={place} />
            )}
          </Guard>
        </SourcesContext>
        {wish === undefined ? null : (
          <CompactDialog chat={chat} wish={wish} onGo={toChat} onClose={() => setWish(undefined)} />
        )}
      </div>
    </NumberContext>
  );
}

function Talk(props: {
  chat: Chat;
  handle: React.RefObject<TranscriptHandle | null>;
  onCompact: (wish: CompactWish) => void;
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
    else
      chat.store.set({
        notice: { kind: "info", message: strings.chat.noMessage(message + lead + 1, total + lead) },
      });
    app.router.arrive();
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
      compactUpTo: (index) => onCompact({ upTo: index + 1 }),
      startRange: setRangeStart,
      compactRange: (a, b) => {
        setRangeStart(undefined);
        onCompact({ range: { from: Math.min(a, b), to: Math.max(a, b) + 1 } });
      },
    }),
    [chat, handle, isBusy, onCompact],
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
        <Notices
          chat={chat}
          onShow={(checkpoint) => handle.current?.showDivider(checkpoint)}
          onCompact={onCompact}
        />
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
