import { useState } from "react";
import type { ApiSummary, Divider, TimelineEvent } from "../../../src/gateway/api.ts";
import type { Chat } from "../state/chat.ts";
import { duration, moment } from "../state/format.ts";
import { summaryDrafts } from "../state/kept.ts";
import { compactionOf, hiddenBy, isPaid } from "../state/turns.ts";
import { strings } from "../strings.ts";
import type { CompactWish } from "./compact-dialog.tsx";
import { Button, EditForm } from "./controls.tsx";
import { Icon } from "./icon.tsx";
import { PlaceLink } from "./place-link.tsx";
import { type OnPointer, ReadableSummary, SummaryText } from "./summary-text.tsx";
import { useNumbers } from "./use-store.ts";

/** Where a compaction happened: what it did, and the summary to read and to steer. */
export function DividerRow(props: {
  divider: Divider;
  timeline: readonly TimelineEvent[];
  chat: Chat;
  isNewest: boolean;
  onPointer: OnPointer;
  onCompact: (wish: CompactWish) => void;
}) {
  const { divider, timeline, chat, isNewest, onPointer, onCompact } = props;
  const [isOpen, setOpen] = useState(false);
  const numbers = useNumbers();
  const done = strings.compaction.done(hiddenBy(divider));
  const request = compactionOf(timeline, divider.checkpoint)?.request;
  const hasSummary = divider.text !== "";
  const [open, close] = hasSummary
    ? [strings.compaction.read, strings.compaction.hide]
    : [strings.compaction.more, strings.compaction.less];
  return (
    <section
      className={`divider ${isOpen ? "open" : ""}`}
      aria-label={strings.compaction.label(done, numbers.one(divider.after))}
    >
      <button
        type="button"
        className="divider-head"
        aria-expanded={isOpen}
        disabled={!hasSummary && !isNewest}
        onClick={() => {
          setOpen(!isOpen);
          // Whoever reads it has no need to be told that it is there.
          if (chat.store.get().fresh?.checkpoint === divider.checkpoint) chat.store.set({ fresh: undefined });
        }}
      >
        <span className="divider-mark">
          <Icon name="fold" size={16} />
        </span>
        <span className="divider-words">
          <strong>{done}</strong>
          <span className="divider-facts">{factsOf(divider, timeline).join(" · ")}</span>
        </span>
        {hasSummary || isNewest ? <span className="divider-more">{isOpen ? close : open}</span> : null}
      </button>
      {isOpen ? (
        <div className="divider-body">
          <p className="help">{detailsOf(divider, timeline).join(" · ")}</p>
          {(compactionOf(timeline, divider.checkpoint)?.warnings ?? []).map((code) => {
            const words = strings.compaction.warnings[code];
            return words === undefined ? null : (
              <p key={code} className="help">
                {words}
              </p>
            );
          })}
          {divider.summaries.map((summary) => (
            <SummaryBox key={summary.key} summary={summary} chat={chat} onPointer={onPointer} />
          ))}
          {hasSummary ? (
            <>
              <h3>{strings.compaction.whatModelSees}</h3>
              <ReadableSummary text={divider.text} onPointer={onPointer} />
              {divider.summaries.length === 0 ? <p className="help">{strings.compaction.noEdit}</p> : null}
            </>
          ) : null}
          {request === undefined ? null : (
            <p>
              <PlaceLink to={{ page: "request", id: request }}>{strings.request.inRequest}</PlaceLink>
            </p>
          )}
          {isNewest ? (
            <div className="row">
              <Button icon="undo" title={strings.compaction.undoHelp} onClick={() => chat.undo()}>
                {strings.compaction.undo}
              </Button>
              <Button icon="redo" onClick={() => onCompact("rebuild")}>
                {strings.compaction.rebuild}
              </Button>
              <Button icon="fold" onClick={() => onCompact({})}>
                {strings.compaction.again}
              </Button>
            </div>
          ) : null}
        </div>
      ) : null}
    </section>
  );
}

function factsOf({ checkpoint, tokens, summaries }: Divider, timeline: readonly TimelineEvent[]): string[] {
  const event = compactionOf(timeline, checkpoint);
  const models = [...new Set(summaries.map(({ model }) => model))];
  // The lines that code chose stand beside what a model wrote: then the model's name says more.
  const rung = models.length > 0 && event?.rung === "extractive" ? undefined : event?.rung;
  return [
    strings.compaction.tokens(event?.tokens.transcript ?? tokens.before, tokens.after),
    rung && strings.rungs[rung],
    models.length > 0 ? strings.compaction.model(models.join(", ")) : undefined,
    summaries.some(({ author }) => author === "user") ? strings.compaction.edited : undefined,
    event && isPaid(event.rung) ? strings.compaction.cost(event.cost) : undefined,
    event?.key && models.length > 0 ? strings.compaction.key[event.key] : undefined,
  ].filter((fact) => fact !== undefined);
}

/** What only some want to know. */
function detailsOf({ checkpoint, at }: Divider, timeline: readonly TimelineEvent[]): string[] {
  const event = compactionOf(timeline, checkpoint);
  return [
    moment(at),
    event?.reason && strings.compaction.why(event.reason),
    event && duration(event.ms),
    strings.compaction.countedThen,
  ].filter((fact) => fact !== undefined);
}

function SummaryBox({ summary, chat, onPointer }: { summary: ApiSummary; chat: Chat; onPointer: OnPointer }) {
  const [draft, setDraft] = useState(() => summaryDrafts.read(summary.key));
  const numbers = useNumbers();
  const write = (words: string | undefined) => {
    setDraft(words);
    summaryDrafts.keep(summary.key, words);
  };
  return (
    <div className="summary-box">
      <header>
        <button
          type="button"
          className="pointer"
          onClick={() => onPointer(summary.covers.from, summary.covers.to - 1)}
        >
          {strings.compaction.summaryOf(numbers.run(summary.covers))}
        </button>
        <span className="facts">
          {summary.author === "user" ? strings.compaction.edited : summary.model} ·{" "}
          {strings.compaction.tokens(summary.tokens.source, summary.tokens.text)}
        </span>
        {draft === undefined ? (
          <Button look="link" onClick={() => write(summary.text)}>
            {strings.compaction.edit}
          </Button>
        ) : null}
      </header>
      {draft === undefined ? (
        <SummaryText text={summary.text} onPointer={onPointer} />
      ) : (
        <EditForm
          label={strings.compaction.editLabel}
          value={draft}
          rows={8}
          go={strings.save}
          onChange={write}
          onCancel={() => write(undefined)}
          // If it isn't saved, the words stay in the box.
          onSave={async () => {
            if (await chat.editSummary(summary.key, draft)) write(undefined);
          }}
        />
      )}
    </div>
  );
}
