import { isHostNote, isSummary } from "./message-text.ts";
import type { Message, Role, Run, ToolCallPart, ToolResultPart } from "./types.ts";

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

/** A call and its result. */
interface Pair {
  readonly call: Place;
  readonly result: Place;
}

/** What the engine knows about the order of things in a transcript. */
export interface Structure {
  /** Number of leading system messages. */
  readonly start: number;
  readonly units: readonly Unit[];
  /** For each message the index of its unit. */
  readonly unitOf: readonly number[];
  readonly turns: readonly Run[];
  /**
   * Index of the last message that holds the user's own words and no tool results. What a host wrote in the user's place is
   * none once the model has read it.
   */
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

export function leadLength<M>(messages: readonly M[], roleOf: (message: M) => Role): number {
  const first = messages.findIndex((message) => roleOf(message) !== "system");
  return first < 0 ? messages.length : first;
}

/** Rounds, turns and faults of a transcript, in one pass over it. */
export function structureOf(messages: readonly Message[]): Structure {
  const start = leadLength(messages, ({ role }) => role);
  const { ranges, pairs, faults } = pairCalls(messages);
  const units: Unit[] = [];
  const unitOf: number[] = new Array(messages.length);
  let next = 0;
  for (const range of mergeOverlaps([...ranges, ...leadingReasoning(messages)])) {
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
  const users: number[] = [];
  let turnFrom = start;
  for (let i = start; i < messages.length; i++) {
    if (!isUserMessage(messages[i]!)) continue;
    if (i > turnFrom) turns.push({ from: turnFrom, to: i });
    turnFrom = i;
    users.push(i);
  }
  if (turnFrom < messages.length) turns.push({ from: turnFrom, to: messages.length });
  const lastSpoken = messages.findLastIndex(({ role }) => role === "assistant");
  const lastUser = users.findLast((i) => i > lastSpoken || !isHostNote(messages, i)) ?? users[0];
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

/**
 * Pairs each result with the nearest earlier call of its id that has no result yet. Ids repeat in real logs, and results
 * of parallel calls come in any order, so neither position nor id alone is enough.
 */
function pairCalls(messages: readonly Message[]): { ranges: Unit[]; pairs: Pair[]; faults: Fault[] } {
  const waiting = new OpenCalls();
  const answered = new Map<string, Pair["call"]>();
  const pairs: Pair[] = [];
  /** By message with calls: the last message that answers one of them, or itself. */
  const lastResultOf = new Int32Array(messages.length).fill(-1);
  const runStart: number[] = new Array(messages.length);
  const faults: Fault[] = [];
  /** The run of the model's messages right before a run of results ends here; -1 where there is none. */
  let asked = -1;
  let byId: RunOfResults | undefined;
  // Plain loops here and below: this runs over the whole transcript on every call.
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    asked = askedBefore(messages, index, asked);
    runStart[index] =
      index > 0 && message.role === "assistant" && messages[index - 1]!.role === "assistant"
        ? runStart[index - 1]!
        : index;
    const followed = message.follows === undefined ? undefined : answered.get(message.follows);
    if (followed !== undefined) lastResultOf[followed.index] = index;
    let at = -1;
    const { parts } = message;
    for (let place = 0; place < parts.length; place++) {
      const part = parts[place]!;
      if (part.type !== "reasoning") at++;
      if (part.type === "tool-call") {
        waiting.add({ index, part: at }, part);
        if (lastResultOf[index]! < 0) lastResultOf[index] = index;
      } else if (part.type === "tool-result") {
        if (part.byName && (byId?.asking?.to ?? -1) !== asked) {
          const asking = asked < 0 ? undefined : { from: runStart[asked - 1]!, to: asked };
          byId = takeById(waiting, messages, index, asking);
        }
        const call = takeCall(waiting, part, byId);
        const again = answered.get(part.id);
        // A result that names no call misses none: it stands by itself.
        if (call === undefined && part.byOrder) continue;
        if (call === undefined) {
          // A second answer in the same run of results is part of the round: left behind, it would be an orphan.
          if (again !== undefined && isRunOfResults(messages, lastResultOf[again.index]! + 1, index)) {
            lastResultOf[again.index] = index;
            pairs.push({ call: again, result: { index, part: at } });
          } else faults.push({ index, kind: "orphan-result" });
        } else {
          answered.set(part.id, call);
          lastResultOf[call.index] = index;
          pairs.push({ call, result: { index, part: at } });
        }
      }
    }
  }
  const openFrom = openRoundStart(messages);
  const open = new Set<number>();
  for (const { index } of waiting.left()) {
    if (index >= openFrom) open.add(index);
    else faults.push({ index, kind: "orphan-call" });
  }
  faults.sort((a, b) => a.index - b.index);
  return { ranges: roundsOf(lastResultOf, runStart, open), pairs, faults };
}

/** From where the model began to speak before its calls, up to the last result of them. */
function roundsOf(lastResultOf: Int32Array, runStart: readonly number[], open: ReadonlySet<number>): Unit[] {
  const rounds: Unit[] = [];
  for (let call = 0; call < lastResultOf.length; call++) {
    const result = lastResultOf[call]!;
    if (result >= 0)
      rounds.push({ kind: "round", from: runStart[call]!, to: result + 1, open: open.has(call) });
  }
  return rounds;
}

/** What the ids of a run of results say, in a format whose ids are optional. */
interface RunOfResults {
  /** The run of the model's messages right before it: its results answer no other calls. */
  readonly asking: Run | undefined;
  readonly calls: Map<ToolResultPart, Pair["call"]>;
}

/**
 * Takes the calls that a run of results names, before names and order are asked for the rest: a result that came twice would
 * take the call of a later one otherwise, and that one would have none.
 */
function takeById(
  waiting: OpenCalls,
  messages: readonly Message[],
  from: number,
  asking: Run | undefined,
): RunOfResults {
  const calls: RunOfResults["calls"] = new Map();
  for (let index = from; asking && index < messages.length; index++) {
    const message = messages[index]!;
    if (index > from && (message.role === "assistant" || !holdsResults(message))) break;
    for (const part of message.parts) {
      if (part.type !== "tool-result" || !part.byName) continue;
      const call = waiting.takeOfId(part.id, asking);
      if (call !== undefined) calls.set(part, call);
    }
  }
  return { asking, calls };
}

/** Takes the call that a result answers. Where a result says nothing about its call, that is the oldest open one of its name. */
function takeCall(
  waiting: OpenCalls,
  part: ToolResultPart,
  run: RunOfResults | undefined,
): Pair["call"] | undefined {
  if (!part.byName)
    return waiting.takeNearest(part.id) ?? (part.byOrder ? waiting.takeOldest(part.name) : undefined);
  const named = run?.calls.get(part);
  // A host may hand in the same message twice.
  run?.calls.delete(part);
  return named ?? (run?.asking && waiting.takeOfName(part.name, run.asking));
}

/** Where the run of the model's messages ends that a run of results stands behind, by that of the message before; or -1. */
function askedBefore(messages: readonly Message[], index: number, before: number): number {
  const last = messages[index - 1];
  if (last?.role === "assistant") return index;
  return last && holdsResults(last) ? before : -1;
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
  for (let index = from; index < to; index++) if (!holdsResults(messages[index]!)) return false;
  return true;
}

function holdsResults({ role, parts }: Message): boolean {
  if (role === "tool") return true;
  for (let at = 0; at < parts.length; at++) if (parts[at]!.type === "tool-result") return true;
  return false;
}

/** First message of the run of assistant messages and results that ends the transcript. */
function openRoundStart(messages: readonly Message[]): number {
  let from = messages.length;
  let seenAssistant = false;
  while (from > 0) {
    const message = messages[from - 1]!;
    if (message.role === "assistant") seenAssistant = true;
    else if (seenAssistant || !holdsResults(message)) break;
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

/** Where a call or a result stands: its message and its part (counted without reasoning, as edits count). */
interface Place {
  readonly index: number;
  readonly part: number;
}

interface OpenCall extends Pick<ToolCallPart, "id" | "name"> {
  readonly place: Place;
  isAnswered: boolean;
}

/**
 * Calls without a result so far. Whoever asks for one is answered without a look at all the others: a message may hold
 * thousands of calls that no result fits.
 */
class OpenCalls {
  readonly #all: OpenCall[] = [];
  /** By id, one queue for each message that has calls of it: formats without ids name them alike. */
  readonly #byMessage = new Map<string, Queue[]>();
  /** By what is asked for. Only formats whose results needn't name their call ask for anything but an id. */
  #queues: Map<string, Queue> | undefined;

  add(place: Place, { id, name }: Pick<ToolCallPart, "id" | "name">): void {
    const call: OpenCall = { place, id, name, isAnswered: false };
    this.#all.push(call);
    if (this.#queues) enqueue(this.#queues, call);
    const queues = this.#byMessage.get(id) ?? [];
    if (queues.length === 0) this.#byMessage.set(id, queues);
    if (queues.at(-1)?.message !== place.index) queues.push(new Queue(place.index));
    queues.at(-1)!.add(call);
  }

  /** Takes the first call of an id in the newest message that has one: results come in the order of their calls. */
  takeNearest(id: string): Place | undefined {
    const queues = this.#byMessage.get(id) ?? [];
    for (let newest = queues.at(-1); newest; newest = queues.at(-1)) {
      const place = newest.take(EVERYWHERE);
      if (place) return place;
      queues.pop();
    }
    return undefined;
  }

  /** Takes the oldest call of a name; of all, without one. */
  takeOldest(name: string | undefined): Place | undefined {
    return this.takeOfName(name, EVERYWHERE);
  }

  /** Takes the first call of an id in a run of messages. No run may begin before the one that was asked for last. */
  takeOfId(id: string, run: Run): Place | undefined {
    return this.#inOrder().get(`id ${id}`)?.take(run);
  }

  /** Takes the first call of a name in a run of messages; of all, without one. For runs see `takeOfId`. */
  takeOfName(name: string | undefined, run: Run): Place | undefined {
    return this.#inOrder()
      .get(name === undefined ? ANY : `name ${name}`)
      ?.take(run);
  }

  /** Those that are left, in the order of the transcript. */
  left(): readonly Place[] {
    return this.#all.flatMap((call) => (call.isAnswered ? [] : [call.place]));
  }

  #inOrder(): Map<string, Queue> {
    if (!this.#queues) {
      this.#queues = new Map();
      for (const call of this.#all) enqueue(this.#queues, call);
    }
    return this.#queues;
  }
}

const EVERYWHERE: Run = { from: 0, to: Number.POSITIVE_INFINITY };
const ANY = "";

function enqueue(queues: Map<string, Queue>, call: OpenCall): void {
  for (const key of [ANY, `id ${call.id}`, `name ${call.name}`]) {
    const queue = queues.get(key) ?? new Queue();
    queue.add(call);
    queues.set(key, queue);
  }
}

/** Calls, oldest first. What was passed over once isn't looked at again. */
class Queue {
  /** The message that all of them are in, where it is one. */
  readonly message: number | undefined;
  readonly #calls: OpenCall[] = [];
  #head = 0;

  constructor(message?: number) {
    this.message = message;
  }

  add(call: OpenCall): void {
    this.#calls.push(call);
  }

  /** Takes the first open call of a run of messages. Those before the run are passed over. */
  take({ from, to }: Run): Place | undefined {
    for (; this.#head < this.#calls.length; this.#head++) {
      const call = this.#calls[this.#head]!;
      if (call.isAnswered || call.place.index < from) continue;
      if (call.place.index >= to) return undefined;
      call.isAnswered = true;
      return call.place;
    }
    return undefined;
  }
}

/** The same run, counted from another beginning. */
export function shifted({ from, to }: Run, by: number): Run {
  return { from: from + by, to: to + by };
}
