import { type Draft, type Fate, type Insert, isShown, withFates } from "../../core/draft.ts";
import { BudgetImpossibleError, InvariantError } from "../../core/errors.ts";
import { isAboutSize } from "../../core/invariants.ts";
import { isOnlyReasoning } from "../../core/rounds.ts";
import type { RungName, RungReport } from "../../core/types.ts";
import { reductions } from "../../reductions/index.ts";
import { edited } from "../../reductions/reduction.ts";
import { chooseTail } from "../plan/tail.ts";
import { narrativeFor, roundRecords, speaksOfRounds } from "../plan/wanted-run.ts";
import { judge } from "../read/checkpoint-view.ts";
import { draftTokens, fixedTokens, floorTokens, mustShow } from "../read/conversation.ts";
import { withQuoted } from "../read/quotations.ts";
import {
  detachFromHiddenReasoning,
  dropsUnboundReasoning,
  isSigned,
  neededReasoning,
  openLoop,
} from "../read/reasoning.ts";
import type { Operation } from "../read/survey.ts";
import { type Step, strategies } from "../settings/settings.ts";
import { dropAll, dropMiddle, dropOldest, hardCut, shrinkParts, withFewerImages } from "./drop.ts";
import { NOT_SHOWN, type Rung, type RungInput, withRoleNotes } from "./step.ts";
import { summarize, summarizeAll, summarizeRange, summarizeRounds } from "./summarize.ts";

/** A batch is worth changing the prefix for when it frees this share of the view. */
const LEAST_FREED = 0.15;
/** Reductions are enough by themselves when the view then lands at or below this share of room. */
const ENOUGH = 0.6;
/** What one old result may keep, tried from generous to strict (tokens). */
const ALLOWANCES = [4_000, 2_000, 1_000, 500];

/** Rung 1: makes the shown middle smaller in one batch, with as generous an allowance as reaches the aim. */
const reduce: Rung = async (input) => {
  const { conversation, current, settings, rules, limit, goal, anyGain } = input;
  const { messages, structure } = conversation;
  const { measure } = conversation;
  const before = draftTokens(conversation, current);
  const fixed = fixedTokens(conversation);
  const aim = anyGain ? goal : Math.min(limit, fixed + Math.floor((limit - fixed) * ENOUGH));
  const tail = chooseTail(conversation, {
    tail: settings.tail,
    limit: settings.tail.tokens ?? Math.floor((goal - fixed) * settings.tail.share),
    soft: false,
  });
  const reducible = (index: number) =>
    index < tail.from && isShown(current.fates[index]!) && !mustShow(conversation, index);
  const needsReasoning = neededReasoning(conversation, rules);
  const given = { messages, structure, reducible, needsReasoning, measure, images: settings.images };
  const apply = async (draft: Draft, allowance: number, byAllowance?: true): Promise<Draft> => {
    let smaller = draft;
    for (const reduction of reductions) {
      if (reduction.byAllowance !== byAllowance) continue;
      await input.pause();
      smaller = reduction.apply(smaller, { ...given, allowance });
    }
    return smaller;
  };
  const bare = await apply(current, Number.POSITIVE_INFINITY);
  for (const allowance of ALLOWANCES) {
    const draft = await apply(bare, allowance, true);
    await input.pause();
    const after = draftTokens(conversation, draft);
    if (after <= aim && (anyGain || before - after >= LEAST_FREED * before)) return draft;
  }
  return undefined;
};

/** Climbs the ladder towards a target, with the summaries that are there. */
export async function climbTo<M>(
  operation: Operation<M>,
  target: Pick<RungInput, "limit" | "goal" | "anyGain" | "modest" | "spokenFor" | "rewords">,
  cut: number | undefined,
  current: Draft = operation.survey.current,
  steps?: RungInput["steps"],
): Promise<Climb> {
  const { engine, input, survey } = operation;
  const rounds = speaksOfRounds(operation)
    ? roundRecords(survey.state.summaries, survey.conversation)
    : undefined;
  const narrative = narrativeFor(operation).records;
  return climb(
    {
      conversation: survey.conversation,
      current,
      settings: engine.settings,
      rules: engine.dialect.rules,
      ...target,
      start: survey.start,
      pause: operation.pause,
      focus: input.focus,
      isOurs: engine.writtenTexts.has,
      narrative,
      ...(rounds && { rounds }),
      cut,
      range: operation.range?.run,
      writtenBy:
        cut === undefined && !rounds?.size && !(operation.range && narrative.length > 0)
          ? undefined
          : writtenBy(operation),
      keepReasoningFrom: dropsUnboundReasoning(input.request)
        ? openLoop(survey.conversation)?.from
        : undefined,
      ...(steps && { steps }),
    },
    (draft, tokens) => breaches(operation, draft, tokens, target.limit),
  );
}

