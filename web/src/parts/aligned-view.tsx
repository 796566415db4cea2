import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
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
                style={{ top: item.start }}
              >
                {row.type === "system" ? (
                  <Row
                    kind="kept"
                    number=""
                    who="system"
                    text={oneLine(system)}
                    tokens={row.tokens}
                    fate="kept"
                    why={strings.keepReasons.head}
                    sent={row.tokens}
                  />
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

/** One line of both sides: what was said, and what became of it. */
function Row(props: {
  kind: string;
  number: string;
  who?: ApiMessage["role"] | undefined;
  text: string;
  tokens: number;
  fate: Lot["type"];
  why: string;
  /** Tokens that are sent of it. */
  sent?: number;
  children?: ReactNode;
}) {
  const { kind, number, who, text, tokens, fate, why, sent, children } = props;
  return (
    <div className={`lot ${kind}`}>
      <div className="lot-left">
        <span className="lot-number">{number}</span>
        {who === undefined ? null : <span className={`role ${who}`}>{strings.roles[who]}</span>}
        <span className="brief">{text}</span>
        {children}
        <span className="lot-tokens">{count(tokens)}</span>
      </div>
      <div className="lot-right">
        <span className={`tag ${fate}`} title={strings.fates.help[fate]}>
          {strings.fates[fate]}
        </span>
        <span className="why">{why}</span>
        <span className="lot-tokens">{sent === undefined ? "–" : count(sent)}</span>
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
  const pin = pinned ? strings.chat.unpin : strings.chat.pin;
  return (
    <Row
      kind={lot.type}
      number={number}
      who={message?.role ?? (lot.type === "covered" ? undefined : lot.entry.role)}
      text={message === undefined ? (index < 0 ? oneLine(system) : "…") : briefMessage(message)}
      tokens={originalTokens(lot)}
      fate={lot.type}
      why={whyOf(lot)}
      {...((lot.type === "kept" || lot.type === "edited") && { sent: lot.entry.tokens })}
    >
      {onPin === undefined || index < 0 ? null : (
        <IconButton
          icon="pin"
          kind="pin"
          size={15}
          isOn={pinned}
          label={`${number}: ${pin}`}
          title={pin}
          onClick={() => onPin(index, !pinned)}
        />
      )}
    </Row>
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
    <Row
      kind={`run ${row.lot}`}
      number={useNumbers().run(row.run)}
      text={strings.inspect.runMessages(row.run.to - row.run.from)}
      tokens={row.tokens}
      fate={row.lot}
      why={row.lot === "covered" ? strings.inspect.coveredBy : strings.inspect.notSent}
    >
      <Button look="link" onClick={onOpen}>
        {strings.inspect.openRun}
      </Button>
    </Row>
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
