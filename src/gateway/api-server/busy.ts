import { RequestFault } from "../wires/request-fault.ts";

type Kind = "answering" | "compacting";

/** What is under way in which conversation, so that it can be shown and stopped. */
export interface Busy {
  of(conversation: string): Kind | undefined;
  /** Runs work that nothing else may run beside. */
  run<T>(conversation: string, kind: Kind, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** A summary that is written while the conversation goes on. `settled` waits only for one that is awaited. */
  background(
    conversation: string,
    controller: AbortController,
    work: Promise<unknown>,
    isAwaited: boolean,
  ): Promise<void>;
  /** Stops what was begun last: first an answer, then a summary in the background. */
  stop(conversation: string): boolean;
  stopAll(): void;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

export function createBusy(): Busy {
  const running = new Map<string, { readonly kind: Kind; readonly controller: AbortController }>();
  const background = new Map<string, AbortController>();
  const working = new Set<Promise<unknown>>();
  const tracked = async <T>(work: Promise<T>): Promise<T> => {
    working.add(work);
    try {
      return await work;
    } finally {
      working.delete(work);
    }
  };
  return {
    of: (conversation) =>
      running.get(conversation)?.kind ?? (background.has(conversation) ? "compacting" : undefined),
    async run(conversation, kind, work) {
      if (running.has(conversation))
        throw new RequestFault(409, "busy", "This conversation is busy. Wait until it is done, or stop it.");
      const controller = new AbortController();
      running.set(conversation, { kind, controller });
      try {
        return await tracked(work(controller.signal));
      } finally {
        running.delete(conversation);
      }
    },
    async background(conversation, controller, work, isAwaited) {
      background.set(conversation, controller);
      const ended = work.catch(() => {});
      try {
        await (isAwaited ? tracked(ended) : ended);
      } finally {
        if (background.get(conversation) === controller) background.delete(conversation);
      }
    },
    stop(conversation) {
      const controller = running.get(conversation)?.controller ?? background.get(conversation);
      controller?.abort(new Error("stopped"));
      return controller !== undefined;
    },
    stopAll() {
      for (const { controller } of running.values()) controller.abort(new Error("stopped"));
      for (const controller of background.values()) controller.abort(new Error("stopped"));
    },
    async settled() {
      while (working.size > 0) await Promise.allSettled(working);
    },
  };
}
