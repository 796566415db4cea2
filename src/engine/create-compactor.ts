import { entriesOf } from "../core/draft.ts";
import type {
  CompactInput,
  Compactor,
  CompactorOptions,
  FitInput,
  FitResult,
  HandoverInput,
  Observation,
  Plan,
  State,
  SummarizeInput,
  Undo,
  Warning,
} from "../core/types.ts";
import { requestSummary } from "./background.ts";
import { checkInput } from "./check-options.ts";
import { fixedTokens, unansweredTokens } from "./conversation.ts";
import { type Call, climbTo, type Decision, decide, nothingDue, readyCut, wantedRun } from "./decide.ts";
import { deliver, viewDraft, viewOf } from "./deliver.ts";
import { createEngine, type Engine } from "./engine.ts";
import { inSlices } from "./in-slices.ts";
import { calibrate, learnAnswer } from "./learn.ts";
import { prepareState } from "./next-state.ts";
import { recallFor } from "./recall/recall-for.ts";
import { pressureOf } from "./report.ts";
import { checkGoal, handover, summarize } from "./standalone.ts";
import { measureOfShort } from "./surely-fits.ts";
import { survey } from "./survey.ts";
import { within } from "./within.ts";
import { isWorthAsking, isWorthAskingByHand, noRoomWarning } from "./worth-asking.ts";
import { manyRequestsWarning, plannedCalls } from "./write-summaries.ts";

/** A forced compaction of fewer messages than this has nothing to work with. */
const LEAST_MESSAGES = 4;
/** How long a compaction that a person asked for waits for its summary (milliseconds). */
const COMPACT_WAIT_MS = 60_000;
/** When idle, a summary is made ahead from this pressure on: below it no cold cache makes a compaction due. */
const PREPARE_FROM = 0.4;
/** What a report says when a summary would be wanted and isn't asked for. */
const RESTING: Warning = {
  code: "summarizer-resting",
  message:
    "The summariser failed lately and isn't asked just now: it is asked again when pressure has grown, or after a few minutes.",
};

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
export function createCompactor<M>(options: CompactorOptions<M>): Compactor<M> {
  const engine = createEngine(options);
  const methods = {
    dialect: options.dialect,
    fit: (transcript: readonly M[], input?: FitInput<M>) => fitView(engine, transcript, input ?? {}),
    compact: (transcript: readonly M[], input?: CompactInput<M>) => compact(engine, transcript, input ?? {}),
    plan: (transcript: readonly M[], input?: FitInput<M>) => plan(engine, transcript, input ?? {}),
    pressure: async (transcript: readonly M[], input?: FitInput<M>) =>
      pressureOf(await survey(engine, transcript, input ?? {})),
    prepare: (transcript: readonly M[], input?: FitInput<M>) => prepare(engine, transcript, input ?? {}),
    observe: (observation: Observation<M>) => observe(engine, observation),
    summarize: async (transcript: readonly M[], input?: SummarizeInput<M>) =>
      summarize(await open(engine, transcript, input ?? {}), input ?? {}),
    handover: async (transcript: readonly M[], input: HandoverInput<M>) => {
      checkGoal(input);
      return handover(await open(engine, transcript, { ...input, focus: input.goal }), input);
    },
    undo: (transcript: readonly M[], input?: FitInput<M>) => undo(engine, transcript, input ?? {}),
    rebuild: (transcript: readonly M[], input?: FitInput<M>) =>
      compact(engine, transcript, { ...input, adopt: true }, true),
    settled: () => engine.jobs.settled(),
    async close() {
      engine.jobs.close();
      await engine.jobs.settled();
    },
    on: engine.emitter.on,
  } satisfies Record<keyof Compactor<M>, unknown>;
  // Hosts pass their own, narrower message type: what is kept leaves as it came, what precis writes is of the dialect.
  return methods as unknown as Compactor<M>;
}

async function open<M>(
  engine: Engine<M>,
  transcript: readonly M[],
  input: Call<M>["input"],
  more: Parameters<typeof survey<M>>[3] = {},
): Promise<Call<M>> {
  const now = input.now ?? Date.now();
  const seen = await survey(engine, transcript, input, { ...more, now });
  return { engine, transcript, input: { ...input, system: seen.system }, now, seen };
}

