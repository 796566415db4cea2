import { editableParts } from "./edits.ts";
import { isSummary } from "./markers.ts";
import type { Message, Role, Run, ToolResultPart } from "./types.ts";

/** Messages that stand or fall together: a round, or a single message. */
export interface Unit extends Run {
  readonly kind: "round" | "message";
  /** The newest round while some of its calls have no result yet. */
  readonly open: boolean;
}

/** A call or a result without its counterpart. */
interface Fault {
  readonly index: number;
  readonly kind: "orphan-call" | "orphan-result";
}

/** A call and its result, by message index and part (counted without reasoning, as edits count). */
interface Pair {
  readonly call: { readonly index: number; readonly part: number };
  readonly result: { readonly index: number; readonly part: number };
}

/** What the engine knows about the order of things in a transcript. */
export interface Structure {
  /** Number of leading system messages. */
  readonly start: number;
  readonly units: readonly Unit[];
  /** For each message the index of its unit. */
  readonly unitOf: readonly number[];
  readonly turns: readonly Run[];
  /** Index of the last message that holds the user's own words and no tool results. */
  readonly lastUser: number | undefined;
  /**
   * First message of the round that the model hasn't answered yet, and of what followed it: the model asked for these
   * results and has never seen them. The number of messages where there is no such round.
   */
  readonly unanswered: number;
  readonly pairs: readonly Pair[];
  readonly faults: readonly Fault[];
}

/**
 * A message that the user wrote. One that holds tool results belongs to its round; one that precis wrote, or that says
 * nothing, is neither (clients send empty ones, and the real request must not be taken for an older one).
 */
export function isUserMessage(message: Message): boolean {
  return (
    message.role === "user" &&
    !message.parts.some((part) => part.type === "tool-result") &&
    message.parts.some((part) => part.type !== "text" || part.text.trim() !== "") &&
    !isSummary(message)
  );
}

/** A message that would be empty without its reasoning. */
export function isOnlyReasoning({ parts }: Message): boolean {
  return (
    parts.some((part) => part.type === "reasoning") &&
    parts.every((part) => part.type === "reasoning" || (part.type === "text" && part.text.trim() === ""))
  );
}

/** Number of leading system messages. */
export function leadLength<M>(messages: readonly M[], roleOf: (message: M) => Role): number {
  const first = messages.findIndex((message) => roleOf(message) !== "system");
  return first < 0 ? messages.length : first;
}

/** Rounds, turns and faults of a transcript, in one pass over it. */
export function structureOf(messages: readonly Message[]): Structure {
  const start = leadLength(messages, ({ role }) => role);
  const { ranges, pairs, faults } = pairCalls(messages);
  ranges.push(...leadingReasoning(messages));
  const units: Unit[] = [];
  const unitOf: number[] = new Array(messages.length);
  let next = 0;
  for (const range of mergeOverlaps(ranges)) {
    for (; next < range.from; next++) units.push({ kind: "message", from: next, to: next + 1, open: false });
    units.push(range);
    next = range.to;
  }
  for (; next < messages.length; next++)
    units.push({ kind: "message", from: next, to: next + 1, open: false });
  for (let at = 0; at < units.length; at++) {
    const { from, to } = units[at]!;
    for (let index = from; index < to; index++) unitOf[index] = at;
  }

  const turns: Run[] = [];
  let lastUser: number | undefined;
  let turnFrom = start;
  for (let i = start; i < messages.length; i++) {
    if (!isUserMessage(messages[i]!)) continue;
    if (i > turnFrom) turns.push({ from: turnFrom, to: i });
    turnFrom = i;
    lastUser = i;
  }
  if (turnFrom < messages.length) turns.push({ from: turnFrom, to: messages.length });
  const unanswered = unansweredFrom(messages, units);
  return { start, units, unitOf, turns, lastUser, unanswered, pairs, faults };
}

/**
 * Whatever the assistant says after a round is its answer; users and hosts may add to the round before that. A round that
 * ends with the assistant itself holds calls that nobody has run yet, or results of the provider's own tools: seen.
 */