/** What a view would break. */
function breaches<M>(
  operation: Operation<M>,
  draft: Draft,
  tokens: number,
  limit: number,
): readonly string[] {
  const { engine, transcript, input, survey } = operation;
  const { dialect } = engine;
  const { conversation } = survey;
  const read = { dialect, transcript, system: input.system, conversation };
  return judge(read, { draft, tokens, limit });
}

/** How the newest summary came about; one that this process didn't write was there already. */
function writtenBy<M>({ engine, survey }: Operation<M>): RungName {
  const accepted = engine.unreported.get(survey.chat)?.findLast((one) => one.result === "accepted");
  return accepted?.rung ?? "known-summaries";
}

const STEPS: Readonly<Record<Step, { readonly rung: Rung; readonly name: RungName }>> = {
  reduce: { rung: reduce, name: "reductions" },
  summarize: { rung: summarize, name: "extractive" },
  "summarize-all": { rung: summarizeAll, name: "extractive" },
  "summarize-range": { rung: summarizeRange, name: "extractive" },
  "summarize-rounds": { rung: summarizeRounds, name: "extractive" },
  "drop-oldest": { rung: dropOldest, name: "drop" },
  "drop-middle": { rung: dropMiddle, name: "drop" },
  "drop-all": { rung: dropAll, name: "drop" },
  "hard-cut": { rung: hardCut, name: "hard-cut" },
};

/** A view that still fits is given up only for one that is smaller by this share: otherwise compactions would loop. */
const LEAST_GAIN = 0.05;

/** Where the ladder ended. Without a draft nothing can be gained, and the current view stays. */
export interface Climb {
  readonly draft: Draft | undefined;
  readonly rung: RungName;
  readonly tokens: number;
  readonly rungs: readonly RungReport[];
}

/** Takes the strategy's steps in turn until one ends in a view that breaks no post-condition. */
async function climb(
  given: RungInput,
  breachesOf: (draft: Draft, tokens: number) => readonly string[],
): Promise<Climb> {
  const { limit, settings } = given;
  const rungs: RungReport[] = [];
  let breaches: readonly string[] = [];
  const isOver = draftTokens(given.conversation, given.current) > limit;
  // A strategy without steps changes nothing.
  const fewer = isOver && settings.strategy !== "none" ? withFewerImages(given) : undefined;
  /** The draft without the images of the last user message that have no room. */
  const withRoom = (draft: Draft): Draft => {
    const index = given.conversation.structure.lastUser;
    if (!fewer || index === undefined) return draft;
    return withFates(draft, new Map([[index, edited(draft.fates[index]!, fewer.edits)]]));
  };
  const current = withRoom(given.current);
  const input = fewer ? { ...given, conversation: fewer.conversation, current } : given;
  const { conversation } = input;
  const before = draftTokens(conversation, current);
  const fits = before <= limit;
  if (fewer && fits && breachesOf(current, before).length === 0) {
    rungs.push({ rung: "hard-cut", result: "used", tokens: before, note: "images of the last user message" });
    return { draft: current, rung: "hard-cut", tokens: before, rungs };
  }
  const { steps, lastResort } = strategies[settings.strategy];
  for (const step of input.steps ?? (fits ? steps : [...steps, ...lastResort])) {
    const { rung } = STEPS[step];
    const isSummary = step.startsWith("summarize");
    const found = await rung(input);
    // Where no summary has room, such a step hides messages, and nothing speaks for them: that is what `drop` does.
    const isUnspoken = isSummary && found !== undefined && !found.inserts.some(isSummaryInsert);
    const name = isUnspoken ? "drop" : isSummary ? (input.writtenBy ?? STEPS[step].name) : STEPS[step].name;
    await input.pause();
    if (!found) {
      rungs.push({ rung: name, result: "not-enough", note: step });
      continue;
    }
    const draft = withRoom(
      withRoleNotes(input, detachFromHiddenReasoning(input, withoutBoundReasoning(input, found))),
    );
    const tokens = draftTokens(conversation, draft);
    // What a person chose is hidden, however little it frees.
    const leastGain = step === "summarize-range" ? 0 : LEAST_GAIN;
    const most = input.rewords ? input.start : before * (1 - leastGain);
    if (fits && tokens > most) {
      rungs.push({ rung: name, result: "nothing-to-gain", tokens, note: step });
      continue;
    }
    await input.pause();
    breaches = breachesOf(draft, tokens);
    if (breaches.length === 0) {
      rungs.push({ rung: name, result: "used", tokens, note: step });
      return { draft, rung: name, tokens, rungs };
    }
    rungs.push({ rung: name, result: "breached", tokens, note: `${step}: ${breaches.join("; ")}` });
  }
  if (fits) return { draft: undefined, rung: "nothing-due", tokens: before, rungs };
  throw impossible(given, before, breaches, rungs);
}

