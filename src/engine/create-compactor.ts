import { entriesOf } from "../core/draft.ts";
import { BudgetImpossibleError, ClosedError } from "../core/errors.ts";
import { MOST_TOKENS } from "../core/options.ts";
import type {
  Compactor,
  CompactorOptions,
  FitInput,
  FitResult,
  HandoverInput,
  Observation,
  Plan,
  PressureReport,
  Sized,
  State,
  SummarizeInput,
  Undo,
  Warning,
} from "../core/types.ts";
import { costByHand, requestSummary, summaryUnderWay } from "./background/background.ts";
import { settledInTime } from "./background/jobs.ts";
import { manyRequestsWarning, plannedCalls } from "./background/write-summaries.ts";
import { compactNow, goalByHand } from "./compact.ts";
import { COLD_FROM, type Decision, decide } from "./decide.ts";
import { deliver, viewDraft, viewOf } from "./deliver/deliver.ts";
import { prepareState } from "./deliver/last-view.ts";
import { pressureOf } from "./deliver/report.ts";
import {
  calibrate,
  createEngine,
  createEngineMemory,
  type Engine,
  type EngineMemory,
  learnAnswer,
} from "./engine.ts";
import { isWorthAsking, noRoomWarning, wantedRun } from "./plan/wanted-run.ts";
import { withFittingQuotations } from "./read/quotations.ts";
import { beginOperation, measureOfShort, type Operation, takeSurvey } from "./read/survey.ts";
import { recallFor } from "./recall/recall-for.ts";
import { checkInput, givenOptions, type InputOf, withoutLeftOut } from "./settings/check.ts";

/**
 * Keeps conversations of one wire format inside their token budget.
 *
 * @example
 * ```ts
 * import { createCompactor, profiles } from "precis";
 * import { openaiChat } from "precis/dialects";
 *
 * const compactor = createCompactor({ dialect: openaiChat, window: 128_000, profile: profiles.agent });
 * const transcript = [{ role: "user", content: "Why does the build fail?" }];
 * const { messages, state, report } = await compactor.fit(transcript);
 * console.log(messages.length, report.outcome, state.version);
 * ```
 */
export function createCompactor<M, S = unknown>(options: CompactorOptions<M, S> & Sized): Compactor<M, S> {
  return createCompactorWith({ ...createEngineMemory(), prompts: new Map() }, options);
}

/** One of several compactors that share what they remember of texts. */
export function createCompactorWith<M, S = unknown>(
  memory: EngineMemory,
  options: CompactorOptions<M, S>,
): Compactor<M, S> {
  // Said now: without them the first call would fail with a TypeError that names nothing.
  if (!("difference" in Set.prototype))
    throw new Error("precis needs Node 22.13 or later, or a current browser.");
  const engine = createEngine(givenOptions(options), memory);
  let isClosed = false;
  /** A method that works on a transcript: with both as they are now. It refuses what it doesn't take, and all once it was closed. */
  const method =
    <I extends FitInput<M>, T>(
      name: keyof Compactor<M>,
      call: InputOf,
      run: (engine: Engine<M>, transcript: readonly M[], input: I) => Promise<T>,
    ) =>
    async (transcript: readonly M[], input?: I): Promise<T> => {
      if (isClosed) throw new ClosedError({ method: name });
      return run(engine, asGiven(transcript), checked(call, input));
    };
  const methods = {
    dialect: engine.dialect,
    fit: method("fit", "fit", beyondGuess<M, FitResult<M>>(fitView)),
    compact: method("compact", "compact", compactNow<M>),
    plan: method("plan", "fit", beyondGuess<M, Plan>(plan)),
    pressure: method(
      "pressure",
      "fit",
      beyondGuess<M, PressureReport>(async (...given) => {
        const operation = await beginOperation(...given);
        const summary = costByHand(operation, goalByHand(operation));
        return { ...pressureOf(operation.survey), ...(summary && { summary }) };
      }),
    ),
    prepare: method("prepare", "fit", beyondGuess<M, State>(prepare)),
    // An answer may come when the compactor is closed already: nobody waits for what is learnt from it.
    observe: (observation: Observation<M>) => observe(engine, observation),
    summarize: method("summarize", "summarize", async (_, transcript, input: SummarizeInput<M>) => {
      const { summarize } = await standalone();
      return summarize(await beginOperation(engine, transcript, input), input);
    }),
    handover: method("handover", "handover", async (_, transcript, input: HandoverInput<M>) => {
      const { checkGoal, handover } = await standalone();
      checkGoal(input);
      return handover(await beginOperation(engine, transcript, { ...input, focus: input.goal }), input);
    }),
    undo: method("undo", "fit", undo<M>),
    rebuild: method("rebuild", "fit", (_, transcript, input) =>
      compactNow(engine, transcript, { ...input, adopt: true }, true),
    ),
    settled: () => engine.jobs.settled(),
    async close() {
      isClosed = true;
      engine.jobs.close();
      await engine.jobs.settled();
    },
    on: engine.emitter.on,
  } satisfies Record<keyof Compactor<M>, unknown>;
  // Hosts pass their own, narrower message type: what is kept leaves as it came, what precis writes is of the dialect.
  return methods as unknown as Compactor<M, S>;
}