async function fitView<M>(
  engine: Engine<M>,
  transcript: readonly M[],
  input: FitInput<M>,
): Promise<FitResult<M>> {
  checkInput(input);
  const bounds = measureOfShort(engine, transcript, input);
  let call = await open(engine, transcript, input, { bounds });
  let decision = await inSlices(decide(call), input.signal);
  if (bounds && mayMatter(call, decision)) {
    call = await open(engine, transcript, input);
    decision = await inSlices(decide(call), input.signal);
  }
  let background = summaryFor(call, decision);
  const many = background && decision.wanted && manyRequestsWarning(call, decision.wanted);
  // What is asked for ahead of time isn't needed yet.
  const waitMs = decision.due === undefined ? 0 : engine.settings.waitMs;
  if (background && (await within(background, waitMs, input.signal))) {
    call = await open(engine, transcript, input);
    decision = await inSlices(decide(call), input.signal);
    background = undefined;
  }
  input.signal?.throwIfAborted();
  const otherwise = background ? undefined : decision.otherwise?.();
  const result = otherwise ? await inSlices(otherwise, input.signal) : decision.result;
  const noRoom = result.draft && noRoomWarning(call);
  return deliver(call, {
    reason: decision.due,
    result,
    adopt: true,
    recalls: true,
    waiting: background !== undefined,
    // One that an earlier call began brings its records to this host, too.
    background: background ?? engine.jobs.running(call.seen.name)?.then((records) => records ?? []),
    warnings: [
      ...(decision.wanted && !background ? [RESTING] : []),
      ...(noRoom ? [noRoom] : []),
      ...(many ? [many] : []),
    ],
  });
}

/** May exact counts change anything for a request that was measured by bounds? */
function mayMatter<M>({ seen }: Call<M>, { due, wanted }: Decision): boolean {
  const known = seen.checkpoint !== undefined || seen.invalid || seen.left.length > 0;
  return known || due !== undefined || wanted !== undefined || seen.warnings.length > 0;
}

/** Has the wanted summary written, once. Undefined if none is wanted, or if the summariser isn't asked just now. */
function summaryFor<M>(call: Call<M>, { wanted, due }: Decision): ReturnType<typeof requestSummary> {
  return wanted && requestSummary(call, wanted, { reason: due ?? "pressure" });
}

async function compact<M>(
  engine: Engine<M>,
  transcript: readonly M[],
  input: CompactInput<M>,
  fresh = false,
): Promise<FitResult<M>> {
  const filling = input.budget !== undefined;
  const more = { budget: input.budget, fresh: fresh || filling };
  const opened = await open(engine, transcript, input, more);
  const asked = filling ? { ...opened, filling: opened.seen.budget.budget } : opened;
  let call = fresh ? forgetful(asked) : asked;
  const { conversation, budget, tokens } = call.seen;
  // What the model hasn't answered yet stays whole: half of what stands beside it is to go.
  const whole = unansweredTokens(conversation);
  const fixed = fixedTokens(conversation) + whole;
  const present = fresh ? conversation.total : tokens;
  const goal = filling
    ? budget.budget
    : Math.min(call.seen.goal, Math.max(fixed, Math.floor((present + whole) / 2)));
  const tooLittle = conversation.messages.length - conversation.structure.start < LEAST_MESSAGES;
  if (tokens <= budget.budget && (filling || tooLittle)) {
    return deliver(call, { reason: "forced", result: nothingDue(call.seen), adopt: false, filling });
  }
  const wanted = wantedRun(call, goal);
  const run = wanted && isWorthAskingByHand(call, wanted) ? wanted : undefined;
  const many = run && manyRequestsWarning(call, run);
  const background = run && requestSummary(call, run, { reason: "forced", cancel: input.signal });
  if (background) await within(background, input.waitMs ?? COMPACT_WAIT_MS, input.signal);
  input.signal?.throwIfAborted();
  if (run) call = await open(engine, transcript, input, more);
  const cut = engine.summarizer && readyCut(call, goal);
  const spokenFor = !filling && tokens <= budget.budget;
  const target = { limit: budget.budget, goal, anyGain: true, spokenFor };
  const withModel = await inSlices(climbTo(call, target, cut), input.signal);
  // Summaries of a part, because the model failed at the rest, may cover too little: lines by code speak for that.
  const result =
    withModel.draft || cut === undefined
      ? withModel
      : await inSlices(climbTo(call, target, undefined), input.signal);
  const adopt = input.adopt ?? !filling;
  return deliver(call, {
    reason: "forced",
    result,
    adopt,
    filling,
    background,
    ...(many && { warnings: [many] }),
  });
}