const isSummaryInsert = ({ message }: Insert): boolean => message.text !== NOT_SHOWN;

function impossible(
  input: RungInput,
  before: number,
  breaches: readonly string[],
  rungs: readonly RungReport[],
): Error {
  const { conversation, limit, settings } = input;
  // Where even head and last user message don't fit, whatever else is wrong with a view comes of that.
  const floor = floorTokens(conversation);
  if (floor <= limit && breaches.some((breach) => !isAboutSize(breach)))
    return new InvariantError({ breaches });
  const { lastUser } = conversation.structure;
  const numbers = {
    budget: limit,
    head: conversation.head,
    lastUserMessage: lastUser === undefined ? 0 : conversation.tokens[lastUser]!,
  };
  if (strategies[settings.strategy].steps.length === 0) {
    return new BudgetImpossibleError({
      ...numbers,
      needed: before,
      message: `precis: the conversation has ${before} tokens, the budget is ${limit}, and the strategy \`${settings.strategy}\` never shortens.`,
      fix: "Choose another strategy, such as `summarize-oldest`, or raise the budget.",
    });
  }
  // Beside head and last user message a format may need a first message or the marker of a cut.
  const tried = rungs.flatMap((rung) =>
    rung.tokens !== undefined && rung.tokens > limit ? [rung.tokens] : [],
  );
  return new BudgetImpossibleError({
    ...numbers,
    needed: floor > limit ? floor : Math.min(before, ...tried),
  });
}

/**
 * A compaction changes the prefix that signed reasoning is bound to, so it leaves every message that is shown, once and
 * in the same way. Later messages are bound to the new prefix.
 */
function withoutBoundReasoning(
  { conversation, rules, keepReasoningFrom = conversation.messages.length }: RungInput,
  draft: Draft,
): Draft {
  if (!rules.boundReasoning) return draft;
  const changes = new Map<number, Fate>();
  for (const [index, message] of conversation.messages.slice(0, keepReasoningFrom).entries()) {
    const fate = draft.fates[index]!;
    if (!isShown(fate) || !isSigned(message)) continue;
    changes.set(
      index,
      isOnlyReasoning(message)
        ? { type: "drop", reason: "reasoning" }
        : edited(fate, [{ type: "strip-reasoning", why: "signed-reasoning" }]),
    );
  }
  return withFates(draft, changes);
}

/** Where thinking can't be switched off, a round under way is shortened to this share of the budget. */
const LOOP_SHARE = 0.85;

/**
 * The last way out where thinking can't be switched off: nothing before the signed reasoning of the open round changes,
 * and what stands behind it (the newest results) is shortened. Undefined if that isn't asked for or isn't enough.
 */
export function shortenBehindReasoning<M>(operation: Operation<M>, limit: number): Climb | undefined {
  const { engine, input, survey } = operation;
  const { conversation } = survey;
  // What is quoted stands before that reasoning, too.
  const current = withQuoted(survey.current, survey.quoted, engine.dialect.rules);
  const loop = openLoop(conversation);
  if (!loop || !conversation.leads || input.thinking !== "must-stay") return undefined;
  if (dropsUnboundReasoning(input.request)) return undefined;
  // What isn't bound can be compacted up to a thought that the loop can begin with.
  if (!engine.dialect.rules.boundReasoning && loop.signed > loop.from) return undefined;
  const indexes = Array.from({ length: loop.to - loop.signed - 1 }, (_, at) => loop.signed + 1 + at);
  const shrink = (parts: readonly number[], to: number) =>
    shrinkParts({
      conversation,
      draft: current,
      indexes: parts,
      limit: Math.floor(to),
      why: "hard-cut",
      rules: engine.dialect.rules,
    });
  // The loop goes on: a view that is full to the brim would leave nothing for its next result. What the model has answered
  // goes first.
  const answered = indexes.filter((index) => index < conversation.structure.unanswered);
  const draft =
    shrink(answered, limit * LOOP_SHARE) ??
    shrink(answered, limit) ??
    shrink(indexes, limit * LOOP_SHARE) ??
    shrink(indexes, limit);
  if (!draft) return undefined;
  const tokens = draftTokens(conversation, draft);
  if (breaches(operation, draft, tokens, limit).length > 0) return undefined;
  return {
    draft,
    rung: "hard-cut",
    tokens,
    rungs: [{ rung: "hard-cut", result: "used", tokens, note: "behind signed reasoning" }],
  };
}
