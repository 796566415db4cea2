import { BudgetImpossibleError } from "../../core/errors.ts";
import { contentHash } from "../../core/hash.ts";
import type { Model, ModelReply, ModelRequest, Profile, TokenCounter } from "../../core/types.ts";
import type { Entrant, Sitting } from "./arms.ts";
import { askList, type Journal } from "./ask-list.ts";
import { type ExamItem, inPieces, readerText } from "./exam.ts";
import {
  judgeRequest,
  type Mark,
  questionsTogether,
  readAnswers,
  readerRequest,
  readMarks,
  SHEETS_AT_ONCE,
  type Sheet,
} from "./exam-requests.ts";
import { type Judged, type JudgedResult, resultOf } from "./result.ts";
import { createSpending, type Role, type Spending } from "./spending.ts";

/** Runs tasks, at most so many at a time. After a failure no further one is begun. */
type AtOnce = <T>(task: () => Promise<T>) => Promise<T>;

/** Who is examined by whom: what a run costs is known from it. */
export interface JudgedSetup {
  readonly sittings: readonly Sitting[];
  readonly trials: number;
  /** Every arm is asked one question at a time. */
  readonly isOneByOne: boolean;
  readonly reader: Model;
  readonly judge: Model;
  /** Needed by arms that ask a model. */
  readonly summarizer: Model | undefined;
  readonly counter: TokenCounter;
}

/** What a run needs. */
export interface JudgedOptions extends JudgedSetup {
  readonly profile?: Profile;
  readonly journal: Journal;
  /** Requests under way at the same time. */
  readonly atOnce: number;
  /** The arm that the others are compared with; default: the first one that takes part. */
  readonly against?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (what: string, done: number, total: number) => void;
}

/** A context that is ready for its reader, with the questions that are asked from it. */
interface Context {
  readonly items: readonly ExamItem[];
  readonly text: string;
  readonly tokens: number;
}

/** What an arm made for an exam. */
interface Made {
  readonly entrant: Entrant;
  /** In the order of the exam's questions. */
  readonly contexts: readonly Context[];
  /** The arm can't be made at this size. */
  readonly isImpossible: boolean;
  /** The arm has a model and had no room to ask it: it is the same as without. */
  readonly isUnasked: boolean;
}

/** Bits of a hash that seed a shuffle. */
const SEED_BITS = 30;

/** Lets readers answer from each context, lets the judge mark all answers together, and adds up. */
export async function runJudged(options: JudgedOptions): Promise<JudgedResult> {
  const { sittings, trials, reader, judge, summarizer, counter, journal, signal } = options;
  const spending = createSpending({ reader, judge, ...(summarizer && { summarizer }) }, counter);
  const atOnce = createAtOnce(options.atOnce);
  const stop = signal === undefined ? {} : { signal };
  const progress = counting(options);

  const contextsOf = (sitting: Sitting, entrant: Entrant): Promise<Made> =>
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
      const contextFor = await entrant.arm.make(input).catch((error: unknown) => {
        if (error instanceof BudgetImpossibleError) return undefined;
        throw error;
      });
      const contexts: Context[] = [];
      for (const items of questionsTogether(sitting.exam, entrant.arm, options.isOneByOne)) {
        const text = readerText((await contextFor?.(items[0]?.question ?? "")) ?? []);
        contexts.push({ items, text, tokens: counter.count(text) });
      }
      progress("contexts");
      return {
        entrant,
        contexts,
        isImpossible: contextFor === undefined,
        isUnasked: entrant.arm.needsModel && asked === 0,
      };
    });

  const ask = <T>(
    role: "reader" | "judge",
    request: ModelRequest,
    trial: number,
    check: (list: readonly unknown[]) => readonly T[] | string,
  ): Promise<readonly T[]> =>
    atOnce(async () => {
      signal?.throwIfAborted();
      const model = role === "reader" ? reader : judge;
      const stoppable = { ...request, ...stop };
      const list = await askList({ model, role, journal, spending, request: stoppable, trial, check });
      progress(role === "reader" ? "answers" : "marks");
      return list;
    });

  const answersOf = async ({ contexts, isImpossible }: Made, trial: number): Promise<string[]> => {
    const parts = contexts.map(async ({ items, text }) =>
      // Nobody has to read nothing.
      isImpossible
        ? items.map(() => "")
        : ask("reader", readerRequest(text, items), trial, (list) => readAnswers(list, items.length)),
    );
    return (await allDone(parts)).flat();
  };

  const marksOf = async (sheets: readonly Sheet[], trial: number): Promise<(readonly Mark[])[]> => {
    const parts = inPieces(sheets, SHEETS_AT_ONCE).map((some) =>
      ask("judge", judgeRequest(some), trial, (list) => readMarks(list, some)),
    );
    return (await allDone(parts)).flat();
  };

  const hold = async (sitting: Sitting): Promise<Judged[]> => {
    const { exam } = sitting;
    const made = await allDone(sitting.entrants.map((entrant) => contextsOf(sitting, entrant)));
    const held = Array.from({ length: trials }, async (_, trial) => {
      const answers = await allDone(made.map((one) => answersOf(one, trial)));
      const sheets = exam.items.map((item, index) => ({
        item,
        answers: answers.map((own) => own[index] ?? ""),
        seed: seedOf(exam.id, item.n, trial),
      }));
      const marks = await marksOf(sheets, trial);
      return exam.items.flatMap(({ n, type }, index) =>
        made.map(({ entrant, contexts, isImpossible, isUnasked }, place): Judged => {
          const tokens = contexts.find(({ items }) => items.some((item) => item.n === n))?.tokens ?? 0;
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
function counting({
  sittings,
  trials,
  isOneByOne,
  onProgress,
}: Pick<JudgedOptions, "sittings" | "trials" | "isOneByOne" | "onProgress">): (what: string) => void {
  const total = sittings.reduce((sum, { exam, entrants }) => {
    const reads = entrants.reduce((all, { arm }) => all + questionsTogether(exam, arm, isOneByOne).length, 0);
    return sum + entrants.length + trials * (reads + Math.ceil(exam.items.length / SHEETS_AT_ONCE));
  }, 0);
  let done = 0;
  return (what) => onProgress?.(what, ++done, total);
}

function createAtOnce(most: number): AtOnce {
  const waiting: (() => void)[] = [];
  let running = 0;
  let failure: { readonly error: unknown } | undefined;
  return async (task) => {
    while (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    // What is under way may end: its answers are paid for, and the next run uses them.
    if (failure !== undefined) throw failure.error;
    running += 1;
    try {
      return await task();
    } catch (error) {
      failure ??= { error };
      throw error;
    } finally {
      running -= 1;
      for (const next of waiting.splice(0)) next();
    }
  };
}

/** Waits for all, then fails with the first failure: nothing is left running behind the caller's back. */
async function allDone<T>(tasks: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(tasks);
  const failed = settled.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
}

/** A model whose replies are kept, so that a run that goes on later pays for none of them twice. */
function rememberedModel(model: Model, role: Role, journal: Journal, spending: Spending): Model {
  return {
    id: model.id,
    ...(model.window !== undefined && { window: model.window }),
    async complete(request) {
      const { name, system, messages, cap, temperature } = request;
      const key = contentHash(JSON.stringify([role, model.id, name, system, messages, cap, temperature]));
      const kept = journal.find(key);
      if (kept !== undefined) return JSON.parse(kept) as ModelReply;
      const reply = await model.complete(request);
      spending.add(role, request, reply);
      if (reply.stop === "end") await journal.keep(key, JSON.stringify(reply));
      return reply;
    },
  };
}
