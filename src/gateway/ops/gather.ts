import type { Worker } from "node:cluster";
import { randomUUID } from "node:crypto";
import type { Counted } from "../telemetry/totals.ts";
import type { Word } from "./worker-words.ts";

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
