import { type Draft, type Insert, isShown } from "../core/draft.ts";
import { applyEdits } from "../core/edits.ts";
import { TranscriptError } from "../core/errors.ts";
import { readMessages } from "../core/read-messages.ts";
import { appendSystem, systemMessage } from "../core/render.ts";
import { isOnlyReasoning, type Structure, structureOf } from "../core/rounds.ts";
import type { Steps } from "../core/steps.ts";
import type { Budget, Dialect, Edit, FitInput, Measure, Message, Select } from "../core/types.ts";
import { type HostNote, hostNote, showsNote } from "./host-state.ts";
import { laterInstructions } from "./later-instructions.ts";
import type { TranscriptReader } from "./transcript-reader.ts";

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
  /** Everything that a pass-through would send. */
  readonly total: number;
}

/** A first user message that takes more than this share of the budget is middle like any other. */
const MOST_OF_FIRST = 0.25;

/** Reads a transcript. Nothing is remembered by object identity, so a host may change its messages between calls. */
export function* readConversation<M>(options: {
  readonly dialect: Dialect<M>;
  readonly transcript: readonly M[];
  readonly input: Pick<FitInput<M>, "system" | "pins" | "knowledge" | "extras" | "hostState">;
  readonly measure: Measure;
  readonly transcriptReader: TranscriptReader;
  /** Leading system messages that the host lost and the view brings back. */
  readonly restored?: readonly M[];
  /** The first user message belongs to the head, as long as it isn't large. */
  readonly keepsFirst?: boolean;
  /** The budget of a transcript, by tokens of its head and of all of it. */
  readonly budgetFor: (head: number, total: number) => Budget;
}): Steps<Conversation> {
  const { dialect, transcript, input, measure, transcriptReader, restored = [], budgetFor } = options;
  if (!Array.isArray(transcript)) {
    throw new TranscriptError({
      message: `expected a list of messages, found ${transcript === null ? "null" : typeof transcript}.`,
      fix: "Pass the array of wire messages.",
    });
  }
  const messages = readMessages(dialect, transcript);
  const structure = structureOf(messages);
  yield;
  const { chain, tokens } = yield* transcriptReader.read(messages, structure.start, measure);
  const asked = headTest(
    messages,
    structure,
    selectTest(transcript, input.pins),
    selectTest(transcript, input.knowledge),
  );
  const outside = {
    system: [...(hasSystem(input.system) ? [systemMessage<M>(input.system)] : []), ...restored].reduce(
      (sum, message) => sum + measure.message(dialect.read(message)),
      0,
    ),
    extras: (input.extras ?? []).reduce((sum, extra) => sum + measure.message(dialect.read(extra)), 0),
  };
  let head = outside.system;
  let total = outside.system + outside.extras;
  for (let index = 0; index < tokens.length; index++) {
    total += tokens[index]!;
    if (asked.has(index)) head += tokens[index]!;
  }
  const hold = (indexes: readonly number[]) => {
    for (const index of indexes)
      for (const one of unitAround(messages, structure, index)) {
        if (asked.has(one)) continue;
        asked.hold(one);
        head += tokens[one]!;
      }
  };
  if (options.keepsFirst) hold(beginning());
  if (dialect.rules.laterSystem === "anywhere") hold(instructions());
  const isHead = asked.has;
  function instructions(): readonly number[] {
    const { lastUser } = structure;
    const { budget } = budgetFor(head, total);
    const last = lastUser === undefined || asked.has(lastUser) ? 0 : tokens[lastUser]!;
    const free = budget - head - outside.extras - last;
    return laterInstructions({ messages, structure, tokens, isHead: asked.has, budget, free });
  }
  function beginning(): readonly number[] {
    const first = structure.turns[0]?.from;
    if (first === undefined) return [];
    return tokens[first]! <= budgetFor(head, total).budget * MOST_OF_FIRST ? [first] : [];
  }
  const promptTokens = (system: unknown) =>
    hasSystem(system) ? measure.message(dialect.read(systemMessage<M>(system))) : 0;
  const systemGain = (text: string) =>
    promptTokens(appendSystem(dialect, input.system, text)) - promptTokens(input.system);
  const last =
    structure.lastUser === undefined || isHead(structure.lastUser) ? 0 : tokens[structure.lastUser]!;
  const free = budgetFor(head, total).budget - head - outside.extras - last;
  const note = hostNote(input.hostState, free, measure);
  return {
    messages,
    structure,
    chain,
    isHead,
    measure,
    tokens,
    outside,
    head,
    ...(note && { note }),
    total,
    editedTokens: (index, edits) => measure.message(dialect.read(dialect.edit(transcript[index]!, edits))),
    ...(dialect.rules.system === "apart" && { systemGain }),
  };
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

/** Tokens of a draft's view, as if it were rendered. */
export function draftTokens(
  conversation: Conversation,
  draft: Draft,
  /** Looks up, or remembers, the tokens of an edited message. */
  known: (message: string, count: () => number) => number = (_message, count) => count(),
): number {
  const { messages, tokens, measure, outside, note } = conversation;
  let sum = outside.system + outside.extras;
  if (note && showsNote(draft, messages)) sum += note.tokens;
  for (let index = 0; index < draft.fates.length; index++) {
    const fate = draft.fates[index]!;
    if (fate.type === "keep") sum += tokens[index]!;
    else if (fate.type === "edit")
      sum += fate.edits.some((edit) => edit.type === "append")
        ? conversation.editedTokens(index, fate.edits)
        : known(`${index} ${fate.edits.length} ${messages[index]!.parts.length}`, () =>
            measure.message(applyEdits(messages[index]!, fate.edits)),
          );
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

/** The last user message, if it is shown. */
function isLastUser(conversation: Conversation, index: number): boolean {
  return index === conversation.structure.lastUser;
}

/** Head and last user message: shown in every view. */
export function mustShow(conversation: Conversation, index: number): boolean {
  return conversation.isHead(index) || isLastUser(conversation, index);
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
 * what that speaks for: nothing at 10 times the room, all of it from 20 times on. Less than 400 tokens aren't worth cutting a round.
 */
const LONG = { from: 10, to: 20, hidden: 0.03, mostRoom: 0.6, mostTokens: 2_000, leastTokens: 400 };
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

/** The messages of the head. */
function headTest(
  messages: readonly Message[],
  structure: Structure,
  pinned: (index: number) => boolean,
  knowledge: (index: number) => boolean,
): { has(index: number): boolean; hold(index: number): void } {
  const head = new Uint8Array(messages.length);
  head.fill(1, 0, structure.start);
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    if (!(message.pinned || message.knowledge || pinned(index) || knowledge(index))) continue;
    for (const one of unitAround(messages, structure, index)) head[one] = 1;
  }
  return {
    has: (index) => head[index] === 1,
    hold: (index) => {
      head[index] = 1;
    },
  };
}

/** What is held is held with its round: half of one would be refused. Reasoning can't be held: it may be bound. */
function unitAround(messages: readonly Message[], structure: Structure, index: number): number[] {
  const { from, to } = structure.units[structure.unitOf[index]!]!;
  return Array.from({ length: to - from }, (_, at) => from + at).filter(
    (one) => !isOnlyReasoning(messages[one]!),
  );
}

function selectTest<M>(transcript: readonly M[], select: Select<M> | undefined): (index: number) => boolean {
  if (select === undefined) return () => false;
  if (typeof select === "function") return (index) => select(transcript[index]!, index);
  const chosen = new Set(select);
  return (index) => chosen.has(index);
}
