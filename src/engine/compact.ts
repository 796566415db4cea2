import { coversOf, type Draft, isShown } from "../core/draft.ts";
import type { CompactInput, FitResult, Run, Warning } from "../core/types.ts";
import { summaryByHand } from "./background/background.ts";
import { nothingDue } from "./decide.ts";
import { deliver } from "./deliver/deliver.ts";
import type { Engine } from "./engine.ts";
import { type Climb, climbTo } from "./ladder/ladder.ts";
import { noRoomWarning, readyCut } from "./plan/wanted-run.ts";
import { type Conversation, fixedTokens, mustShow, unansweredTokens } from "./read/conversation.ts";
import { beginOperation, type Operation } from "./read/survey.ts";
import { checkRange } from "./settings/check.ts";
import { strategies } from "./settings/settings.ts";

/** A forced compaction of fewer messages than this has nothing to work with. */
const LEAST_MESSAGES = 4;
/** Compacts because somebody asks for it, whatever the pressure is. `fresh`: from the originals, without any summary that there is. */
export async function compactNow<M>(
  engine: Engine<M>,
  transcript: readonly M[],
  input: CompactInput<M>,
  fresh = false,
): Promise<FitResult<M>> {
  const range = input.range ?? (input.upTo === undefined ? undefined : { from: 0, to: input.upTo });
  const waitMs = input.waitMs ?? engine.settings.compactWaitMs;
  if (range) {
    checkRange(input, transcript.length);
    return compactRange(engine, transcript, input, { asked: range, waitMs });
  }
  const filling = input.budget !== undefined;
  const more = { budget: input.budget, fresh: fresh || filling };
  const begun = await beginOperation(engine, transcript, input, more);
  const asked = filling ? { ...begun, filling: begun.survey.budget.budget } : begun;
  let operation = fresh ? forgetful(asked) : asked;
  const { conversation, budget, tokens } = operation.survey;
  const goal = filling ? budget.budget : goalByHand(operation, fresh ? conversation.total : tokens);
  const tooLittle = conversation.messages.length - conversation.structure.start < LEAST_MESSAGES;
  if (tokens <= budget.budget && (filling || tooLittle)) {
    return deliver(operation, {
      reason: "forced",
      result: nothingDue(operation.survey),
      adopt: false,
      filling,
    });
  }
  const asking = await summaryByHand(operation, goal, waitMs, input.signal);
  input.signal?.throwIfAborted();
  if (asking) operation = await beginOperation(engine, transcript, input, more);
  const cut = engine.summarizer && readyCut(operation, goal);
  const spokenFor = !filling && tokens <= budget.budget;
  const target = { limit: budget.budget, goal, anyGain: true, spokenFor };
  const withModel = await climbTo(operation, target, cut);
  // Summaries of a part, because the model failed at the rest, may cover too little: lines by code speak for that.
  const result =
    withModel.draft || cut === undefined ? withModel : await climbTo(operation, target, undefined);
  const noRoom = noRoomWarning(operation);
  const adopt = input.adopt ?? !filling;
  return deliver(operation, {
    reason: "forced",
    result,
    adopt,
    filling,
    background: asking?.background,
    warnings: [...(asking?.many ? [asking.many] : []), ...(noRoom ? [noRoom] : [])],
  });
}

/** What the model hasn't answered yet stays whole: half of what stands beside it is to go. */
export function goalByHand<M>({ survey }: Operation<M>, present = survey.tokens): number {
  const whole = unansweredTokens(survey.conversation);
  const fixed = fixedTokens(survey.conversation) + whole;
  return Math.min(survey.goal, Math.max(fixed, Math.floor((present + whole) / 2)));
}

/** The operation without any summary, so that all of them are asked for anew. */
function forgetful<M>(operation: Operation<M>): Operation<M> {
  return {
    ...operation,
    anew: true,
    survey: { ...operation.survey, state: { ...operation.survey.state, summaries: [] } },
  };
}

/**
 * Hides just the messages that a person chose. Where the view wouldn't fit the budget with that alone, the strategy's ladder
 * goes on as in any compaction; where it fits, and the range can't be hidden, nothing is.
 */
async function compactRange<M>(
  engine: Engine<M>,
  transcript: readonly M[],
  input: CompactInput<M>,
  { asked, waitMs }: { readonly asked: Run; readonly waitMs: number },
): Promise<FitResult<M>> {
  let operation = await beginOperation(engine, transcript, input);
  const chosen = chooseRange(operation.survey.conversation, operation.survey.current, asked);
  const range = typeof chosen === "string" ? undefined : chosen;
  if (range) operation = { ...operation, range };
  const { budget, goal } = operation.survey;
  const asking = range && (await summaryByHand(operation, goal, waitMs, input.signal));
  input.signal?.throwIfAborted();
  if (asking && range) operation = { ...(await beginOperation(engine, transcript, input)), range };
  const { steps, lastResort } = strategies[engine.settings.strategy];
  const isOver = operation.survey.tokens > budget.budget;
  const result = await climbTo(
    operation,
    { limit: budget.budget, goal, anyGain: true },
    undefined,
    operation.survey.current,
    [
      ...(range && steps.length > 0 ? (["summarize-range"] as const) : []),
      ...(isOver ? [...steps, ...lastResort] : []),
    ],
  );
  const why =
    steps.length === 0
      ? `The strategy \`${engine.settings.strategy}\` never shortens.`
      : typeof chosen === "string"
        ? chosen
        : whyNot(result);
  const warnings = [
    ...rangeWarnings(result, asked, range?.widened, why),
    ...(asking?.many ? [asking.many] : []),
  ];
  const isRange = used(result)?.note === RANGE_STEP;
  const { range: _, ...whole } = operation;
  return deliver(isRange ? operation : whole, {
    reason: "forced",
    result,
    adopt: true,
    background: asking?.background,
    warnings,
  });
}

