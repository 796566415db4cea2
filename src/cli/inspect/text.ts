import type { Checkpoint, Entry, Message } from "../../core/types.ts";
import type { Conversation } from "../../stores/server-store.ts";
import { formatCount } from "../format.ts";
import type { Paint, Tone } from "../paint.ts";
import { partText } from "../part-text.ts";
import type { Inspection } from "./inspection.ts";

interface Look {
  readonly columns: number;
  readonly paint: Paint;
}

/** What became of a message, and why. */
interface Fate {
  readonly what: string;
  readonly tone: Tone;
}

const KEPT: Fate = { what: "kept", tone: "good" };

/** The conversation for people: what it is, its checkpoints, and each message with what became of it. */
export function inspectionText(inspection: Inspection, look: Look): string {
  const { conversation, records, view, citations } = inspection;
  const { paint } = look;
  const undone = new Set(records.undos.map((undo) => undo.checkpoint));
  const lines = [
    paint("strong", conversation.title === "" ? "(no title)" : conversation.title),
    factsOf(conversation),
    "",
    paint("strong", "Checkpoints"),
    ...(records.checkpoints.length === 0
      ? ["  none: the view is the transcript"]
      : records.checkpoints
          .toSorted((a, b) => a.at - b.at)
          .map((one) => `  ${checkpointLine(one, one.id === view.checkpoint?.id, undone.has(one.id))}`)),
    "",
    paint("strong", "Transcript, and what the view makes of it"),
    ...messageLines(inspection, look),
    "",
    `The view: ${formatCount(view.messages.length)} messages for ${formatCount(view.transcript.length)} of the transcript.`,
  ];
  const inserts = view.entries.filter((entry) => entry.type === "insert");
  for (const { message } of inserts) lines.push("", paint("strong", "Summary message"), message.text);
  if (citations.length > 0)
    lines.push(
      "",
      paint("strong", "Citations"),
      ...citations.map((one) => `  [${one.number}] ${one.source}`),
    );
  return `${lines.join("\n")}\n`;
}

/** One line for each conversation. */
export function conversationsText(conversations: readonly Conversation[], { columns }: Look): string {
  if (conversations.length === 0) return "There are no conversations yet.\n";
  return conversations
    .map((one) =>
      cut(
        `${one.session ?? one.id}  ${time(one.updatedAt)}  ${formatCount(one.length).padStart(6)} messages  ${one.title}`,
        columns,
      ),
    )
    .join("\n")
    .concat("\n");
}

function factsOf(one: Conversation): string {
  const facts = [
    ...(one.session === undefined ? [] : [`session ${one.session}`]),
    `conversation ${one.id}`,
    ...(one.dialect === undefined ? [] : [one.dialect]),
    ...(one.model === undefined ? [] : [one.model]),
    `${formatCount(one.length)} messages`,
    `changed ${time(one.updatedAt)}`,
    ...(one.fork === undefined
      ? []
      : [`forked from ${one.fork.of} after ${formatCount(one.fork.length)} messages`]),
    ...(one.pinned ? ["pinned"] : []),
    ...(one.archived ? ["archived"] : []),
    ...(one.expiresAt === undefined ? [] : [`ends ${time(one.expiresAt)}`]),
  ];
  return facts.join(" · ");
}

function checkpointLine(one: Checkpoint, inUse: boolean, undone: boolean): string {
  const mark = undone ? " · undone" : inUse ? " · in use" : "";
  const { before, after } = one.tokens;
  return `${time(one.at)} · ${formatCount(before)} → ${formatCount(after)} tokens · because of ${one.reason} · by ${one.rung} · ${one.strategy} · budget ${formatCount(one.budget)} · first ${formatCount(one.length)} messages${mark}`;
}

function messageLines({ view, messages }: Inspection, { columns, paint }: Look): string[] {
  const fates = fatesOf(view.entries, view.transcript.length);
  const numberWidth = String(view.transcript.length).length;
  return view.transcript.map((message, index) => {
    const { what, tone } = fates[index] ?? KEPT;
    const number = index < view.lead ? "head" : `#${index - view.lead + 1}`;
    const tokens = messages[index - view.lead]?.tokens;
    const start = `  ${number.padStart(Math.max(4, numberWidth + 1))} ${message.role.padEnd(9)} ${
      tokens === undefined ? "".padEnd(7) : formatCount(tokens).padStart(7)
    } `;
    const fate = what.padEnd(FATE_WIDTH);
    const room = Math.max(0, columns - start.length - fate.length - 1);
    return `${start}${paint(tone, fate)} ${cut(previewOf(message), room)}`.trimEnd();
  });
}

const FATE_WIDTH = 30;

function fatesOf(entries: readonly Entry[], length: number): Fate[] {
  const fates = new Array<Fate>(length).fill(KEPT);
  for (const entry of entries) {
    if (entry.type !== "insert") continue;
    for (const { from, to } of entry.covers)
      fates.fill({ what: "covered by the summary", tone: "dim" }, from, to);
  }
  for (const entry of entries) {
    if (entry.type === "keep") fates[entry.index] = KEPT;
    else if (entry.type === "drop") fates[entry.index] = { what: `dropped: ${entry.reason}`, tone: "bad" };
    else if (entry.type === "edit") {
      const reasons = new Set(entry.edits.map((edit) => edit.why));
      fates[entry.index] = { what: `shortened: ${[...reasons].join(", ")}`, tone: "warn" };
    }
  }
  return fates;
}

function previewOf({ parts }: Message): string {
  return parts
    .map(partText)
    .join(" ")
    .slice(0, 500)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

const time = (at: number): string => new Date(at).toISOString().replace("T", " ").slice(0, 16);
