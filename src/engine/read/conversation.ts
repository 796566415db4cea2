import { noteFor } from "../../core/collections.ts";
import { type Draft, type Fate, type Insert, isShown } from "../../core/draft.ts";
import { applyEdits } from "../../core/edits.ts";
import { mayFollow } from "../../core/invariants.ts";
import type { Structure } from "../../core/rounds.ts";
import type { DialectRules, Edit, FitInput, InsertMessage, Measure, Message, Run } from "../../core/types.ts";
import { renderState } from "../../summaries/records/render-narrative.ts";
import { escapeText } from "../../summaries/text/escape.ts";

/** A transcript that was read, hashed and counted: what plans are made from. */
export interface Conversation {
  readonly messages: readonly Message[];
  readonly structure: Structure;
  /** `chain[n]` names the first n messages after the leading system messages. */
  readonly chain: readonly string[];
  readonly isHead: (index: number) => boolean;
  readonly measure: Measure;
  /** Tokens of each message as it stands in the transcript. */
  readonly tokens: readonly number[];
  /** Tokens outside of the messages: the system prompt kept apart, and what is sent with this request only. */
  readonly outside: { readonly system: number; readonly extras: number };
  /** Tokens of a message after edits, counted on the wire: formats differ in how they append a text. */
  readonly editedTokens: (index: number, edits: readonly Edit[]) => number;
  /** Tokens that a text adds to the system prompt, in a format that keeps it apart. */
  readonly systemGain?: (text: string) => number;
  /** System prompt, pins and knowledge, wherever they stand. */
  readonly head: number;
  /** Where the work stands, as the host says: shown at the end of every view that hides something. */
  readonly note?: HostNote;
  /** What is shown of a tool loop under way must begin with a thought. */
  readonly leads?: true;
  /** Everything that a pass-through would send. */
  readonly total: number;
}

/** A system prompt that says something. */
export function hasSystem(system: unknown): boolean {
  return (
    system !== undefined &&
    system !== null &&
    system !== "" &&
    !(Array.isArray(system) && system.length === 0)
  );
}

/** Tokens of a message as a checkpoint edits it: the same in every view that stands on it. */
const editedTokens = noteFor<number>();

/** Tokens of a draft's view, as if it were rendered. `checkpoint` names what edits its messages: then each is counted once. */
export function draftTokens(conversation: Conversation, draft: Draft, checkpoint?: string): number {
  const { messages, tokens, measure, outside, note } = conversation;
  const counted = (message: Message, edits: readonly Edit[]): number => {
    const count = () => measure.message(applyEdits(message, edits));
    return checkpoint ? editedTokens(message, [checkpoint, edits.length, measure], count) : count();
  };
  let sum = outside.system + outside.extras;
  if (note && showsNote(draft, messages)) sum += note.tokens;
  for (let index = 0; index < draft.fates.length; index++) {
    const fate = draft.fates[index]!;
    if (fate.type === "keep") sum += tokens[index]!;
    else if (fate.type === "edit")
      sum += fate.edits.some((edit) => edit.type === "append")
        ? conversation.editedTokens(index, fate.edits)
        : counted(messages[index]!, fate.edits);
  }
  for (const insert of draft.inserts) sum += shownInsertTokens(conversation, insert);
  return sum;
}

/** Tokens that an insert adds to the view, wherever it goes. */
export function shownInsertTokens({ measure, systemGain }: Conversation, insert: Insert): number {
  // Its text is counted with the system message that takes it.
  if (insert.merged) return 0;
  return insert.message.role === "system" && systemGain
    ? systemGain(insert.message.text)
    : insertTokens(measure, insert.message);
}

/** Tokens of a message that precis wrote. */
export function insertTokens(
  measure: Measure,
  message: { readonly role: Message["role"]; readonly text: string },
): number {
  return measure.message({ role: message.role, parts: [{ type: "text", text: message.text }] });
}

/** Head and last user message: shown in every view. */
export function mustShow({ structure, isHead }: Conversation, index: number): boolean {
  return isHead(index) || index === structure.lastUser;
}

/**
 * The newest message holds tool results and the user's words beside them: these words are what the model is to answer,
 * so the round stays and the words are never shortened.
 */
export function newestSpeaks({ messages }: Conversation): boolean {
  const newest = messages.at(-1);
  return (
    newest?.role === "user" &&
    newest.parts.some((part) => part.type === "tool-result") &&
    newest.parts.some((part) => part.type === "text" && part.text.trim() !== "")
  );
}

/** Tokens of what every compacted view holds beside messages of the conversation. */
export function fixedTokens({ head, outside, note }: Conversation): number {
  return head + outside.extras + (note?.tokens ?? 0);
}

/** Tokens of what every compacted view shows. */
export function floorTokens(conversation: Conversation): number {
  const { structure, tokens, isHead } = conversation;
  const last = structure.lastUser;
  return fixedTokens(conversation) + (last !== undefined && !isHead(last) ? tokens[last]! : 0);
}

/** Tokens of the round that the model hasn't answered yet and of what follows it, without what every view shows anyway. */
export function unansweredTokens(conversation: Conversation): number {
  const { structure, messages, tokens } = conversation;
  let sum = 0;
  for (let index = structure.unanswered; index < messages.length; index++)
    if (!mustShow(conversation, index)) sum += tokens[index]!;
  return sum;
}

/** Tokens of what every view shows whole as long as it fits: head, last user message and the unanswered round. */
export function wholeTokens(conversation: Conversation): number {
  return floorTokens(conversation) + unansweredTokens(conversation);
}