/** Texts for people are made now and then: a page that only makes views fit doesn't load their code. */
const standalone = () => import("./texts.ts");

/**
 * A list as it is now: hosts add to their own, or take something back, while a call is under way. What isn't a list is refused where it
 * is read.
 */
function asGiven<T>(list: readonly T[]): readonly T[] {
  return Array.isArray(list) ? [...(list as readonly T[])] : list;
}

/** What a call was given, as it is now and without what is left out. Refuses what the call doesn't take. */
function checked<I extends object>(call: InputOf, given: I | null | undefined): I {
  const input = given ?? ({} as I);
  checkInput(input, call);
  const { extras } = input as FitInput<unknown>;
  return withoutLeftOut({ ...input, ...(extras && { extras: asGiven(extras) }) });
}

/**
 * A window that is only a guess refuses nothing: what can't fit it is passed on as it is, with a warning, and the provider says what it
 * takes. A budget that the host gave still holds.
 */
function beyondGuess<M, T>(
  run: (engine: Engine<M>, transcript: readonly M[], input: FitInput<M>) => Promise<T>,
): typeof run {
  return async (engine, transcript, input) => {
    try {
      return await run(engine, transcript, input);
    } catch (error) {
      const { settings } = engine;
      const { model, budget } = settings;
      if (!BudgetImpossibleError.isInstance(error) || model?.known !== false) throw error;
      const without = { ...settings, window: undefined, auto: budget === undefined ? false : settings.auto };
      const open = { ...engine, settings: { ...without, budget: budget ?? MOST_TOKENS } };
      const { tokens } = await takeSurvey(open, transcript, input);
      const message = `The required messages don't fit ${model.window} tokens. That window is a guess, because the model ${model.id} isn't in the registry, so the request is sent unchanged. Give \`window\` as a number, or describe the model in \`models\`.`;
      const warnings: readonly Warning[] = [{ code: "unknown-model", message }];
      const passing = { ...without, budget: budget ?? Math.max(1, tokens), warnings };
      return run({ ...engine, settings: passing }, transcript, input);
    }
  };
}

async function fitView<M>(
  engine: Engine<M>,
  transcript: readonly M[],
  input: FitInput<M>,
): Promise<FitResult<M>> {
  const bounds = measureOfShort(engine, transcript, input);
  let operation = await beginOperation(engine, transcript, input, { bounds });
  let decision = await decide(operation);
  if (bounds && mayMatter(operation, decision)) {
    operation = await beginOperation(engine, transcript, input);
    decision = await decide(operation);
  }
  let { background, refused } = summaryFor(operation, decision, true);
  const many = background && decision.wanted && manyRequestsWarning(operation, decision.wanted);
  // What is asked for ahead of time isn't needed yet.
  const waitMs = decision.due === undefined ? 0 : engine.settings.waitMs;
  if (background && (await settledInTime(background, waitMs, input.signal))) {
    operation = await beginOperation(engine, transcript, input);
    decision = await decide(operation);
    background = undefined;
  }
  input.signal?.throwIfAborted();
  const otherwise = background ? undefined : decision.otherwise?.();
  const result = (await otherwise) ?? decision.result;
  const noRoom = result.draft && noRoomWarning(operation);
  return deliver(operation, {
    reason: decision.due,
    result,
    adopt: true,
    recalls: true,
    waiting: background !== undefined,
    // One that an earlier call began brings its records to this host, too.
    background: background ?? summaryUnderWay(operation),
    warnings: [
      ...(decision.wanted && refused ? [refused] : []),
      ...(noRoom ? [noRoom] : []),
      ...(many ? [many] : []),
    ],
  });
}

/** May exact counts change anything for a request that was measured by bounds? */
function mayMatter<M>({ survey }: Operation<M>, { due, wanted }: Decision): boolean {
  const known = survey.checkpoint !== undefined || survey.invalid || survey.left.length > 0;
  return known || due !== undefined || wanted !== undefined || survey.warnings.length > 0;
}