function unansweredFrom(messages: readonly Message[], units: readonly Unit[]): number {
  for (let at = units.length - 1; at >= 0; at--) {
    const { kind, from, to } = units[at]!;
    if (messages[to - 1]!.role === "assistant") break;
    if (kind === "round") return from;
  }
  return messages.length;
}

/** Calls without a result so far, by their id. */
type OpenCalls = Map<string, Pair["call"][]>;

/**
 * Pairs each result with the nearest earlier call of its id that has no result yet. Ids repeat in real logs, and results
 * of parallel calls come in any order, so neither position nor id alone is enough.
 */
function pairCalls(messages: readonly Message[]): { ranges: Unit[]; pairs: Pair[]; faults: Fault[] } {
  const waiting: OpenCalls = new Map();
  const answered = new Map<string, Pair["call"]>();
  const pairs: Pair[] = [];
  const lastResultOf = new Map<number, number>();
  const runStart: number[] = new Array(messages.length);
  const faults: Fault[] = [];
  // Plain loops here and below: this runs over the whole transcript on every call.
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    runStart[index] =
      index > 0 && message.role === "assistant" && messages[index - 1]!.role === "assistant"
        ? runStart[index - 1]!
        : index;
    const followed = message.follows === undefined ? undefined : answered.get(message.follows);
    if (followed !== undefined) lastResultOf.set(followed.index, index);
    let at = -1;
    for (const part of message.parts) {
      if (part.type !== "reasoning") at++;
      if (part.type === "tool-call") {
        const call = { index, part: at };
        const calls = waiting.get(part.id);
        if (calls) calls.push(call);
        else waiting.set(part.id, [call]);
        if (!lastResultOf.has(index)) lastResultOf.set(index, index);
      } else if (part.type === "tool-result") {
        const call = part.byName
          ? takeByName(waiting, messages, part, runBefore(messages, runStart, index))
          : (takeNearest(waiting, part.id) ?? takeInOrder(waiting, messages, part));
        const again = answered.get(part.id);
        // A result that names no call misses none: it stands by itself.
        if (call === undefined && part.byOrder) continue;
        if (call === undefined) {
          // A second answer in the same run of results is part of the round: left behind, it would be an orphan.
          if (again !== undefined && isRunOfResults(messages, lastResultOf.get(again.index)! + 1, index)) {
            lastResultOf.set(again.index, index);
            pairs.push({ call: again, result: { index, part: at } });
          } else faults.push({ index, kind: "orphan-result" });
        } else {
          answered.set(part.id, call);
          lastResultOf.set(call.index, index);
          pairs.push({ call, result: { index, part: at } });
        }
      }
    }
  }
  const openFrom = openRoundStart(messages);
  const open = new Set<number>();
  for (const calls of waiting.values()) {
    for (const { index } of calls) {
      if (index >= openFrom) open.add(index);
      else faults.push({ index, kind: "orphan-call" });
    }
  }
  faults.sort((a, b) => a.index - b.index);
  const ranges = [...lastResultOf].map(
    ([call, result]): Unit => ({
      kind: "round",
      from: runStart[call]!,
      to: result + 1,
      open: open.has(call),
    }),
  );
  return { ranges, pairs, faults };
}

/**
 * Takes the newest open call out of those of one id. Where a message makes several calls of that id (formats without ids
 * name them alike), their results come in their order.
 */
function takeNearest(waiting: OpenCalls, id: string): Pair["call"] | undefined {
  const calls = waiting.get(id);
  const newest = calls?.at(-1)?.index;
  const call = calls?.find(({ index }) => index === newest);
  return call && take(waiting, id, call);
}

/** A call that has its result isn't open any more. */
function take(waiting: OpenCalls, id: string, call: Pair["call"]): Pair["call"] {
  const calls = waiting.get(id) ?? [];
  calls.splice(calls.indexOf(call), 1);
  if (calls.length === 0) waiting.delete(id);
  return call;
}

/** Where a result says nothing about its call: the oldest open call of its name. */
function takeInOrder(
  waiting: OpenCalls,
  messages: readonly Message[],
  part: ToolResultPart,
): Pair["call"] | undefined {
  return part.byOrder
    ? takeOpen(waiting, messages, part, (call, found) => call.index < found.index)
    : undefined;
}

