import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import type { ApiMessage, ApiView } from "../../../src/gateway/api.ts";
import { count } from "../state/format.ts";
import { briefMessage, oneLine } from "../state/message-text.ts";
import type { Transcript } from "../state/transcript.ts";
import { alignView, type Lot, originalTokens, type ViewRow } from "../state/view.ts";
import { strings } from "../strings.ts";
import { Button, IconButton, ScrollArea } from "./controls.tsx";
import { SummaryText } from "./summary-text.tsx";
import { useNumbers, useStore } from "./use-store.ts";

const ROW_HEIGHT = 46;
const INSERT_HEIGHT = 190;
const ROWS_AHEAD = 12;

/** Transcript on the left, what the model is sent on the right, line by line. */
export function AlignedView(props: {
  view: ApiView;
  transcript: Transcript;
  onPin?: (index: number, on: boolean) => void;
}) {
  const { view, transcript, onPin } = props;
  const { messages, system } = useStore(transcript.store);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const scroller = useRef<HTMLElement>(null);
  const rows = useMemo(() => alignView(view, opened), [view, opened]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (n) => (rows[n]?.type === "insert" ? INSERT_HEIGHT : ROW_HEIGHT),
    overscan: ROWS_AHEAD,
    getItemKey: (n) => keyOf(rows[n]!),
  });
  const items = virtual.getVirtualItems();
  useEffect(() => {
    for (const { index } of items) {
      const row = rows[index];
      if (row?.type === "message" && !messages.has(row.index)) transcript.ensure(row.index, row.index + 1);
    }
  });
  const show = (index: number) => {
    const place = rows.findIndex(
      (row) =>
        (row.type === "message" && row.index >= index) ||
        (row.type === "run" && row.run.from <= index && index < row.run.to),
    );
    const row = rows[place];
    if (row?.type === "run") setOpened(new Set([...opened, row.run.from]));
    if (place >= 0) virtual.scrollToIndex(place, { align: "center" });
  };
  return (
    <section className="aligned" aria-label={strings.inspect.label}>
      <div className="aligned-head">
        <div>
          <strong>{strings.inspect.transcript}</strong> <small>{strings.inspect.transcriptHelp}</small>
          <span className="sum">{count(view.tokens.transcript)}</span>
        </div>
        <div>
          <strong>{strings.inspect.view}</strong> <small>{strings.inspect.viewHelp}</small>
          <span className="sum">{count(view.tokens.after)}</span>
        </div>
      </div>
      <ScrollArea ref={scroller} className="aligned-rows" label={strings.inspect.rowsLabel}>
        <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {items.map((item) => {
            const row = rows[item.index]!;
            return (
              <div
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                className="row-frame"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                {row.type === "system" ? (
                  <SystemRow text={system} tokens={row.tokens} />
                ) : row.type === "insert" ? (
                  <InsertRow row={row} onPointer={show} />
                ) : row.type === "run" ? (
                  <RunRow row={row} onOpen={() => setOpened(new Set([...opened, row.run.from]))} />
                ) : (
                  <LotRow
                    index={row.index}
                    lot={row.lot}
                    message={messages.get(row.index)}
                    system={system}
                    onPin={onPin}
                  />
                )}
              </div>
            );
          })}
        </div>
      </ScrollArea>
    </section>
  );
}

const keyOf = (row: ViewRow) =>
  row.type === "system"
    ? "system"
    : row.type === "insert"
      ? `i${row.number}`
      : row.type === "run"
        ? `r${row.run.from}`
        : row.index;

/** A system prompt that has no place among the messages. */
function SystemRow({ text, tokens }: { text: string; tokens: number }) {
  return (
    <div className="lot kept">
      <div className="lot-left">
        <span className="lot-number" />
        <span className="role system">{strings.roles.system}</span>
        <span className="brief">{oneLine(text)}</span>
        <span className="lot-tokens">{count(tokens)}</span>
      </div>
      <div className="lot-right">
        <span className="tag kept" title={strings.fates.help.kept}>
          {strings.fates.kept}
        </span>
        <span className="why">{strings.keepReasons.head}</span>
        <span className="lot-tokens">{count(tokens)}</span>
      </div>
    </div>
  );
}

