import { EDIT_REASONS } from "../../core/edits.ts";
import { DROP_WORDS, FATE_WORDS, type FateName, KEEP_WORDS } from "../../core/words.ts";
import type { ApiConversation, ApiMessage, ApiMessages, ApiView, Run, ViewEntry } from "../../gateway/api.ts";
import { formatCount, formatTime, oneLine, partText, plainText, previewOf } from "../format.ts";
import type { Look, Paint, Tone } from "../io.ts";
import { shortId } from "../open-database.ts";

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
  const { paint, lead } = look;
  const byIndex = new Map(messages.map((message) => [message.index, message]));
  const summaries = view.entries.flatMap((entry) => (entry.type === "insert" ? [entry] : []));
  const rows = rowsOf(view.entries, byIndex);
  const lines = rows.flatMap((row, at) => {
    const ending = summaries.filter(({ covers }) => {
      const end = covers.at(-1)?.to ?? 0;
      return end <= row.to && end > (rows[at - 1]?.to ?? -1);
    });
    return [
      rowLine(row, byIndex.get(row.from), look),
      ...ending.map(({ covers, tokens }) =>
        paint(
          "accent",
          `  summary of ${covers.map((run) => numbers(run, lead)).join(", ")}: ${formatCount(tokens)} tokens`,
        ),
      ),
    ];
  });
  const { tokens, budget } = view;
  return [
    `The view has ${formatCount(tokens.after)}${look.isOpen ? "" : ` of ${formatCount(budget.budget)}`} tokens; the transcript has ${formatCount(tokens.transcript)}.`,
    ...lines,
    summaries.length > 0 ? "/view summary shows the summary, /view N a message." : "/view N shows a message.",
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

/** What became of each message. Neighbours of one fate are one row where they are old, or summarised. */
function rowsOf(entries: readonly ViewEntry[], byIndex: ReadonlyMap<number, ApiMessage>): Row[] {
  const all = entries.flatMap((entry): Omit<Row, "to">[] => {
    if (entry.type === "insert")
      return entry.covers.flatMap(({ from, to }) =>
        Array.from({ length: to - from }, (_, at) => ({
          from: from + at,
          what: COVERED,
          tone: "dim",
          tokens: byIndex.get(from + at)?.tokens ?? 0,
        })),
      );
    const { index: from, tokens } = entry;
    if (entry.type === "keep") {
      const why = entry.why === "new" ? "" : KEEP_WORDS[entry.why];
      return [{ from, tokens, what: became("kept", why), tone: "good" }];
    }
    if (entry.type === "drop")
      return [{ from, tokens, what: became("dropped", DROP_WORDS[entry.reason]), tone: "bad" }];
    const why = entry.reasons.map((reason) => EDIT_REASONS[reason]).join(", ");
    return [{ from, tokens, what: became("shortened", why), tone: "warn" }];
  });
  // A message that is shown although a summary covers it comes after it here, and counts.
  const fates = new Map(
    all
      .toSorted((a, b) => Number(b.what === COVERED) - Number(a.what === COVERED))
      .map((row) => [row.from, row]),
  );
  const last = Math.max(...fates.keys()) + 1;
  const rows: Row[] = [];
  for (const row of [...fates.values()].sort((a, b) => a.from - b.from)) {
    const before = rows.at(-1);
    const isOld = row.what === COVERED || row.from < last - LISTED;
    if (before && isOld && before.what === row.what && before.to === row.from)
      rows[rows.length - 1] = { ...before, to: row.from + 1, tokens: before.tokens + row.tokens };
    else rows.push({ ...row, to: row.from + 1 });
  }
  return rows;
}

function rowLine(row: Row, first: ApiMessage | undefined, { columns, paint, lead }: ListLook): string {
  const message = row.to - row.from === 1 ? first : undefined;
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
