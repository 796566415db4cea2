import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type ReactNode,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { ApiMessage } from "../../../src/gateway/api.ts";
import type { Chat } from "../state/chat.ts";
import { newestOf } from "../state/chat-state.ts";
import { oneLine } from "../state/message-text.ts";
import { rowsOf, type Transcript } from "../state/transcript.ts";
import { strings } from "../strings.ts";
import type { CompactWish } from "./compact-dialog.tsx";
import { DividerRow } from "./divider.tsx";
import { Fold } from "./fold.tsx";
import { Icon } from "./icon.tsx";
import { MessageRow } from "./message.tsx";
import type { MessageActions } from "./message-actions.tsx";
import { CutOff } from "./transcript-end.tsx";
import { useFollow } from "./use-follow.ts";
import { useStore } from "./use-store.ts";

/** Heights before a row is measured (pixels), also of a message that isn't there yet: nothing on screen moves when it comes. */
const MESSAGE_ROW = 64;
const DIVIDER_ROW = 84;
const FLASH_MS = 1_800;

export interface TranscriptHandle {
  show(index: number): void;
  showDivider(checkpoint: string): void;
}

/** The rows of a transcript, of which those on screen are read. */
function useRows(transcript: Transcript, scroller: RefObject<HTMLDivElement | null>) {
  const { total, dividers } = useStore(transcript.store);
  const rows = useMemo(() => rowsOf(total, dividers), [total, dividers]);
  const virtual = useVirtualizer({
    count: rows.count,
    getScrollElement: () => scroller.current,
    estimateSize: (n) => (rows.row(n).type === "divider" ? DIVIDER_ROW : MESSAGE_ROW),
    getItemKey: (n) => {
      const row = rows.row(n);
      return row.type === "divider" ? `d${row.divider.checkpoint}` : row.index;
    },
    overscan: 8,
  });
  useEffect(() => {
    const items = virtual.getVirtualItems();
    const [first, last] = [items[0], items.at(-1)];
    if (!first || !last) return;
    const indexOf = (n: number) => {
      const row = rows.row(n);
      return row.type === "message" ? row.index : Math.max(0, row.divider.after);
    };
    transcript.ensure(indexOf(first.index), indexOf(last.index) + 1);
  });
  return { rows, virtual };
}

/** All messages, of which only those on screen exist. */
export function TranscriptList(props: {
  chat: Chat;
  actions: MessageActions;
  /** The message that a person chose as one end of what is to be compacted. */
  rangeStart: number | undefined;
  onCompact: (wish: CompactWish) => void;
  handle: React.Ref<TranscriptHandle>;
  footer: ReactNode;
}) {
  const { chat, actions, rangeStart, onCompact, handle, footer } = props;
  const { messages, dividers, system, loaded, total } = useStore(chat.transcript.store);
  const { conversation, timeline, answer, compacting, cut } = useStore(chat.store);
  const scroller = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const [flash, setFlash] = useState<readonly [number, number]>();
  const { rows, virtual } = useRows(chat.transcript, scroller);
  const newest = newestOf({ dividers })?.at;

  const height = virtual.getTotalSize();
  const grown = `${height}:${loaded}:${answer?.text.length}:${answer?.reasoning.length}:${answer?.lookups.length}:${compacting?.since}`;
  const { isAtEnd, goTo, listeners } = useFollow({ scroller, virtual, rows }, grown);

  /** Did the answer to a message break off, and something else was said behind it? */
  const isCut = (index: number) => cut?.length === index + 1 && cut.length < total;
  const isMine = answer?.mine === true;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per answer; whoever scrolls up meanwhile stays there
  useLayoutEffect(() => {
    if (isMine) goTo("end");
  }, [isMine]);

  const show = (index: number, to = index) => {
    goTo({ message: index });
    setFlash([index, to]);
    setTimeout(() => setFlash(undefined), FLASH_MS);
  };
  const showDivider = (checkpoint: string) => {
    if (rows.rowOfDivider(checkpoint) !== undefined) goTo({ checkpoint });
  };
  useImperativeHandle(handle, () => ({ show, showDivider }));

  return (
    <div className="transcript-frame">
      <div
        ref={scroller}
        className="transcript"
        role="log"
        aria-label={strings.chat.label}
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
        tabIndex={0}
        {...listeners}
      >
        <div className="column">
          <h2 className="visually-hidden">{strings.chat.label}</h2>
          {system === "" || messages.get(0)?.role === "system" ? null : (
            <Fold
              icon="chevron"
              kind="result"
              name={strings.chat.system}
              brief={oneLine(system)}
              body={system}
            />
          )}
          <div className="rows" style={{ height }}>
            {virtual.getVirtualItems().map((item) => {
              const row = rows.row(item.index);
              const message = row.type === "message" ? messages.get(row.index) : undefined;
              const isFlashed =
                row.type === "message" &&
                flash !== undefined &&
                row.index >= flash[0] &&
                row.index <= flash[1];
              return (
                <div
                  key={item.key}
                  ref={virtual.measureElement}
                  data-index={item.index}
                  className={`row-frame ${isFlashed ? "flash" : ""}`}
                  style={{ top: item.start }}
                >
                  {row.type === "divider" ? (
                    <DividerRow
                      divider={row.divider}
                      timeline={timeline}
                      chat={chat}
                      isNewest={row.divider.at === newest}
                      onPointer={show}
                      onCompact={onCompact}
                    />
                  ) : message === undefined ? (
                    <div className="message-hole" aria-hidden="true" />
                  ) : (
                    <>
                      <MessageRow
                        message={message}
                        actions={actions}
                        rangeStart={rangeStart}
                        isFirstOfRole={speakerOf(messages.get(row.index - 1)) !== speakerOf(message)}
                        isLastOfRole={speakerOf(messages.get(row.index + 1)) !== speakerOf(message)}
                        isLast={row.index === total - 1}
                        isUnanswered={
                          conversation !== undefined &&
                          conversation.client === undefined &&
                          !isCut(row.index) &&
                          speakerOf(message) === "user" &&
                          speakerOf(messages.get(row.index + 1)) === "user"
                        }
                      />
                      {isCut(row.index) ? <CutOff text={cut!.text} /> : null}
                    </>
                  )}
                </div>
              );
            })}
          </div>
          {footer}
          <div ref={end} className="transcript-end" />
        </div>
      </div>
      {isAtEnd ? null : (
        <button
          type="button"
          className="to-end"
          aria-label={strings.chat.toBottom}
          onClick={() => goTo("end")}
        >
          <Icon name="down" size={18} />
        </button>
      )}
    </div>
  );
}

/** Tools work for the assistant: what they say belongs to its turn. */
const speakerOf = (message: ApiMessage | undefined) =>
  message === undefined
    ? undefined
    : message.role === "tool" ||
        (message.parts.length > 0 && message.parts.every(({ type }) => type === "tool-result"))
      ? "assistant"
      : message.role;
