import type { CompactInput, FitResult, Run, Warning } from "../core/types.ts";
import { summaryByHand } from "./background.ts";
import { chooseRange, pointer } from "./choose-range.ts";
import { climbTo } from "./climb-to.ts";
import { deliver } from "./deliver.ts";
import type { Engine } from "./engine.ts";
import type { Climb } from "./ladder.ts";
import { beginOperation } from "./operation.ts";
import { strategies } from "./strategies.ts";

/**
 * Hides just the messages that a person chose. Where the view wouldn't fit the budget with that alone, the strategy's ladder
 * goes on as in any compaction; where it fits, and the range can't be hidden, nothing is.
 */
export async function compactRange<M>(
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
        message: `${range} The view needed more to fit its budget, so it was compacted as usual.`,
      },
    ];
  return widened === undefined ? [] : [{ code: "range-widened", message: `${range} ${widened}` }];
}

/** Why the range alone couldn't be hidden. */
function whyNot({ rungs }: Climb): string {
  const tried = rungs.find(({ note = "" }) => note.startsWith(RANGE_STEP));
  if (tried?.result === "breached")
    return `The view would break a rule of the format (${tried.note!.slice(RANGE_STEP.length + 2)}). Choose everything up to that place instead.`;
  return "A summary of so little would be as long as the messages themselves.";
}
