import { textOf } from "../../core/checkpoint.ts";
import { appendSystem, systemMessage } from "../../core/draft.ts";
import { TranscriptError } from "../../core/errors.ts";
import { stringifyDeep } from "../../core/json.ts";
import { isSummary, readMessages } from "../../core/message-text.ts";
import type { Pause } from "../../core/pause.ts";
import { isOnlyReasoning, type Structure, structureOf } from "../../core/rounds.ts";
import type { Remembered } from "../../core/state/read-state.ts";
import type {
  Budget,
  Checkpoint,
  Dialect,
  FitInput,
  Measure,
  Message,
  Records,
  Select,
  Warning,
} from "../../core/types.ts";
import { type Conversation, hasSystem, hostNote } from "./conversation.ts";
import { mustLead } from "./reasoning.ts";
import type { Operation } from "./survey.ts";
import type { TranscriptReader } from "./transcript-reader.ts";

/** A first user message that takes more than this share of the budget is middle like any other. */
const MOST_OF_FIRST = 0.25;

/** What `readConversation` takes. */
interface Reading<M> {
  readonly dialect: Dialect<M>;
  readonly transcript: readonly M[];
  readonly input: Pick<FitInput<M>, "system" | "pins" | "knowledge" | "extras" | "hostState" | "request">;
  readonly measure: Measure;
  readonly transcriptReader: TranscriptReader;
  /** Leading system messages that the host lost and the view brings back. */
  readonly restored: readonly M[];
  /** The first user message belongs to the head, as long as it isn't large. */
  readonly keepsFirst: boolean;
  /** The budget of a transcript, by tokens of its head and of all of it. */
  readonly budgetFor: (head: number, total: number) => Budget;
}

/** Reads a transcript. Nothing is remembered by the identity of a host's objects, so it may change its messages between calls. */
export async function readConversation<M>(reading: Reading<M>, pause: Pause): Promise<Conversation> {
  const { dialect, transcript, input, measure, transcriptReader } = reading;
  checkList(transcript);
  const given = readMessages(dialect, transcript);
  const structure = structureOf(given);
  await pause();
  const { messages, chain, tokens } = await transcriptReader.read(given, structure.start, measure, pause);
  const tokensOf = (list: readonly M[]): number =>
    list.reduce((sum, message) => sum + measure.message(dialect.read(message)), 0);
  const promptOf = (system: unknown): M[] => (hasSystem(system) ? [systemMessage<M>(system)] : []);
  const outside = {
    system: tokensOf([...promptOf(input.system), ...reading.restored]),
    extras: tokensOf(input.extras ?? []),
  };
  const read = { messages, structure, tokens, outside };
  const { isHead, head, total, free } = measureHead(read, reading);
  const note = hostNote(input.hostState, free, measure);
  return {
    ...read,
    chain,
    isHead,
    measure,
    head,
    ...(note && { note }),
    ...(mustLead(dialect.rules, input.request) && { leads: true }),
    total,
    editedTokens: (index, edits) => measure.message(dialect.read(dialect.edit(transcript[index]!, edits))),
    ...(dialect.rules.system === "apart" && {
      systemGain: (text: string) =>
        tokensOf(promptOf(appendSystem(dialect, input.system, text))) - tokensOf(promptOf(input.system)),
    }),
  };
}

function checkList(transcript: unknown): void {
  if (Array.isArray(transcript)) return;
  throw new TranscriptError({
    message: `expected a list of messages, found ${transcript === null ? "null" : typeof transcript}.`,
    fix: "Pass your array of messages.",
  });
}

