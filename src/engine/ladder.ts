import { type Draft, type Fate, type Insert, isShown, withFates } from "../core/draft.ts";
import { BudgetImpossibleError, InvariantError } from "../core/errors.ts";
import { isAboutSize } from "../core/invariants.ts";
import { isOnlyReasoning } from "../core/rounds.ts";
import type { RungName, RungReport } from "../core/types.ts";
import { edited } from "../reductions/reduction.ts";
import { draftTokens, floorTokens } from "./conversation.ts";
import { detachFromHiddenReasoning } from "./detach-from-hidden-reasoning.ts";
import { dropAll, dropMiddle, dropOldest } from "./rungs/drop.ts";
import { hardCut } from "./rungs/hard-cut.ts";
import { reduce } from "./rungs/reduce.ts";
import { NOT_SHOWN, withRoleNotes } from "./rungs/role-notes.ts";
import type { Rung, RungInput } from "./rungs/rung.ts";
import { summarize, summarizeAll } from "./rungs/summarize.ts";
import { summarizeRange } from "./rungs/summarize-range.ts";
import { summarizeRounds } from "./rungs/summarize-rounds.ts";
import { isSigned } from "./signed-reasoning.ts";
import { type Step, strategies } from "./strategies.ts";

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
export async function climb(
  input: RungInput,
  breachesOf: (draft: Draft, tokens: number) => readonly string[],
): Promise<Climb> {
  const { conversation, current, limit, settings } = input;
  const before = draftTokens(conversation, current);
  const fits = before <= limit;
  const rungs: RungReport[] = [];
  let breaches: readonly string[] = [];
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
    const draft = withRoleNotes(input, detachFromHiddenReasoning(input, withoutBoundReasoning(input, found)));
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
  throw impossible(input, before, breaches, rungs);
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
