import type { Draft } from "../core/draft.ts";
import type { RungName } from "../core/types.ts";
import { judge } from "./judge.ts";
import { type Climb, climb } from "./ladder.ts";
import type { Operation } from "./operation.ts";
import { roundRecords } from "./round-runs.ts";
import type { RungInput } from "./rungs/rung.ts";
import { dropsUnboundReasoning, openLoop } from "./signed-reasoning.ts";
import type { Survey } from "./survey.ts";
import { narrativeFor, speaksOfRounds } from "./wanted-run.ts";

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
export function breaches<M>(
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
  const accepted = engine.unreported.get(survey.name)?.findLast((one) => one.result === "accepted");
  return accepted?.rung ?? "known-summaries";
}

/** The view stays as it is. */
export function nothingDue({ tokens }: Pick<Survey<unknown>, "tokens">): Climb {
  return {
    draft: undefined,
    rung: "nothing-due",
    tokens,
    rungs: [{ rung: "nothing-due", result: "used", tokens }],
  };
}