/** Finds the messages of the head, and what it, everything and the rest of the budget take. */
function measureHead<M>(
  read: Pick<Conversation, "messages" | "structure" | "tokens" | "outside">,
  { dialect, transcript, input, keepsFirst, budgetFor }: Reading<M>,
): Pick<Conversation, "isHead" | "head" | "total"> & { readonly free: number } {
  const { messages, structure, tokens, outside } = read;
  const [isPinned, isKnowledge] = [
    selectTest(transcript, input.pins),
    selectTest(transcript, input.knowledge),
  ];
  const flags = headFlags(messages, structure, (index) => isPinned(index) || isKnowledge(index));
  const isHead = (index: number): boolean => flags[index] === 1;
  let head = outside.system;
  let total = outside.system + outside.extras;
  for (let index = 0; index < tokens.length; index++) {
    total += tokens[index]!;
    if (isHead(index)) head += tokens[index]!;
  }
  const hold = (index: number): void => {
    for (const one of unitAround(messages, structure, index)) {
      if (isHead(one)) continue;
      flags[one] = 1;
      head += tokens[one]!;
    }
  };
  /** The budget, and what head, last user message and extras leave of it. */
  const room = (): { readonly budget: number; readonly free: number } => {
    const { lastUser } = structure;
    const last = lastUser === undefined || isHead(lastUser) ? 0 : tokens[lastUser]!;
    const { budget } = budgetFor(head, total);
    return { budget, free: budget - head - outside.extras - last };
  };
  const first = structure.turns[0]?.from;
  if (keepsFirst && first !== undefined && tokens[first]! <= room().budget * MOST_OF_FIRST) hold(first);
  if (dialect.rules.laterSystem === "anywhere")
    for (const index of laterInstructions({ messages, structure, tokens, isHead, ...room() })) hold(index);
  return { isHead, head, total, free: room().free };
}

