import { BudgetImpossibleError } from "../../core/errors.ts";
import { contentHash } from "../../core/hash.ts";
import type { Model, Profile, TokenCounter } from "../../core/types.ts";
import { askList } from "./ask-list.ts";
import { allDone, createAtOnce } from "./at-once.ts";
import type { Entrant, Sitting } from "./entrants.ts";
import type { Journal } from "./journal.ts";
import { judgeRequest, type Mark, readMarks, SHEETS_AT_ONCE, type Sheet } from "./mark-answers.ts";
import { chunks } from "./plan.ts";
import { QUESTIONS_AT_ONCE, readAnswers, readerRequest } from "./read-exam.ts";
import { readerText } from "./reader-text.ts";
import { rememberedModel } from "./remembered-model.ts";
import { type Judged, type JudgedResult, resultOf } from "./result.ts";
import { createSpending } from "./spending.ts";

/** What a run needs. */
export interface JudgedOptions {
  readonly sittings: readonly Sitting[];
  readonly trials: number;
  readonly reader: Model;
  readonly judge: Model;
  /** Needed by arms that ask a model. */
  readonly summarizer: Model | undefined;
  readonly counter: TokenCounter;
  readonly profile?: Profile;
  readonly journal: Journal;
  /** Requests under way at the same time. */
  readonly atOnce: number;
  /** The arm that the others are compared with; default: the first one that takes part. */
  readonly against?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (what: string, done: number, total: number) => void;
}

/** A context that is ready for its reader. */
interface Context {
  readonly entrant: Entrant;
  readonly text: string;
  readonly tokens: number;
  /** The arm can't be made at this size. */
  readonly isImpossible: boolean;
  /** The arm has a model and had no room to ask it: it is the same as without. */
  readonly isUnasked: boolean;
}

/** Bits of a hash that seed a shuffle. */
const SEED_BITS = 30;

/** Lets readers answer from each context, lets the judge mark all answers together, and adds up. */
export async function runJudged(options: JudgedOptions): Promise<JudgedResult> {
  const { sittings, trials, reader, judge, summarizer, counter, journal, signal, onProgress } = options;
  const spending = createSpending({ reader, judge, ...(summarizer && { summarizer }) }, counter);
  const atOnce = createAtOnce(options.atOnce);
  const stop = signal === undefined ? {} : { signal };
  const progress = counting(sittings, trials, onProgress);

  const contextOf = (sitting: Sitting, entrant: Entrant): Promise<Context> =>
    atOnce(async () => {
      signal?.throwIfAborted();
      let asked = 0;
      const writer = rememberedModel(summarizer ?? reader, "summarizer", journal, spending);
      const complete: Model["complete"] = (request) => {
        asked += 1;
        return writer.complete(request);
      };
      const input = {
        exam: sitting.exam,
        size: entrant.tokens,
        counter,
        summarizer: { ...writer, complete },
        ...(options.profile && { profile: options.profile }),
      };
      const shown = await entrant.arm.make(input).catch((error: unknown) => {
        if (error instanceof BudgetImpossibleError) return undefined;
        throw error;
      });
      const text = readerText(shown ?? []);
      progress("contexts");
      return {
        entrant,
        text,
        tokens: counter.count(text),
        isImpossible: shown === undefined,
        isUnasked: entrant.arm.needsModel && asked === 0,
      };
    });

  const answersOf = async (
    { exam }: Sitting,
    { text, isImpossible }: Context,
    trial: number,
  ): Promise<string[]> => {
    // Nobody has to read nothing.
    if (isImpossible) return exam.items.map(() => "");
    const parts = chunks(exam.items, QUESTIONS_AT_ONCE).map((items) =>
      atOnce(async () => {
        signal?.throwIfAborted();
        const request = { ...readerRequest(text, items), ...stop };
        const check = (list: readonly unknown[]) => readAnswers(list, items.length);
        const answers = await askList({
          model: reader,
          journal,
          spending,
          role: "reader",
          request,
          trial,
          check,
        });
        progress("answers");
        return answers;
      }),
    );
    return (await allDone(parts)).flat();
  };

  const marksOf = async (sheets: readonly Sheet[], trial: number): Promise<(readonly Mark[])[]> => {
    const parts = chunks(sheets, SHEETS_AT_ONCE).map((some) =>
      atOnce(async () => {
        signal?.throwIfAborted();
        const request = { ...judgeRequest(some), ...stop };
        const check = (list: readonly unknown[]) => readMarks(list, some);
        const marks = await askList({
          model: judge,
          journal,
          spending,
          role: "judge",
          request,
          trial,
          check,
        });
        progress("marks");
        return marks;
      }),
    );
    return (await allDone(parts)).flat();
  };

  const hold = async (sitting: Sitting): Promise<Judged[]> => {
    const { exam } = sitting;
    const contexts = await allDone(sitting.entrants.map((entrant) => contextOf(sitting, entrant)));
    const held = Array.from({ length: trials }, async (_, trial) => {
      const answers = await allDone(contexts.map((context) => answersOf(sitting, context, trial)));
      const sheets = exam.items.map((item, index) => ({
        item,
        answers: answers.map((own) => own[index] ?? ""),
        seed: seedOf(exam.id, item.n, trial),
      }));
      const marks = await marksOf(sheets, trial);
      return exam.items.flatMap(({ n, type }, index) =>
        contexts.map(({ entrant, tokens, isImpossible, isUnasked }, place): Judged => {
          const mark = marks[index]?.[place] ?? { score: 0, misleading: false };
          return { exam: exam.id, n, type, trial, entrant, tokens, isImpossible, isUnasked, ...mark };
        }),
      );
    });
    return (await allDone(held)).flat();
  };

  const judged = (await allDone(sittings.map(hold))).flat();
  return resultOf(judged, {
    reader: reader.id,
    judge: judge.id,
    ...(summarizer && { summarizer: summarizer.id }),
    counter: counter.id,
    trials,
    spent: spending.all(),
    ...(options.against !== undefined && { against: options.against }),
  });
}

/** The same for a question in every run, so that a run that goes on asks the judge the same. */
function seedOf(exam: string, n: number, trial: number): number {
  const hash = contentHash(JSON.stringify([exam, n, trial]));
  let seed = 0;
  for (const sign of hash) seed = (seed * 31 + sign.charCodeAt(0)) % 2 ** SEED_BITS;
  return seed;
}

/** Counts requests that are done, kept replies included. */
function counting(
  sittings: readonly Sitting[],
  trials: number,
  onProgress: JudgedOptions["onProgress"],
): (what: string) => void {
  const total = sittings.reduce((sum, { exam, entrants }) => {
    const reads = entrants.length * Math.ceil(exam.items.length / QUESTIONS_AT_ONCE);
    return sum + entrants.length + trials * (reads + Math.ceil(exam.items.length / SHEETS_AT_ONCE));
  }, 0);
  let done = 0;
  return (what) => onProgress?.(what, ++done, total);
}
