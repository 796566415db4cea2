/** A step of a plan that an agent keeps with a tool. */
export interface PlanStep {
  readonly text: string;
  readonly status: string;
}

const TEXT_FIELDS = ["content", "step", "text", "title", "task", "description", "name", "subject"];
/** Longer lists are data (steps). */
const MAX_STEPS = 100;

/** The plan in a call's arguments: a list of steps, each with a status. Undefined: none. */
export function readPlan(value: unknown): readonly PlanStep[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const list of Object.values(value)) {
    if (!Array.isArray(list) || list.length === 0 || list.length > MAX_STEPS) continue;
    const steps = list.map(stepOf);
    if (steps.every((step) => step !== undefined)) return steps;
  }
  return undefined;
}

function stepOf(item: unknown): PlanStep | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const fields = item as Record<string, unknown>;
  const text = TEXT_FIELDS.map((field) => fields[field]).find((field) => typeof field === "string");
  return typeof fields.status === "string" && typeof text === "string"
    ? { text, status: fields.status }
    : undefined;
}
