import type { Message } from "../../core/types.ts";
import { inOneLine } from "./statements.ts";

/** A step of a plan that the assistant keeps with a tool. */
interface Step {
  readonly text: string;
  readonly isDone: boolean;
}

const TEXT_FIELDS = ["content", "step", "text", "title", "task", "description", "name", "subject"];
const DONE = /^(?:completed?|done|finished|cancelled|canceled|deleted|closed)$/i;
/** Longer lists are data (steps). */
const MOST_STEPS = 100;

/** The steps of the newest plan that aren't done. */
export function openSteps(messages: readonly Message[]): string[] {
  for (const message of messages.toReversed())
    for (const part of message.parts.toReversed()) {
      if (part.type !== "tool-call") continue;
      const steps = stepsIn(part.args);
      if (steps !== undefined) return steps.filter((step) => !step.isDone).map((step) => step.text);
    }
  return [];
}

/** A list in a call's arguments whose members all have a text and a status. */
function stepsIn(args: string): Step[] | undefined {
  if (!args.includes('"status"')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(args);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  for (const list of Object.values(value)) {
    if (!Array.isArray(list) || list.length === 0 || list.length > MOST_STEPS) continue;
    const steps = list.map(stepOf);
    if (steps.every((step) => step !== undefined)) return steps;
  }
  return undefined;
}

function stepOf(item: unknown): Step | undefined {
  const fields = (item ?? {}) as Readonly<Record<string, unknown>>;
  const text = TEXT_FIELDS.map((field) => fields[field]).find((field) => typeof field === "string");
  const { status } = fields;
  return typeof status === "string" && typeof text === "string"
    ? { text: inOneLine(text), isDone: DONE.test(status) }
    : undefined;
}