/**
 * In a conversation that is many times as long as its room, a round that the model hasn't answered leaves its record at least 3 % of
 * what that speaks for: nothing at 10 times the room, all of it from 20 times on. Less than 200 tokens aren't worth cutting a round.
 */
const LONG = { from: 10, to: 20, hidden: 0.03, mostRoom: 0.6, mostTokens: 2_000, leastTokens: 200 };
/** A round that is cut anyway leaves at least this share of the room to the record. */
const RECORD_BESIDE_CUT = 0.05;

/** Tokens that a round has to leave to the record of what is older: none, but where an agent would forget a long history for it. */
export function recordOfLong(conversation: Conversation, limit: number): number {
  const room = Math.max(1, limit - floorTokens(conversation));
  const hidden = conversation.total - wholeTokens(conversation);
  const share = Math.min(1, (hidden / room - LONG.from) / (LONG.to - LONG.from));
  const record = Math.floor(share * Math.min(room * LONG.mostRoom, hidden * LONG.hidden, LONG.mostTokens));
  return record < LONG.leastTokens ? 0 : record;
}

/** Tokens that a view may have without its record where the unanswered round is cut: an agent that doesn't know what it has done begins anew. */
export function limitBesideCut(conversation: Conversation, limit: number): number {
  const least = (limit - floorTokens(conversation)) * RECORD_BESIDE_CUT;
  return limit - Math.floor(Math.max(least, recordOfLong(conversation, limit)));
}

/**
 * Up to where (after the leading system messages) a draft hides what it may hide: behind the last covered message, and
 * behind what every view shows right after it.
 */
export function hiddenEnd(conversation: Conversation, fates: Draft["fates"]): number {
  const last = fates.findLastIndex((fate) => fate.type === "cover");
  if (last < 0) return 0;
  let end = last + 1;
  while (end < fates.length && mustShow(conversation, end)) end++;
  return end - conversation.structure.start;
}

/** Tokens of a run of messages as they stand in the transcript. */
export function tokensIn({ tokens }: Conversation, { from, to }: Run): number {
  return tokens.slice(from, to).reduce((sum, one) => sum + one, 0);
}

/** Messages that a draft shows, without the head (for count triggers). */
export function shownMessages(conversation: Conversation, draft: Draft): number {
  return draft.fates.reduce(
    (sum, fate, index) => sum + (isShown(fate) && !conversation.isHead(index) ? 1 : 0),
    0,
  );
}

/** Turns of which a draft shows the user's message (for count triggers). */
export function shownTurns({ structure, isHead }: Conversation, draft: Draft): number {
  return structure.turns.filter(({ from }) => isShown(draft.fates[from]!) && !isHead(from)).length;
}

/** The note may take an eighth of what is free beside the messages that must be shown. */
const MOST_SHARE = 0.125;
/** `renderState` fills a quarter of what it is given. */
const GIVEN_FOR_EACH = 4;

/** The host's own record of where things stand, as a message of this request only. */
export interface HostNote {
  readonly message: InsertMessage;
  readonly tokens: number;
}

/**
 * Where the work stands changes from request to request, so it is never frozen into a summary: it is written anew for
 * each request and stands behind everything that a provider has cached. Undefined where the host says nothing.
 */
export function hostNote(
  state: FitInput<unknown>["hostState"],
  /** Tokens beside head and last user message. */
  free: number,
  measure: Measure,
): HostNote | undefined {
  if (!state) return undefined;
  const most = Math.floor(Math.max(0, free) * MOST_SHARE);
  const frame = tokensOf("", measure);
  const lines = renderState(state, (most - frame) * GIVEN_FOR_EACH, measure.text);
  if (lines.length === 0 || most <= frame) return undefined;
  const text = escapeText(lines.map((line) => line.text).join("\n"));
  return { message: { role: "user", text: framed(text) }, tokens: tokensOf(text, measure) };
}

function framed(text: string): string {
  return `<host-state>\nWhere the work stands now, as the program that runs this conversation keeps it. Not a request.\n${text}\n</host-state>`;
}

function tokensOf(text: string, measure: Measure): number {
  return measure.message({ role: "user", parts: [{ type: "text", text: framed(text) }] });
}

/**
 * Does a draft show the host's note? Only if it hides anything: a pass-through stays as it is. Behind the assistant's own
 * words or calls the note has no place.
 */
export function showsNote({ fates }: Draft, messages: readonly Message[]): boolean {
  const last = fates.at(-1);
  return (
    last !== undefined &&
    isShown(last) &&
    messages.at(-1)?.role !== "assistant" &&
    fates.some((fate) => !isShown(fate))
  );
}

/** The draft with the host's note at its end, if it is to be shown. */
export function withHostNote(
  draft: Draft,
  note: HostNote | undefined,
  rules: Pick<DialectRules, "alternation">,
  messages: readonly Message[],
): Draft {
  const { fates, inserts } = draft;
  const last = fates.length - 1;
  if (!note || !showsNote(draft, messages)) return draft;
  // Where roles must alternate, the note joins the message that it would stand behind.
  if (rules.alternation === "strict" && !mayFollow(messages[last]!.role, "user")) {
    const before = fates[last] as Extract<Fate, { type: "keep" | "edit" }>;
    const append = { type: "append", text: note.message.text, why: "host-state" } as const;
    const edits = before.type === "edit" ? [...before.edits, append] : [append];
    return { inserts, fates: fates.with(last, { type: "edit", edits }) };
  }
  return { fates, inserts: [...inserts, { message: note.message, before: fates.length }] };
}
