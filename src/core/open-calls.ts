import type { Run, ToolCallPart } from "./types.ts";

/** Where a call or a result stands: its message and its part (counted without reasoning, as edits count). */
export interface Place {
  readonly index: number;
  readonly part: number;
}

interface OpenCall {
  readonly place: Place;
  readonly id: string;
  readonly name: string;
  isAnswered: boolean;
  /** The next call of its id in the same message. */
  next: OpenCall | undefined;
}

/** The calls of one id in one message: formats without ids name them alike. */
interface Namesakes {
  readonly index: number;
  first: OpenCall | undefined;
  last: OpenCall;
  /** Those of an earlier message. */
  readonly older: Namesakes | undefined;
}

/**
 * Calls without a result so far. Whoever asks for one is answered without a look at all the others: a message may hold
 * thousands of calls that no result fits.
 */
export class OpenCalls {
  readonly #all: OpenCall[] = [];
  readonly #newest = new Map<string, Namesakes>();
  /** Only formats whose results needn't name their call ask for these. */
  #queues: Queues | undefined;

  add(place: Place, { id, name }: Pick<ToolCallPart, "id" | "name">): void {
    const call: OpenCall = { place, id, name, isAnswered: false, next: undefined };
    this.#all.push(call);
    this.#queues?.add(call);
    const newest = this.#newest.get(id);
    if (newest?.index === place.index && newest.first) {
      newest.last.next = call;
      newest.last = call;
    } else this.#newest.set(id, { index: place.index, first: call, last: call, older: newest });
  }

  /** Takes the first call of an id in the newest message that has one: results come in the order of their calls. */
  takeNearest(id: string): Place | undefined {
    let calls = this.#newest.get(id);
    while (calls) {
      while (calls.first?.isAnswered) calls.first = calls.first.next;
      if (calls.first) {
        this.#newest.set(id, calls);
        return answered(calls.first);
      }
      calls = calls.older;
    }
    this.#newest.delete(id);
    return undefined;
  }

  /** Takes the oldest call of a name; of all, without one. */
  takeOldest(name: string | undefined): Place | undefined {
    return this.takeOfName(name, EVERYWHERE);
  }

  /** Takes the first call of an id in a run of messages. No run may begin before the one that was asked for last. */
  takeOfId(id: string, run: Run): Place | undefined {
    return answered(this.#inOrder().ofId(id)?.first(run));
  }

  /** Takes the first call of a name in a run of messages; of all, without one. For runs see `takeOfId`. */
  takeOfName(name: string | undefined, run: Run): Place | undefined {
    return answered(this.#inOrder().ofName(name)?.first(run));
  }

  /** Those that are left, in the order of the transcript. */
  left(): readonly Place[] {
    return this.#all.flatMap((call) => (call.isAnswered ? [] : [call.place]));
  }

  #inOrder(): Queues {
    if (this.#queues) return this.#queues;
    this.#queues = new Queues();
    for (const call of this.#all) this.#queues.add(call);
    return this.#queues;
  }
}

const EVERYWHERE: Run = { from: 0, to: Number.POSITIVE_INFINITY };

function answered(call: OpenCall | undefined): Place | undefined {
  if (call) call.isAnswered = true;
  return call?.place;
}

/** Calls by id, by name and all, oldest first. */
class Queues {
  readonly #all = new Queue();
  readonly #byId = new Map<string, Queue>();
  readonly #byName = new Map<string, Queue>();

  add(call: OpenCall): void {
    this.#all.add(call);
    addTo(this.#byId, call.id, call);
    addTo(this.#byName, call.name, call);
  }

  ofId(id: string): Queue | undefined {
    return this.#byId.get(id);
  }

  ofName(name: string | undefined): Queue | undefined {
    return name === undefined ? this.#all : this.#byName.get(name);
  }
}

function addTo(queues: Map<string, Queue>, key: string, call: OpenCall): void {
  const queue = queues.get(key) ?? new Queue();
  queue.add(call);
  queues.set(key, queue);
}

/** What was passed over once isn't looked at again. */
class Queue {
  readonly #calls: OpenCall[] = [];
  #head = 0;

  add(call: OpenCall): void {
    this.#calls.push(call);
  }

  /** The first open call of a run of messages. Those before the run are passed over. */
  first({ from, to }: Run): OpenCall | undefined {
    for (; this.#head < this.#calls.length; this.#head++) {
      const call = this.#calls[this.#head]!;
      if (!call.isAnswered && call.place.index >= from) return call.place.index < to ? call : undefined;
    }
    return undefined;
  }
}
