import { useEffect, useState } from "react";
import { splitPointers } from "../state/citations.ts";
import { knowOtherTitles, readSummary } from "../state/read-summary.ts";
import { strings } from "../strings.ts";
import { Cited } from "./cited.tsx";
import { ScrollArea, Tabs } from "./controls.tsx";
import { useNumbers } from "./use-store.ts";

export type OnPointer = (from: number, to: number) => void;

/** The forms in which a summary message can be read. */
const FORMS = { readable: strings.compaction.readable, asSent: strings.compaction.asSent };

/** What a summary message says, for people: by sections, each entry with the way to its messages. */
export function ReadableSummary({ text, onPointer }: { text: string; onPointer: OnPointer }) {
  const sections = readSummary(text);
  const isUnread = sections.length === 0;
  const [form, setForm] = useState<keyof typeof FORMS>(isUnread ? "asSent" : "readable");
  useEffect(() => {
    // It may be in another language.
    if (isUnread) void knowOtherTitles().then(() => readSummary(text).length > 0 && setForm("readable"));
  }, [isUnread, text]);
  const words = strings.compaction;
  return (
    <>
      {sections.length === 0 ? null : (
        <Tabs legend={words.form} names={FORMS} chosen={form} onChoose={setForm} />
      )}
      {form === "asSent" ? (
        <SummaryText text={text} onPointer={onPointer} />
      ) : (
        <ScrollArea className="summary-read" label={strings.inspect.summary} isPart>
          {sections.map(({ name, entries }) => (
            <section key={name}>
              <h4>{words.sections[name]}</h4>
              <ul>
                {entries.map((entry, n) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: entries of a text have no other name
                  <li key={n} className={name === "lines" ? "exact" : undefined}>
                    {entry.speaker === undefined ? null : <strong>{entry.speaker} </strong>}
                    <span className="said">
                      <Cited text={entry.text} />
                    </span>{" "}
                    {entry.pointer === undefined ? null : (
                      <Pointers line={entry.pointer} onPointer={onPointer} />
                    )}
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </ScrollArea>
      )}
    </>
  );
}

/** A summary line by line, as the model gets it; pointers at messages can be followed. */
export function SummaryText({ text, onPointer }: { text: string; onPointer: OnPointer }) {
  const lines = text.split("\n");
  return (
    <ScrollArea className="summary-text" label={strings.inspect.summary} isPart>
      {lines.map((line, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of a text have no other name
        <p key={n} className={lineKind(line)}>
          <Pointers line={line} onPointer={onPointer} />
        </p>
      ))}
    </ScrollArea>
  );
}

/** A line whose pointers at messages can be followed, and whose sources can be opened. */
function Pointers({ line, onPointer }: { line: string; onPointer: OnPointer }) {
  const { lead } = useNumbers();
  return splitPointers(line, lead).map((piece, m) =>
    piece.type === "text" ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text have no other name
      <Cited key={m} text={piece.text} />
    ) : (
      <button
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text have no other name
        key={m}
        type="button"
        className="pointer"
        onClick={() => onPointer(piece.from, piece.to)}
      >
        {piece.text}
      </button>
    ),
  );
}

/** Lines such as "The user's words:" head a part of the summary; tags frame it. */
function lineKind(line: string): string | undefined {
  if (/^<\/?[\w-]+>$/.test(line)) return "tag-line";
  if (/^[A-Z][^.]{2,60}:$/.test(line)) return "head-line";
  return undefined;
}
