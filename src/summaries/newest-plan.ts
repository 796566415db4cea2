import type { Message } from "../core/types.ts";
import { firstCharacters } from "./first-characters.ts";
import { type PlanStep, readCall } from "./read-call.ts";
import type { Statement } from "./statements.ts";

/** Longer steps are cut (characters). */
const MAX_STEP = 120;

/** The plan as the agent last kept it with a tool, unless the view shows that call anyway: what is done, what is open. */
export function newestPlan(
  messages: readonly Message[],
  isHidden: (index: number) => boolean,
): Statement | undefined {
  for (let index = messages.length - 1; index >= 0; index--) {
    for (const part of messages[index]!.parts.toReversed()) {
      const plan = part.type === "tool-call" ? readCall(part).plan : undefined;
      if (plan === undefined) continue;
      return isHidden(index)
        ? { message: index, text: renderPlan(plan), lead: "", factor: 1, order: -1 }
        : undefined;
    }
  }
  return undefined;
}

/** `Plan: completed: read the parser; pending: write tests`. */
function renderPlan(plan: readonly PlanStep[]): string {
  const byStatus = Map.groupBy(plan, ({ status }) => status);
  const told = [...byStatus].map(([status, steps]) => `${status}: ${steps.map(stepLine).join("; ")}`);
  return `Plan: ${told.join(" | ")}`;
}

function stepLine({ text }: PlanStep): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= MAX_STEP ? line : `${firstCharacters(line, MAX_STEP)}…`;
}
