import { EDIT_REASONS } from "../../core/edit-reasons.ts";
import { DROP_WORDS, FATE_WORDS, type FateName, KEEP_WORDS } from "../../core/words.ts";
import type { ApiConversation, ApiMessage, ApiMessages, ApiView, Run, ViewEntry } from "../../gateway/api.ts";
import { formatCount, formatTime } from "../format.ts";
import type { Look, Paint, Tone } from "../paint.ts";
import { oneLine, partText, plainText, previewOf } from "../plain-text.ts";
import { shortId } from "../short-names.ts";

/** Messages that are listed one by one, the newest; those before them are told in runs. */
const LISTED = 20;

interface ListLook extends Look {
  /** Messages that numbers count and indexes don't. */
  readonly lead: number;
  /** There is no window that the view must fit. */
  readonly isOpen?: boolean;
}

interface Row {
  readonly from: number;
  readonly to: number;
  readonly what: string;
  readonly tone: Tone;
  readonly tokens: number;
}

/** What the model sees: what became of each message, in order, with the summary where it stands. */
export function viewText(view: ApiView, messages: readonly ApiMessage[], look: ListLook): string {
  const { paint, columns, lead } = look;
  const inserts = view.entries.filter((entry) => entry.type === "insert");
  const rows = rowsOf(view.entries, messages);
  const byIndex = new Map(messages.map((message) => [message.index, message]));
  const last = rows.at(-1)?.to ?? 0;
  const lines = rows.flatMap((row) => {
    const own = row.to > last - LISTED && row.what !== COVERED;
    const pieces = own ? singles(row, Math.max(row.from, last - LISTED), byIndex) : [row];
    return pieces.map((piece) => rowLine(piece, byIndex, { columns, paint, lead }));
  });
  for (const { covers, tokens } of inserts) {
    const where = rows.findIndex(({ from }) => from >= (covers.at(-1)?.to ?? 0));
    const before = where < 0 ? lines.length : countLines(rows, where, last);
    lines.splice(
      before,
      0,
      paint(
        "accent",
        `  summary of ${covers.map((run) => numbers(run, lead)).join(", ")}: ${formatCount(tokens)} tokens`,
      ),
    );
  }
  const { tokens, budget } = view;
  return [
    `The view has ${formatCount(tokens.after)}${look.isOpen ? "" : ` of ${formatCount(budget.budget)}`} tokens; the transcript has ${formatCount(tokens.transcript)}.`,
    ...lines,
    inserts.length > 0 ? "/view summary shows the summary, /view N a message." : "/view N shows a message.",
  ].join("\n");
}

/** The messages that precis wrote, word for word. */
export function summaryText(view: ApiView): string {
  const texts = view.entries.flatMap((entry) => (entry.type === "insert" ? [plainText(entry.text)] : []));
  return texts.length === 0 ? "There is no summary: the view is the transcript." : texts.join("\n\n");
}

export function messageText(message: ApiMessage, lead: number): string {
  const head = `#${message.index + 1 + lead} ${message.role}, ${formatCount(message.tokens)} tokens${message.pinned ? ", pinned" : ""}`;
  return `${head}\n${plainText(message.parts.map(partText).join("\n"))}`;
}

const became = (fate: FateName, why: string): string =>
  why === "" ? FATE_WORDS[fate] : `${FATE_WORDS[fate]}: ${why}`;

const COVERED = FATE_WORDS.covered;