const RANGE_STEP = "summarize-range";

function used({ rungs }: Climb): Climb["rungs"][number] | undefined {
  return rungs.find(({ result }) => result === "used");
}

/** What a person is told who got something else than what was asked for. */
function rangeWarnings(result: Climb, asked: Run, widened: string | undefined, why: string): Warning[] {
  const range = `Messages ${pointer(asked)} were chosen.`;
  if (!result.draft) return [{ code: "range-refused", message: `${range} Nothing was compacted. ${why}` }];
  if (used(result)?.note !== RANGE_STEP)
    return [
      {
        code: "range-widened",
        message: `${range} This alone doesn't fit the budget, so the view was compacted as usual.`,
      },
    ];
  return widened === undefined ? [] : [{ code: "range-widened", message: `${range} ${widened}` }];
}

/** Why the range alone couldn't be hidden. */
function whyNot({ rungs }: Climb): string {
  const tried = rungs.find(({ note = "" }) => note.startsWith(RANGE_STEP));
  if (tried?.result === "breached")
    return `The view would break a rule of the format (${tried.note!.slice(RANGE_STEP.length + 2)}). Choose everything up to that point instead.`;
  return "A summary would be as long as these messages themselves.";
}

/** The messages that are hidden because a person chose them. */
export interface ChosenRange {
  readonly run: Run;
  /** `front`: nothing that may be hidden is shown before it, so its summary is that of the whole beginning. */
  readonly place: "front" | "inside";
  /** Why it isn't just what was asked for. */
  readonly widened?: string;
}

/**
 * What can be hidden of a run: whole rounds only, nothing that waits for the model, and a summary that stands within or beside
 * it is taken in. A text says why nothing can.
 */
function chooseRange(conversation: Conversation, current: Draft, asked: Run): ChosenRange | string {
  const { structure } = conversation;
  const { start } = structure;
  // A round that the model hasn't answered yet, or that still waits for results.
  const open = structure.units.find((unit) => unit.open);
  const end = Math.min(structure.unanswered, open?.from ?? Number.POSITIVE_INFINITY);
  const wanted = { from: Math.max(asked.from, start), to: Math.min(asked.to, end) };
  if (wanted.from >= wanted.to)
    return asked.to <= start
      ? "The range contains only the system prompt, which is always shown."
      : "The range contains only the newest round, which the model hasn't seen or finished yet.";
  const whole = {
    from: structure.units[structure.unitOf[wanted.from]!]!.from,
    to: structure.units[structure.unitOf[wanted.to - 1]!]!.to,
  };
  const joined = joinSummaries(conversation, current, whole);
  const isFront = !hasShown(conversation, current, { from: start, to: joined.from });
  const run = isFront ? { ...joined, from: start } : joined;
  if (!hasShown(conversation, current, run)) {
    const isHidden = current.fates.slice(run.from, run.to).some((fate) => fate.type === "cover");
    return isHidden
      ? "The range is hidden already."
      : "The range contains only what is always shown: pins, knowledge or the last user message.";
  }
  const why = [
    ...(whole.from < wanted.from || whole.to > wanted.to ? ["a call and its result stay together"] : []),
    ...(joined.from < whole.from || joined.to > whole.to ? ["an adjacent summary was included"] : []),
    ...(asked.to > end ? ["the model hasn't seen the newest round yet"] : []),
  ];
  return {
    run,
    place: isFront ? "front" : "inside",
    ...(why.length > 0 && { widened: `Messages ${pointer(run)} are hidden: ${why.join("; ")}.` }),
  };
}

/** `#5–12` for messages 4 to 11. */
function pointer({ from, to }: Run): string {
  return to - from === 1 ? `#${to}` : `#${from + 1}–${to}`;
}

/** The run with every summary that speaks for a part of it, or stands directly before or behind it. */
function joinSummaries(conversation: Conversation, current: Draft, run: Run): Run {
  const spans = coversOf(current).flatMap((runs) =>
    runs.length > 0 ? [{ from: runs[0]!.from, to: runs.at(-1)!.to }] : [],
  );
  const touches = (one: Run, other: Run): boolean =>
    one.from < other.to && other.from < one.to
      ? true
      : !hasShown(conversation, current, {
          from: Math.min(one.to, other.to),
          to: Math.max(one.from, other.from),
        });
  let joined = run;
  for (let before: Run | undefined; joined !== before; ) {
    before = joined;
    for (const span of spans)
      if ((span.from < joined.from || span.to > joined.to) && touches(span, joined))
        joined = { from: Math.min(span.from, joined.from), to: Math.max(span.to, joined.to) };
  }
  return joined;
}

/** Does a view show messages of a run that may be hidden? */
function hasShown(conversation: Conversation, { fates }: Draft, { from, to }: Run): boolean {
  for (let index = from; index < to; index++)
    if (isShown(fates[index]!) && !mustShow(conversation, index)) return true;
  return false;
}
