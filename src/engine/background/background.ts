import { reasoningAllowance } from "../../apis/shared/model-traits.ts";
import { SUMMARY_INSTRUCTIONS } from "../../core/budget.ts";
import { keepNewest } from "../../core/collections.ts";
import type { ModelCall, PressureReport, Reason, Run, Summary, Warning } from "../../core/types.ts";
import { emitCompleted } from "../deliver/deliver.ts";
import { prepareState } from "../deliver/last-view.ts";
import { reportOf } from "../deliver/report.ts";
import { openAccount, plannedTokens, refusal } from "../plan/may-ask.ts";
import { LEAST_RECORD, shareOf } from "../plan/narrative.ts";
import { isWorthAsking, wantedRun } from "../plan/wanted-run.ts";
import type { Operation } from "../read/survey.ts";
import { isCancelled } from "./ask-summary.ts";
import { settledInTime } from "./jobs.ts";
import { MAX_REQUESTS } from "./segments.ts";
import { manyRequestsWarning, writeSummaries } from "./write-summaries.ts";
import { summarizerWindow } from "./writing-task.ts";

/** What a report says when a summary would be wanted and isn't asked for. */
const resting = (error: string | undefined): Warning => ({
  code: "summarizer-resting",
  message: `The summariser failed${error ? ` (${error})` : " recently"}. It is tried again after a few minutes, or when pressure has grown.`,
});

const BUSY: Warning = {
  code: "summarizer-busy",
  message:
    "Too many summaries are running or queued, so no other is requested now. Lines chosen by code are used instead.",
};

/** The summary under way for a conversation: what it brings of what this one says. Undefined where none is under way. */
export function summaryUnderWay<M>({
  engine,
  survey,
}: Operation<M>): Promise<readonly Summary[]> | undefined {
  const { jobs } = engine;
  return ownRecords(survey, jobs.running(survey.chat) ?? jobs.running(survey.name));
}

/** Chats that begin alike may share a job as long as they are told apart by nothing: each takes what it said itself. */
const ownRecords = <M>(
  { conversation: { chain } }: Operation<M>["survey"],
  job: Promise<readonly Summary[] | undefined> | undefined,
): Promise<readonly Summary[]> | undefined =>
  job?.then((records = []) => records.filter(({ covers, hash }) => chain[covers.to] === hash));

/**
 * Has a run summarised in the background, once per conversation at a time. The promise never rejects and brings the new
 * records (none if it failed); there is none where the model isn't asked just now, and `refused` says why.
 */
export function requestSummary<M>(
  operation: Operation<M>,
  run: Run,
  why: {
    readonly reason: Reason;
    /** Whoever waits for it gives up, or the turn that it is for was cancelled: it ends where nobody else needs it. */
    readonly cancel?: AbortSignal | undefined;
    /** A request is about to be sent; otherwise one was answered. */
    readonly isRequest?: boolean;
  },
): { readonly background?: Promise<readonly Summary[]>; readonly refused?: Warning } {
  const { engine, survey, now } = operation;
  const { jobs, circuit } = engine;
  const { pressure } = survey;
  const { reason, cancel } = why;
  // One may have been begun before the first answer.
  const name = jobs.running(survey.name) ? survey.name : survey.chat;
  // A person who asks is answered, whatever failed before.
  if (!jobs.running(name) && reason !== "forced") {
    const refused = circuit.allows(survey.chat, pressure, now)
      ? refusal(operation, run, why.isRequest === true)
      : resting(circuit.errorOf(survey.chat));
    if (refused) return { refused };
    if (engine.places.isFull) return { refused: BUSY };
  }
  const write = async (ended: AbortSignal) => {
    const leave = await engine.places.take(ended);
    return summarise(operation, run, reason, ended).finally(leave);
  };
  return { background: ownRecords(survey, jobs.start(name, write, cancel))! };
}

/** A request holds about this share of the summariser's window. */
const PIECE_SHARE = 0.5;
/** What is read and written once may be read and written once more, to shorten or to mend a summary. */
const TRIES = 2;