function rowsOf(entries: readonly ViewEntry[], messages: readonly ApiMessage[]): Row[] {
  const fates = new Map<number, Omit<Row, "from" | "to">>();
  const tokensOf = new Map(messages.map(({ index, tokens }) => [index, tokens]));
  for (const entry of entries)
    if (entry.type === "insert")
      for (const { from, to } of entry.covers)
        for (let index = from; index < to; index++)
          fates.set(index, { what: COVERED, tone: "dim", tokens: tokensOf.get(index) ?? 0 });
  for (const entry of entries) {
    if (entry.type === "insert") continue;
    const { index, tokens } = entry;
    if (entry.type === "keep")
      fates.set(index, {
        what: became("kept", entry.why === "new" ? "" : KEEP_WORDS[entry.why]),
        tone: "good",
        tokens,
      });
    else if (entry.type === "edit")
      fates.set(index, {
        what: became("shortened", entry.reasons.map((reason) => EDIT_REASONS[reason]).join(", ")),
        tone: "warn",
        tokens,
      });
    else fates.set(index, { what: became("dropped", DROP_WORDS[entry.reason]), tone: "bad", tokens });
  }
  const rows: Row[] = [];
  for (const [index, fate] of [...fates].sort(([a], [b]) => a - b)) {
    const before = rows.at(-1);
    if (before?.what === fate.what && before.to === index)
      rows[rows.length - 1] = { ...before, to: index + 1, tokens: before.tokens + fate.tokens };
    else rows.push({ from: index, to: index + 1, ...fate });
  }
  return rows;
}

/** A row as one row for each of its newest messages, after one for all others. */
function singles(row: Row, from: number, byIndex: ReadonlyMap<number, ApiMessage>): Row[] {
  const pieces: Row[] = [];
  for (let index = from; index < row.to; index++)
    pieces.push({ ...row, from: index, to: index + 1, tokens: byIndex.get(index)?.tokens ?? 0 });
  if (from === row.from) return pieces;
  const rest = row.tokens - pieces.reduce((sum, { tokens }) => sum + tokens, 0);
  return [{ ...row, to: from, tokens: rest }, ...pieces];
}

function countLines(rows: readonly Row[], until: number, last: number): number {
  return rows.slice(0, until).reduce((sum, row) => {
    if (row.to <= last - LISTED || row.what === COVERED) return sum + 1;
    const from = Math.max(row.from, last - LISTED);
    return sum + row.to - from + (from === row.from ? 0 : 1);
  }, 0);
}

function rowLine(
  row: Row,
  byIndex: ReadonlyMap<number, ApiMessage>,
  { columns, paint, lead }: ListLook,
): string {
  const message = row.to - row.from === 1 ? byIndex.get(row.from) : undefined;
  const pin = message?.pinned === true && !row.what.includes("pinned") ? " (pinned)" : "";
  const start = `  ${numbers(row, lead)}${message === undefined ? "" : ` ${message.role}`}`;
  const size = `${pin}, ${formatCount(row.tokens)} tokens`;
  const what = `${oneLine(row.what, columns - start.length - GAP.length - size.length)}${size}`;
  const room = columns - start.length - what.length - 4;
  const words = message === undefined || room < MIN_PREVIEW ? "" : `  ${previewOf(message, room)}`;
  return `${start}${GAP}${paint(row.tone, what)}${words}`;
}

/** Between what a line says of a message. */
const GAP = "  ";

/** A preview shorter than this says nothing (characters). */
const MIN_PREVIEW = 12;

const numbers = ({ from, to }: Run, lead: number): string =>
  to - from === 1 ? `#${from + 1 + lead}` : `#${from + 1 + lead}–${to + lead}`;

export function conversationsText(conversations: readonly ApiConversation[], columns: number): string {
  if (conversations.length === 0) return "There are no conversations yet.\n";
  return conversations
    .map((one) => {
      const facts = `${shortId(one.id)}  ${formatTime(one.updatedAt)}  ${formatCount(one.messages).padStart(6)} messages  `;
      return `${facts}${oneLine(one.title === "" ? "(no title)" : one.title, Math.max(12, columns - facts.length))}\n`;
    })
    .join("");
}

/** Where a resumed conversation stands: its title and its newest messages, a line each. */
export function messagesText(
  conversation: ApiConversation,
  shown: ApiMessages,
  columns: number,
  paint: Paint,
): string {
  const { lead } = shown;
  const title = conversation.title === "" ? "(no title)" : conversation.title;
  return [
    paint("strong", oneLine(`${title}, ${formatCount(conversation.messages)} messages`, columns)),
    ...(shown.from > 0 ? [paint("dim", `  … ${formatCount(shown.from)} before`)] : []),
    ...shown.messages.map((message) => {
      const start = `  #${message.index + 1 + lead} ${message.role}: `;
      return `${paint("dim", start)}${previewOf(message, Math.max(12, columns - start.length))}`;
    }),
  ].join("\n");
}