/** Has the wanted summary written, once; not if none is wanted, or if the summariser isn't asked just now. */
function summaryFor<M>(
  operation: Operation<M>,
  { wanted, due }: Decision,
  isRequest = false,
): ReturnType<typeof requestSummary> {
  return wanted
    ? requestSummary(operation, wanted, {
        reason: due ?? "pressure",
        isRequest,
        cancel: isRequest ? operation.input.signal : undefined,
      })
    : {};
}

async function plan<M>(engine: Engine<M>, transcript: readonly M[], input: FitInput<M>): Promise<Plan> {
  const begun = await beginOperation(engine, transcript, input);
  const { due, result, wanted } = await decide(begun);
  const operation = withFittingQuotations(begun, result);
  const { survey } = operation;
  const many = wanted && manyRequestsWarning(operation, wanted);
  const view = viewOf(operation, result);
  const isCompacted = survey.checkpoint !== undefined || result.draft !== undefined;
  const recalled = isCompacted && survey.keepsRecalled ? await recallFor(operation, view) : undefined;
  const quoted = [...view.quoted, ...(recalled ? [recalled.quoted] : [])];
  const tokens = view.tokens + (recalled?.quoted.tokens ?? 0);
  return {
    due,
    entries: entriesOf(viewDraft(operation, result, quoted)),
    calls: wanted ? plannedCalls(operation, wanted) : [],
    rungs: result.rungs,
    budget: survey.budget,
    pressure: { before: survey.pressure, after: tokens / survey.budget.budget },
    tokens: { transcript: survey.conversation.total, before: survey.tokens, after: tokens },
    warnings: [...survey.warnings, ...(many ? [many] : [])],
  };
}

/** Makes the summary that the next compaction will need, while the provider's cache is warm. */
async function prepare<M>(engine: Engine<M>, transcript: readonly M[], input: FitInput<M>): Promise<State> {
  const operation = await beginOperation(engine, transcript, input);
  const { survey } = operation;
  // Below it no cold cache makes a compaction due.
  const run = survey.pressure >= COLD_FROM ? wantedRun(operation, survey.goal) : undefined;
  const summaries =
    run && isWorthAsking(operation, run)
      ? await requestSummary(operation, run, { reason: "pressure", cancel: input.signal }).background
      : undefined;
  input.signal?.throwIfAborted();
  return prepareState(operation, { checkpoint: survey.checkpoint?.id, beside: true })(summaries);
}

/** Learns from an answer, and begins a summary if the reply has made one due. */
async function observe<M>(engine: Engine<M>, observation: Observation<M>): Promise<State | undefined> {
  checkInput(observation, "observe");
  const { report } = observation;
  const transcript = observation.transcript && asGiven(observation.transcript);
  const input = checked("fit", observation.input);
  calibrate(engine, observation);
  if (report) await learnAnswer(engine, observation, report.conversation);
  if (!transcript) return undefined;
  const read = beyondGuess<M, State>((...given) => observeReply(observation, ...given));
  return read(engine, transcript, input);
}

async function observeReply<M>(
  observation: Observation<M>,
  engine: Engine<M>,
  transcript: readonly M[],
  input: FitInput<M>,
): Promise<State> {
  let operation = await beginOperation(engine, transcript, input);
  if (!observation.report && (await learnAnswer(engine, observation, operation.survey.name)))
    operation = await beginOperation(engine, transcript, input);
  const { survey } = operation;
  engine.emitter.emit("pressure", {
    pressure: survey.pressure,
    tokens: survey.tokens,
    budget: survey.budget.budget,
  });
  const decision = await decide(operation);
  input.signal?.throwIfAborted();
  // Not awaited: the summary is for the next request.
  summaryFor(operation, decision);
  return prepareState(operation, { checkpoint: survey.checkpoint?.id, beside: true })();
}

/** Records that the newest checkpoint is to be skipped. */
async function undo<M>(engine: Engine<M>, transcript: readonly M[], input: FitInput<M>): Promise<State> {
  const operation = await beginOperation(engine, transcript, input);
  const { checkpoint } = operation.survey;
  if (!checkpoint) return prepareState(operation, { checkpoint: undefined, beside: true })();
  const record = (pressure: number): Undo => ({
    checkpoint: checkpoint.id,
    at: operation.survey.recordAt,
    pressure,
  });
  const after = await beginOperation(engine, transcript, input, { undos: [record(0)] });
  const skipped = record(after.survey.pressure);
  await engine.records.save({ undos: [skipped] });
  // Nothing was sent: the next view is compared with the one that was.
  const kept = { checkpoint: after.survey.checkpoint?.id, undos: [skipped], beside: true };
  return prepareState(after, kept)();
}