/** Tokens that the summary of a run takes at most: what it reads, what it writes, and what its model thinks before. */
function mostOf<M>(operation: Operation<M>, run: Run): NonNullable<PressureReport["summary"]> {
  const { engine, survey, input } = operation;
  const model = engine.summarizer!;
  const window = summarizerWindow(model);
  const planned = plannedTokens(operation, run);
  const requests = Math.min(MAX_REQUESTS, Math.ceil(planned / (window * PIECE_SHARE)));
  // A request that continues the conversation reads all of its view.
  const view = input.request === undefined ? 0 : survey.tokens + survey.budget.tools;
  return {
    input: TRIES * (Math.max(planned, view) + (requests - 1) * SUMMARY_INSTRUCTIONS),
    output: TRIES * Math.max(shareOf(operation), LEAST_RECORD),
    thinking: TRIES * requests * reasoningAllowance(model.id, window),
  };
}

/** What a compaction by hand would pay for at most; undefined where no model is asked. */
export function costByHand<M>(operation: Operation<M>, goal: number): PressureReport["summary"] {
  const run = wantedRun(operation, goal);
  return run && isWorthAsking(operation, run, "hand") ? mostOf(operation, run) : undefined;
}

/** Has what a compaction by hand would hide summarised, and waits a while for it. Undefined if it isn't worth a request. */
export async function summaryByHand<M>(
  operation: Operation<M>,
  goal: number,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<{ readonly background?: Promise<readonly Summary[]>; readonly many?: Warning } | undefined> {
  const run = wantedRun(operation, goal);
  if (!run || !isWorthAsking(operation, run, "hand")) return undefined;
  const many = manyRequestsWarning(operation, run);
  const { background } = requestSummary(operation, run, { reason: "forced", cancel: signal });
  if (background) await settledInTime(background, waitMs, signal);
  return { ...(background && { background }), ...(many && { many }) };
}

/** The work itself. Whatever comes of it, what it began ends with one event: completed, failed or cancelled. */
async function summarise<M>(
  operation: Operation<M>,
  run: Run,
  reason: Reason,
  signal: AbortSignal,
): Promise<readonly Summary[]> {
  const { engine, survey, now } = operation;
  const { circuit, emitter, records: store } = engine;
  const { chat: name, pressure } = survey;
  const calls: ModelCall[] = [];
  let isOver = false;
  const end = (emit: () => void): void => {
    if (!isOver) emit();
    isOver = true;
  };
  // At once, because a model may heed no signal.
  signal.addEventListener("abort", () => end(() => emitter.emit("cancelled", { reason })), { once: true });
  const noteFailure = (cause: unknown): void => {
    const error = asError(cause);
    keepNewest(engine.failures, name, error);
    emitter.emit("failed", { error, fallback: "extractive" });
  };
  emitter.emit("started", { reason });
  circuit.begun(name);
  const account = openAccount(operation, run, reason === "forced" ? mostOf(operation, run).input : undefined);
  try {
    const { records, failure } = await writeSummaries(operation, run, {
      signal,
      calls,
      spend: account.spend,
    });
    await store.save({ summaries: records });
    if (records.length > 0) account.written();
    end(() => {
      // What was written before it failed is kept, and shows that the model works.
      circuit.succeeded(name);
      engine.failures.delete(name);
      if (failure === undefined || isCancelled(failure)) emitWritten(operation, reason, records);
      else noteFailure(failure);
    });
    return records;
  } catch (error) {
    end(() => {
      // A model that was stopped, or that leaves the summary to another node, didn't fail.
      if (isCancelled(error)) emitter.emit("cancelled", { reason });
      else {
        account.failed();
        circuit.failed(name, pressure, now, error);
        noteFailure(error);
      }
    });
    throw error;
  } finally {
    circuit.ended(name);
    // The next compaction tells what was asked for it, whatever came of that.
    const known = engine.unreported.get(name) ?? [];
    if (calls.length > 0) keepNewest(engine.unreported, name, [...known, ...calls]);
  }
}

/** Tells of a summary that is there, while the view is still the one before it: the next `fit` may apply it. */
function emitWritten<M>(operation: Operation<M>, reason: Reason, summaries: readonly Summary[]): void {
  const { engine, survey } = operation;
  const checkpoint = survey.checkpoint?.id;
  const report = reportOf(operation, {
    outcome: survey.checkpoint ? "view" : "pass",
    reason,
    rungs: [{ rung: "nothing-due", result: "used", tokens: survey.tokens }],
    checkpoint,
  });
  const state = prepareState(operation, { checkpoint });
  emitCompleted(engine, report, () => state(summaries));
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
