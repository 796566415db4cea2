import type { ConversationStore } from "../../stores/server-store.ts";
import { isForGood } from "../../stores/shared/not-found.ts";
import type { AnswerNames, Opening, Recorder, Recording } from "./recording.ts";
import { transcriptRecord } from "./transcript-record.ts";

/** A request and its answer that the store didn't take. */
interface Spilled {
  readonly opening: Opening;
  /** The answer's messages; empty for a request that had none. */
  readonly answer: readonly unknown[];
  readonly names: AnswerNames | undefined;
  /** All of the answer, where the client was shown only a part. */
  readonly given?: readonly unknown[] | undefined;
  /** About what it takes in memory. */
  readonly bytes: number;
  /** Called once it is stored. */
  onStored?(recording: Recording): void;
}

/** Pauses between tries (milliseconds): short at first, because most troubles are. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/** What the store refuses for good is tried as often: what it was to follow may have been deleted just then. */
const MAX_REFUSALS = 3;

interface Waiting extends Spilled {
  /** How often the store said that it will never take it. */
  refusals: number;
  /** The chain hashes of its messages, the answer's included. */
  readonly hashes: readonly string[];
}

/** Memory for answers that a failing store doesn't take: minutes of a busy node. */
const SPILL_BYTES = 64 * 1024 * 1024;

/** Where answers wait that clients got and the store didn't take. */
export type Spill = ReturnType<typeof createSpill>;

/**
 * A bounded memory for what a failing store missed. It is stored in the order in which it came, as soon as the store
 * works again; what the store will never take is given up and reported. A later request of the same conversation that repeats all of it takes its place.
 */
export function createSpill(options: {
  readonly recorder: Recorder;
  readonly store: Pick<ConversationStore, "find">;
  readonly maxBytes?: number | undefined;
  onChange(waiting: number): void;
  /** `why`: the store will never take it. Left out: it failed for too long. */
  onLost(count: number, why?: unknown): void;
}) {
  const { recorder, store, maxBytes = SPILL_BYTES, onChange, onLost } = options;
  let queue: Waiting[] = [];
  let bytes = 0;
  let pause = FIRST_PAUSE_MS;
  let timer: NodeJS.Timeout | undefined;
  let trying: Promise<boolean> | undefined;

  const remove = (gone: (one: Waiting) => boolean): void => {
    queue = queue.filter((one) => !gone(one));
    bytes = queue.reduce((sum, one) => sum + one.bytes, 0);
    onChange(queue.length);
  };

  /** Tries each of them once, the oldest first: one that can't be stored keeps no other waiting. True if nothing is left. */
  const storeAll = async (): Promise<boolean> => {
    for (const one of [...queue]) {
      if (!queue.includes(one)) continue;
      try {
        await storeOne(one);
      } catch (error) {
        if (!isForGood(error) || ++one.refusals < MAX_REFUSALS) continue;
        onLost(1, error);
      }
      remove((other) => other === one);
    }
    return queue.length === 0;
  };
  const storeOne = async (one: Waiting): Promise<void> => {
    const { opening, answer, names, given } = one;
    const held = await store.find(opening.tenant, one.hashes);
    const { length } = one.hashes;
    // The client said all of it again meanwhile, and that was stored, but for what no client says.
    const isHeld = held?.matched === length;
    if (isHeld && names?.id === undefined && !given) return;
    const place = isHeld && { conversation: held.conversation.id, length: length - answer.length };
    const recording = await recorder.open(place ? { ...opening, from: place } : opening);
    try {
      await recording.finish(answer, { names, given });
      one.onStored?.(recording);
    } finally {
      recording.end();
    }
  };
  const tryNow = (): Promise<boolean> => {
    trying ??= storeAll().finally(() => {
      trying = undefined;
    });
    return trying;
  };
  const tryLater = (): void => {
    if (timer || queue.length === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      void tryNow().then((isDone) => {
        pause = isDone ? FIRST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, pause * 2);
        tryLater();
      });
    }, pause);
    timer.unref();
  };

  const giveUp = (): void => {
    if (queue.length > 0) onLost(queue.length);
    remove(() => true);
  };

  return {
    get waiting(): number {
      return queue.length;
    },
    /** False if there is no room for it: then it is lost, and was counted as that. */
    add(spilled: Spilled): boolean {
      const waiting = { ...spilled, refusals: 0, hashes: hashesOf(spilled) };
      const said = new Set(waiting.hashes);
      remove((one) => isRepeated(one, waiting, said));
      if (bytes + waiting.bytes > maxBytes) {
        onLost(1);
        return false;
      }
      queue.push(waiting);
      bytes += waiting.bytes;
      onChange(queue.length);
      tryLater();
      return true;
    },
    /** Tries once more to store all of them, and gives up what can't be stored even now. */
    async end(): Promise<void> {
      clearTimeout(timer);
      timer = undefined;
      if (!(await tryNow())) giveUp();
    },
    /** Counts what waits as lost. */
    giveUp,
  };
}

function hashesOf({ opening, answer }: Spilled): readonly string[] {
  return transcriptRecord(opening.dialect, opening.asked).with(answer).chain.slice(1);
}

/** Is all of `one` said again by a later request of the same client? No client says an id, or what it wasn't shown. */
function isRepeated(one: Waiting, later: Waiting, said: ReadonlySet<string>): boolean {
  const end = one.hashes.at(-1);
  return (
    end !== undefined &&
    said.has(end) &&
    one.names?.id === undefined &&
    !one.given &&
    one.opening.tenant === later.opening.tenant &&
    one.opening.session?.name === later.opening.session?.name
  );
}
