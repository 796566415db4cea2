import { RequestFault } from "../http/request-fault.ts";

type Kind = "answering" | "compacting";

interface UnderWay {
  readonly running: Kind | undefined;
  /** A summary is being written while the conversation goes on. */
  readonly inBackground: boolean;
}

/** What the processes of one server tell each other about it. `worker` is filled in by whoever sends it. */
export type BusyWord =
  | ({ readonly type: "busy"; readonly conversation: string; readonly worker?: number } & UnderWay)
  | { readonly type: "stop"; readonly conversation: string }
  /** A process has ended, and with it what it had under way. */
  | { readonly type: "gone"; readonly worker: number };

/** What is under way in which conversation, so that it can be shown and stopped. */
export type Busy = ReturnType<typeof createBusy>;

/** `share` tells other processes of this server. They may begin at the same moment; what has begun, all know of. */
export function createBusy(share: (word: BusyWord) => void = () => {}) {
  const running = new Map<string, { readonly kind: Kind; readonly controller: AbortController }>();
  const background = new Map<string, AbortController>();
  const all = createWorkers();
  const working = new Set<Promise<unknown>>();
  const tracked = async <T>(work: Promise<T>): Promise<T> => {
    working.add(work);
    try {
      return await work;
    } finally {
      working.delete(work);
    }
  };
  const announce = (conversation: string): void => {
    const kind = running.get(conversation)?.kind;
    const word = { conversation, running: kind, inBackground: background.has(conversation) };
    all.receive({ type: "busy", ...word });
    share({ type: "busy", ...word });
  };
  const abort = (controller: AbortController): void => controller.abort(new Error("stopped"));
  return {
    of(conversation: string): Kind | undefined {
      const { running: kind, inBackground } = all.of(conversation);
      return kind ?? (inBackground ? "compacting" : undefined);
    },
    /** Runs work that nothing else may run beside. */
    async run<T>(conversation: string, kind: Kind, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      if (all.of(conversation).running)
        throw new RequestFault(409, "busy", "This conversation is busy. Wait until it is done, or stop it.");
      const controller = new AbortController();
      running.set(conversation, { kind, controller });
      announce(conversation);
      try {
        return await tracked(work(controller.signal));
      } finally {
        running.delete(conversation);
        announce(conversation);
      }
    },
    /** A summary that is written while the conversation goes on. `settled` waits only for one that is awaited. */
    async background(
      conversation: string,
      controller: AbortController,
      work: Promise<unknown>,
      isAwaited: boolean,
    ): Promise<void> {
      background.set(conversation, controller);
      announce(conversation);
      const ended = work.catch(() => {});
      try {
        await (isAwaited ? tracked(ended) : ended);
      } finally {
        if (background.get(conversation) === controller) {
          background.delete(conversation);
          announce(conversation);
        }
      }
    },
    /** Stops what was begun last: first an answer, then a summary in the background. */
    stop(conversation: string): boolean {
      const { running: kind, inBackground } = all.of(conversation);
      const own = running.get(conversation)?.controller ?? (kind ? undefined : background.get(conversation));
      if (own) abort(own);
      else if (kind || inBackground) share({ type: "stop", conversation });
      else return false;
      return true;
    },
    stopAll(): void {
      for (const { controller } of running.values()) abort(controller);
      for (const controller of background.values()) abort(controller);
    },
    /** Tells other processes of all that is under way: one of them has just begun. */
    announceAll(): void {
      for (const conversation of new Set([...running.keys(), ...background.keys()])) announce(conversation);
    },
    /** Resolves when nothing is under way in this process. */
    async settled(): Promise<void> {
      while (working.size > 0) await Promise.allSettled(working);
    },
    /** A word of another process of this server. */
    receive(word: BusyWord): void {
      const own =
        word.type === "stop" &&
        (running.get(word.conversation)?.controller ?? background.get(word.conversation));
      if (word.type !== "stop") all.receive(word);
      else if (own) abort(own);
    },
  };
}

/** What each process has under way, by what it said last; 0 is this one. */
function createWorkers() {
  const workers = new Map<number, Map<string, UnderWay>>();
  return {
    of(conversation: string): UnderWay {
      let all: UnderWay = { running: undefined, inBackground: false };
      for (const busy of workers.values()) {
        const one = busy.get(conversation);
        if (one)
          all = { running: all.running ?? one.running, inBackground: all.inBackground || one.inBackground };
      }
      return all;
    },
    receive(word: Exclude<BusyWord, { type: "stop" }>): void {
      if (word.type === "gone") {
        workers.delete(word.worker);
        return;
      }
      const { worker = 0, conversation, running, inBackground } = word;
      const busy = workers.get(worker) ?? new Map<string, UnderWay>();
      workers.set(worker, busy);
      if (running || inBackground) busy.set(conversation, { running, inBackground });
      else busy.delete(conversation);
    },
  };
}
