import { RequestFault } from "../wires/request-fault.ts";

/** What is under way in which conversation, so that it can be shown and stopped. */
export interface Busy {
  of(conversation: string): "answering" | "compacting" | undefined;
  /** Runs work that nothing else may run beside. */
  run<T>(
    conversation: string,
    kind: "answering" | "compacting",
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
  stop(conversation: string): boolean;
}

export function createBusy(): Busy {
  const running = new Map<
    string,
    { readonly kind: "answering" | "compacting"; readonly controller: AbortController }
  >();
  return {
    of: (conversation) => running.get(conversation)?.kind,
    async run(conversation, kind, work) {
      if (running.has(conversation))
        throw new RequestFault(409, "busy", "This conversation is busy. Wait until it is done, or stop it.");
      const controller = new AbortController();
      running.set(conversation, { kind, controller });
      try {
        return await work(controller.signal);
      } finally {
        running.delete(conversation);
      }
    },
    stop(conversation) {
      const found = running.get(conversation);
      found?.controller.abort(new Error("stopped"));
      return found !== undefined;
    },
  };
}