/**
 * Where names tie results to calls and ids needn't: a call of the run of the model's messages right before the run of
 * results, the one of the result's id, or else the first one of its name. Others it doesn't answer.
 */
function takeByName(
  waiting: OpenCalls,
  messages: readonly Message[],
  part: ToolResultPart,
  run: Run | undefined,
): Pair["call"] | undefined {
  if (run === undefined) return undefined;
  const isInRun = ({ index }: Pair["call"]): boolean => index >= run.from && index < run.to;
  const named = waiting.get(part.id)?.find(isInRun);
  if (named) return take(waiting, part.id, named);
  const isFirst = (call: Pair["call"], found: Pair["call"]): boolean =>
    call.index < found.index || (call.index === found.index && call.part < found.part);
  return takeOpen(waiting, messages, part, isFirst, isInRun);
}

/** The run of the model's messages that a run of results stands behind. */
function runBefore(
  messages: readonly Message[],
  runStart: readonly number[],
  index: number,
): Run | undefined {
  let last = index - 1;
  while (last >= 0 && messages[last]!.role !== "assistant" && isRunOfResults(messages, last, last + 1))
    last--;
  if (last < 0 || messages[last]!.role !== "assistant") return undefined;
  return { from: runStart[last]!, to: last + 1 };
}

/** Of the open calls of a result's name (of all, if it has none) the one that comes before the others. */
function takeOpen(
  waiting: OpenCalls,
  messages: readonly Message[],
  { name }: ToolResultPart,
  comesBefore: (call: Pair["call"], found: Pair["call"]) => boolean,
  isMeant: (call: Pair["call"]) => boolean = () => true,
): Pair["call"] | undefined {
  let found: { readonly id: string; readonly call: Pair["call"] } | undefined;
  for (const [id, calls] of waiting) {
    for (const call of calls) {
      if (!isMeant(call) || (found && !comesBefore(call, found.call))) continue;
      const part = editableParts(messages[call.index]!)[call.part];
      if (name === undefined || (part?.type === "tool-call" && part.name === name)) found = { id, call };
    }
  }
  return found && take(waiting, found.id, found.call);
}

/** Formats with one item per message separate reasoning from what it led to; a provider refuses one without the other. */
function leadingReasoning(messages: readonly Message[]): Unit[] {
  const units: Unit[] = [];
  for (let index = 0; index + 1 < messages.length; index++) {
    const { role, parts } = messages[index]!;
    if (role !== "assistant" || parts[0]?.type !== "reasoning" || messages[index + 1]!.role !== "assistant")
      continue;
    if (!parts.every((part) => part.type === "reasoning")) continue;
    units.push({ kind: "message", from: index, to: index + 2, open: false });
  }
  return units;
}

function isRunOfResults(messages: readonly Message[], from: number, to: number): boolean {
  return messages
    .slice(from, to)
    .every(({ role, parts }) => role === "tool" || parts.some((part) => part.type === "tool-result"));
}

/** First message of the run of assistant messages and results that ends the transcript. */
function openRoundStart(messages: readonly Message[]): number {
  let from = messages.length;
  let seenAssistant = false;
  while (from > 0) {
    const { role, parts } = messages[from - 1]!;
    const results = role === "tool" || parts.some((part) => part.type === "tool-result");
    if (role === "assistant") seenAssistant = true;
    else if (!results || seenAssistant) break;
    from--;
  }
  return from;
}

function mergeOverlaps(ranges: readonly Unit[]): Unit[] {
  const merged: Unit[] = [];
  for (const range of [...ranges].sort((a, b) => a.from - b.from || a.to - b.to)) {
    const last = merged.at(-1);
    if (last && range.from < last.to) {
      merged[merged.length - 1] = {
        kind: last.kind === "round" ? "round" : range.kind,
        from: last.from,
        to: Math.max(last.to, range.to),
        open: last.open || range.open,
      };
    } else merged.push(range);
  }
  return merged;
}