function LotRow(props: {
  index: number;
  /** Stands before the first message, with a negative index. */
  system: string;
  lot: Lot;
  message: ApiMessage | undefined;
  onPin: ((index: number, on: boolean) => void) | undefined;
}) {
  const { index, lot, message, system, onPin } = props;
  const number = useNumbers().one(index);
  const pinned = message?.pinned ?? false;
  const role = message?.role ?? (lot.type === "covered" ? undefined : lot.entry.role);
  return (
    <div className={`lot ${lot.type}`}>
      <div className="lot-left">
        <span className="lot-number">{number}</span>
        <span className={`role ${role}`}>{role === undefined ? "" : strings.roles[role]}</span>
        <span className="brief">
          {message === undefined ? (index < 0 ? oneLine(system) : "…") : briefMessage(message)}
        </span>
        {onPin === undefined || index < 0 ? null : (
          <IconButton
            icon="pin"
            kind="pin"
            size={15}
            isOn={pinned}
            label={`${number}: ${pinned ? strings.chat.unpin : strings.chat.pin}`}
            title={pinned ? strings.chat.unpin : strings.chat.pin}
            onClick={() => onPin(index, !pinned)}
          />
        )}
        <span className="lot-tokens">{count(originalTokens(lot))}</span>
      </div>
      <div className="lot-right">
        <span className={`tag ${lot.type}`} title={strings.fates.help[lot.type]}>
          {strings.fates[lot.type]}
        </span>
        <span className="why">{whyOf(lot)}</span>
        <span className="lot-tokens">
          {lot.type === "kept" || lot.type === "edited" ? count(lot.entry.tokens) : "–"}
        </span>
      </div>
    </div>
  );
}

function whyOf(lot: Lot): string {
  switch (lot.type) {
    case "kept":
      return strings.keepReasons[lot.entry.why];
    case "edited":
      return lot.entry.reasons.map((reason) => strings.editReasons[reason]).join(", ");
    case "covered":
      return strings.inspect.coveredBy;
    case "dropped":
      return strings.dropReasons[lot.entry.reason];
    default:
      return "";
  }
}

function RunRow({ row, onOpen }: { row: Extract<ViewRow, { type: "run" }>; onOpen: () => void }) {
  return (
    <div className={`lot run ${row.lot}`}>
      <div className="lot-left">
        <span className="lot-number">{useNumbers().run(row.run)}</span>
        <span className="brief">{strings.inspect.runMessages(row.run.to - row.run.from)}</span>
        <Button look="link" onClick={onOpen}>
          {strings.inspect.openRun}
        </Button>
        <span className="lot-tokens">{count(row.tokens)}</span>
      </div>
      <div className="lot-right">
        <span className={`tag ${row.lot}`}>{strings.fates[row.lot]}</span>
        <span className="why">
          {row.lot === "covered" ? strings.inspect.coveredBy : strings.inspect.notSent}
        </span>
        <span className="lot-tokens">–</span>
      </div>
    </div>
  );
}

function InsertRow(props: { row: Extract<ViewRow, { type: "insert" }>; onPointer: (index: number) => void }) {
  const { entry } = props.row;
  const numbers = useNumbers();
  return (
    <div className="lot insert">
      <div className="lot-left" />
      <div className="lot-right insert-box">
        <header>
          <span className="tag summary">{strings.inspect.summary}</span>
          <span className="why">{entry.covers.map(numbers.run).join(", ")}</span>
          {/* Where a system message takes it, it is counted there. */}
          <span className="lot-tokens">{entry.tokens === 0 ? "" : count(entry.tokens)}</span>
        </header>
        <SummaryText text={entry.text} onPointer={props.onPointer} />
      </div>
    </div>
  );
}
