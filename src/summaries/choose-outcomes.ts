import type { Outcome } from "./outcomes.ts";
import { NEVER, recency } from "./recency.ts";

/** How the oldest command ended counts this much of what it would count now. */
const OLDEST = 0.3;
/** Before the commands that a line names together. */
const TITLES = { passed: "passed", done: "done" } as const;
const BETWEEN = " · ";

/** A line about commands. */
export type OutcomeLine = Pick<Outcome, "message" | "tool" | "text">;

/** The outcomes that tell most for their length, in the order of their rank, within the budget (tokens). */
export function chooseOutcomes(input: {
  readonly outcomes: readonly Outcome[];
  readonly budget: number;
  readonly cost: (text: string) => number;
  /** Characters of transcript behind a message. */
  readonly age: (message: number) => number;
}): OutcomeLine[] {
  const worth = ({ message, factor }: Outcome): number =>
    factor * (1 - (1 - OLDEST) * Math.min(1, recency(input.age(message)) / NEVER));
  const ranked = [...input.outcomes].sort((a, b) => worth(b) - worth(a) || b.message - a.message);
  const said = new Set<string>();
  const chosen: Outcome[] = [];
  /** Tools with a line that names commands together. */
  const shared = new Set<string>();
  let used = 0;
  for (const outcome of ranked) {
    const isShared = isNamedOnly(outcome) && shared.has(outcome.tool);
    const price = input.cost(
      isShared ? `${BETWEEN}${outcome.text} (#1234)` : `#1234 ${outcome.tool}» passed: ${outcome.text}\n`,
    );
    if (said.has(outcome.text) || used + price > input.budget) continue;
    said.add(outcome.text);
    used += price;
    chosen.push(outcome);
    if (isNamedOnly(outcome)) shared.add(outcome.tool);
  }
  return joined(chosen);
}

/** Of what passed or is done only the command is named. */
function isNamedOnly({ ended }: Outcome): boolean {
  return ended === "passed" || ended === "done";
}

/** Commands of which only the name is shown stand in one line by tool, at the newest one's message: `passed: make · npm test (#12)`. */
function joined(chosen: readonly Outcome[]): OutcomeLine[] {
  const lines: OutcomeLine[] = [];
  const tools = new Set<string>();
  for (const outcome of chosen) {
    if (!isNamedOnly(outcome)) lines.push(outcome);
    else if (!tools.has(outcome.tool)) {
      tools.add(outcome.tool);
      lines.push(sharedLine(chosen.filter((one) => isNamedOnly(one) && one.tool === outcome.tool)));
    }
  }
  return lines;
}

function sharedLine(outcomes: readonly Outcome[]): OutcomeLine {
  const ordered = [...outcomes].sort((a, b) => b.message - a.message);
  const { message, tool } = ordered[0]!;
  const parts = (["passed", "done"] as const).flatMap((ended) => {
    const names = ordered
      .filter((one) => one.ended === ended)
      .map((one) => (one.message === message ? one.text : `${one.text} (#${one.message + 1})`));
    return names.length === 0 ? [] : [`${TITLES[ended]}: ${names.join(BETWEEN)}`];
  });
  return { message, tool, text: parts.join("; ") };
}