/** A call that believes no summary, so that all of them are asked for anew. */
function forgetful<M>(call: Call<M>): Call<M> {
  return { ...call, anew: true, seen: { ...call.seen, state: { ...call.seen.state, summaries: [] } } };
}

async function plan<M>(engine: Engine<M>, transcript: readonly M[], input: FitInput<M>): Promise<Plan> {
  const call = await open(engine, transcript, input);
  const { seen } = call;
  const { due, result, wanted } = await inSlices(decide(call), input.signal);
  const many = wanted && manyRequestsWarning(call, wanted);
  const view = viewOf(call, result);
  const isCompacted = seen.checkpoint !== undefined || result.draft !== undefined;
  const recalled =
    isCompacted && seen.keepsRecalled ? await inSlices(recallFor(call, view), input.signal) : undefined;
  const quoted = [...view.quoted, ...(recalled ? [recalled.quoted] : [])];
  const tokens = view.tokens + (recalled?.quoted.tokens ?? 0);
  return {
    due,
    entries: entriesOf(viewDraft(call, result, quoted)),
    calls: wanted ? plannedCalls(call, wanted) : [],
    rungs: result.rungs,
    budget: seen.budget,
    pressure: { before: seen.pressure, after: tokens / seen.budget.budget },
    tokens: { transcript: seen.conversation.total, before: seen.tokens, after: tokens },
    warnings: [...seen.warnings, ...(many ? [many] : [])],
  };
}

/** Makes the summary that the next compaction will need, while the provider's cache is warm. */
async function prepare<M>(engine: Engine<M>, transcript: readonly M[], input: FitInput<M>): Promise<State> {
  const call = await open(engine, transcript, input);
  const { seen } = call;
  const run = seen.pressure >= PREPARE_FROM ? wantedRun(call, seen.goal) : undefined;
  const summaries =
    run && isWorthAsking(call, run) ? await requestSummary(call, run, { reason: "pressure" }) : undefined;
  return prepareState(call, { checkpoint: seen.checkpoint?.id, beside: true })(summaries);
}

/** Learns from an answer, and begins a summary if the reply has made one due. */
async function observe<M>(engine: Engine<M>, observation: Observation<M>): Promise<State | undefined> {
  const { transcript, input = {}, report } = observation;
  calibrate(engine, observation);
  if (report) await learnAnswer(engine, observation, report.conversation);
  if (!transcript) return undefined;
  let call = await open(engine, transcript, input);
  if (!report && (await learnAnswer(engine, observation, call.seen.name)))
    call = await open(engine, transcript, input);
  const { seen } = call;
  engine.emitter.emit("pressure", {
    pressure: seen.pressure,
    tokens: seen.tokens,
    budget: seen.budget.budget,
  });
  // Not awaited: the summary is for the next request.
  summaryFor(call, await inSlices(decide(call)));
  return prepareState(call, { checkpoint: seen.checkpoint?.id, beside: true })();
}

/** Records that the newest checkpoint is to be skipped. */
async function undo<M>(engine: Engine<M>, transcript: readonly M[], input: FitInput<M>): Promise<State> {
  const call = await open(engine, transcript, input);
  const { checkpoint } = call.seen;
  if (!checkpoint) return prepareState(call, { checkpoint: undefined, beside: true })();
  const record = (pressure: number): Undo => ({
    checkpoint: checkpoint.id,
    at: call.seen.recordAt,
    pressure,
  });
  const after = await open(engine, transcript, input, { undos: [record(0)] });
  const skipped = record(after.seen.pressure);
  await engine.records.save({ undos: [skipped] });
  // Nothing was sent: the next view is compared with the one that was.
  return prepareState(after, { checkpoint: after.seen.checkpoint?.id, undos: [skipped], beside: true })();
}
