import type { Worker } from "node:cluster";
import type { BusyWord } from "../telemetry/busy.ts";

/** In the first process: what each of the others has under way, so that all know it, those too that come later. */
export function createBusyBoard(workers: ReadonlySet<Worker>): {
  pass(from: Worker, word: BusyWord): void;
  catchUp(worker: Worker): void;
  gone(worker: Worker): void;
} {
  const said = new Map<Worker, Map<string, BusyWord>>();
  const tellOthers = (from: Worker, word: BusyWord): void => {
    for (const other of workers) if (other !== from && other.isConnected()) other.send(word);
  };
  return {
    pass(from, word) {
      if (word.type !== "busy") return tellOthers(from, word);
      const told = { ...word, worker: from.id };
      const own = said.get(from) ?? new Map<string, BusyWord>();
      said.set(from, own);
      if (word.running || word.inBackground) own.set(word.conversation, told);
      else own.delete(word.conversation);
      tellOthers(from, told);
    },
    catchUp(worker) {
      for (const [other, words] of said)
        if (other !== worker) for (const word of words.values()) worker.send(word);
    },
    gone(worker) {
      said.delete(worker);
      tellOthers(worker, { type: "gone", worker: worker.id });
    },
  };
}
