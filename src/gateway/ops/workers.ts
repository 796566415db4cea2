import type { Worker } from "node:cluster";
import { randomUUID } from "node:crypto";
import type { HiddenWord } from "../conversation/hidden-answers.ts";
import type { BusyWord } from "../telemetry/busy.ts";
import type { SentEvent } from "../telemetry/live.ts";
import type { Counted } from "../telemetry/telemetry.ts";

/** What the processes of one server tell each other; the first process passes it on. */
export type Word =
  | { readonly type: "listening"; readonly address: string }
  /** It can't be started; the words are for people. */
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "event"; readonly event: SentEvent }
  /** An answer that the store didn't take, with rounds that its client wasn't shown. */
  | { readonly type: "hidden"; readonly answer: HiddenWord }
  /** Somebody waits for the end. */
  | { readonly type: "hurry" }
  | BusyWord
  /** Asks all for what they counted; `data` is one's answer, `all` are those of all. */
  | { readonly type: "ask"; readonly id: string; readonly of: Counted }
  | { readonly type: "tell"; readonly id: string; readonly data: unknown }
  | { readonly type: "told"; readonly id: string; readonly all: readonly unknown[] };

/** A process that doesn't answer in this time is left out (milliseconds). */
const ANSWER_MS = 1_000;

/** In the first process: passes a question on to all others and collects what they say. */
export function createGathering(workers: ReadonlySet<Worker>): {
  ask(asker: Worker, question: Extract<Word, { type: "ask" }>): void;
  tell(answer: Extract<Word, { type: "tell" }>): void;
} {
  const open = new Map<string, { readonly answers: unknown[]; readonly expected: number; done(): void }>();
  return {
    ask(asker, question) {
      const { id } = question;
      const answers: unknown[] = [];
      const done = (): void => {
        clearTimeout(timer);
        if (open.delete(id) && asker.isConnected())
          asker.send({ type: "told", id, all: answers } satisfies Word);
      };
      const timer = setTimeout(done, ANSWER_MS);
      const asked = [...workers].filter((worker) => worker.isConnected());
      open.set(id, { answers, expected: asked.length, done });
      for (const worker of asked) worker.send(question);
    },
    tell({ id, data }) {
      const one = open.get(id);
      if (!one) return;
      one.answers.push(data);
      if (one.answers.length === one.expected) one.done();
    },
  };
}

/** In one of the others: asks all of them, itself included. */
export function createGather(say: (word: Word) => void): {
  gather(of: Counted): Promise<readonly unknown[]>;
  told(answer: Extract<Word, { type: "told" }>): void;
} {
  const waiting = new Map<string, (all: readonly unknown[]) => void>();
  return {
    gather: (of) =>
      new Promise((resolve) => {
        const id = randomUUID();
        waiting.set(id, resolve);
        say({ type: "ask", id, of });
      }),
    told({ id, all }) {
      waiting.get(id)?.(all);
      waiting.delete(id);
    },
  };
}

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