/** 1 for each message of the head: leading system messages, pins and knowledge. */
function headFlags(
  messages: readonly Message[],
  structure: Structure,
  isSelected: (index: number) => boolean,
): Uint8Array {
  const flags = new Uint8Array(messages.length);
  flags.fill(1, 0, structure.start);
  for (let index = 0; index < messages.length; index++) {
    const { pinned, knowledge } = messages[index]!;
    if (pinned || knowledge || isSelected(index))
      for (const one of unitAround(messages, structure, index)) flags[one] = 1;
  }
  return flags;
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

/** Instructions of this share of the budget are held at the most. */
const MOST_SHARE = 1 / 8;
/** And of this share of what head and last user message leave free. */
const FREE_SHARE = 1 / 2;

/**
 * System messages that came after the first other message: what they say holds from there on, so views show them where
 * they stand. Hosts also send notes of the moment in them ("12,000 tokens left"): of several that differ only in numbers
 * the newest counts. If there are too many, the first one and the newest ones are held.
 */
function laterInstructions({
  messages,
  structure,
  tokens,
  isHead,
  budget,
  free,
}: {
  readonly messages: readonly Message[];
  readonly structure: Structure;
  readonly tokens: readonly number[];
  /** What is held anyway. */
  readonly isHead: (index: number) => boolean;
  readonly budget: number;
  /** Tokens of the budget beside head and last user message. */
  readonly free: number;
}): readonly number[] {
  const found: { readonly index: number; readonly cost: number }[] = [];
  const seen = new Set<string>();
  for (let index = messages.length - 1; index > structure.start; index--) {
    const message = messages[index]!;
    if (message.role !== "system" || isHead(index) || isSummary(message)) continue;
    const gist = gistOf(message);
    if (gist === "" || seen.has(gist)) continue;
    seen.add(gist);
    const unit = structure.units[structure.unitOf[index]!]!;
    let cost = 0;
    for (let one = unit.from; one < unit.to; one++) cost += tokens[one]!;
    found.push({ index, cost });
  }
  if (found.length === 0) return [];
  let left = Math.min(budget * MOST_SHARE, free * FREE_SHARE);
  const byWorth = [found.at(-1)!, ...found.slice(0, -1)];
  const held = byWorth.filter(({ cost }) => {
    if (cost > left) return false;
    left -= cost;
    return true;
  });
  return held.map(({ index }) => index);
}

function gistOf({ parts }: Message): string {
  return parts
    .map((part) => (part.type === "text" ? part.text.replace(/\d+/g, "0") : part.type))
    .join("\n")
    .trim();
}

/** A system prompt up to this size is remembered, so that it can be restored (characters of JSON). */
const MAX_HEAD = 262_144;

/** The system prompt of an operation as JSON: leading messages, or what the format keeps apart. Undefined if there is none. */
export function headJson<M>({
  engine,
  transcript,
  input,
  survey,
}: Pick<Operation<M>, "engine" | "transcript" | "input" | "survey">): string | undefined {
  const leading = [...survey.restored, ...transcript.slice(0, survey.conversation.structure.start)];
  const { system } = input;
  const isApart = hasSystem(system);
  if (!isApart && leading.length === 0) return undefined;
  const json = stringifyDeep(isApart ? { system, leading } : { leading });
  if (json.length > MAX_HEAD) return undefined;
  const read = [...(isApart ? [systemMessage<M>(system)] : []), ...leading].map((one) =>
    engine.dialect.read(one),
  );
  return read.every((message) => isIn(message, json)) ? json : undefined;
}

/** Is all that is read of a message in this JSON? A dialect that leaves secrets out must not find them stored. */
function isIn({ parts }: Message, json: string): boolean {
  return parts.every((part) => part.type !== "text" || json.includes(JSON.stringify(part.text).slice(1, -1)));
}

/** What became of a system prompt that earlier views had and the transcript lacks. */
export interface LostHead<M> {
  /** Leading system messages to send. */
  readonly messages?: readonly M[];
  /** The prompt to send, where the format keeps it apart. */
  readonly system?: unknown;
  readonly warning: Warning;
}

/**
 * A host that stored a view without its system prompt gets it back: from records of its own store, or from a state that it
 * signed. A state without a proof may say anything, so nothing of it is sent. Undefined if nothing is missing.
 */
export function lostHead<M>(options: {
  readonly dialect: Dialect<M>;
  readonly conversation: Conversation;
  readonly state: Remembered;
  /** What the own store holds. */
  readonly found: Pick<Records, "checkpoints">;
  readonly input: FitInput<M>;
}): LostHead<M> | undefined {
  const { dialect, conversation, state, found, input } = options;
  const { chain, structure } = conversation;
  if (structure.start > 0 || hasSystem(input.system) || chain.length === 1) return undefined;
  const own = found.checkpoints
    .filter(({ head, length, hash }) => head !== undefined && chain[length] === hash)
    .sort((a, b) => b.at - a.at);
  const { last } = state;
  // Only who hands a state back surely means this conversation: the same messages may be sent for another purpose.
  const isSame = last !== undefined && last.length > 0 && chain[last.length] === last.hash;
  if (!(isSame && state.hadHead) && own.length === 0) return undefined;
  const json = isSame ? (state.head ?? own.flatMap((one) => headOf(one) ?? [])[0]) : undefined;
  return (json === undefined ? undefined : readHead(json, dialect)) ?? { warning: HEAD_LOST };
}

function headOf(checkpoint: Checkpoint): string | undefined {
  return checkpoint.head === undefined ? undefined : textOf(checkpoint, checkpoint.head);
}

/** The prompt in its JSON; undefined if it isn't one of this format. */
function readHead<M>(json: string, dialect: Dialect<M>): LostHead<M> | undefined {
  try {
    const { system, leading } = JSON.parse(json) as {
      readonly system?: unknown;
      readonly leading: readonly M[];
    };
    if (leading.some((message) => dialect.read(message).role !== "system")) return undefined;
    if (hasSystem(system) !== (dialect.rules.system === "apart" && leading.length === 0)) return undefined;
    return { messages: leading, ...(hasSystem(system) && { system }), warning: HEAD_RESTORED };
  } catch {
    return undefined;
  }
}

const HEAD_RESTORED: Warning = {
  code: "head-restored",
  message: "The system prompt was missing, so the last known one was restored.",
};
const HEAD_LOST: Warning = {
  code: "head-lost",
  message:
    "Earlier views of this conversation had a system prompt, and this one has none. It is only restored from your own store or a state signed with `stateKey`: pass it again.",
};
